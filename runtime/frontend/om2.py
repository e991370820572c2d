"""An OM2 as a compute graph: its visual JSON, and its weights from the store of constants.

The tasks of an OM2 are generated code that is never loaded; each engine's usual ones stand in for them.

Source: spec/formats.md 2.
"""

from getrace.dumps.om2 import Om2File
from getrace.dumps.snapshot import SnapshotNode
from getrace.errors import ModelError
from runtime.frontend.from_snapshot import compute_graph_of
from runtime.frontend.om import complete
from runtime.graph.compute_graph import ComputeGraph


def compute_graph_of_om2(om2: Om2File) -> ComputeGraph:
    """Rebuild the model. Raises ModelError for a constant without bytes in the file, and a graph that is no model."""

    def weight(node: SnapshotNode) -> tuple[bytes, tuple[int, int] | None]:
        found = om2.weights(node)
        if found is None:
            text = f"{om2.name or 'the model'} holds no bytes of the constant '{node.name}'"
            raise ModelError(text, "external weights are not read; make the model with its weights inside")
        return bytes(found), None

    try:
        graph = compute_graph_of(om2.snapshot, None, weight)
    except KeyError as error:
        raise ModelError(f"the model holds no graph {error}, which a node of it owns", "make it again") from error
    complete(graph)
    return graph
