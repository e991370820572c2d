"""Constraint: the order in which a lowering creates kernels is not the order in which they run.

Only edges and priorities order kernels. A converter that relies on having written one kernel before another works until
a pass or another executor moves them; so strict mode shuffles the order of creation and looks at what the edges say.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random

from runtime.api.strict.violation import StrictModeError
from runtime.executors.execution_data import ExecutionData
from runtime.graph.execute_graph import ExecuteGraph, FastNode


@contextmanager
def shuffled(root: ExecuteGraph, seed: int) -> Iterator[None]:
    """Let the kernels of a model stand in another order of creation; afterwards they stand as before."""
    random = Random(seed)  # noqa: S311 - reproducible, not secret
    graphs = {node.graph for node in root.all_nodes()} - {root}
    before = {graph: list(graph.nodes) for graph in graphs}
    for graph in sorted(graphs, key=lambda each: each.name):
        random.shuffle(graph.nodes)
    try:
        yield
    finally:
        for graph, nodes in before.items():
            graph.nodes[:] = nodes


def require_order(graph: ExecuteGraph, ran: Sequence[str]) -> None:
    """Check the kernels of a straight graph by the names in which they ran.

    Raises StrictModeError for the first that ran before one it waits for.
    """
    turns = {name: turn for turn, name in enumerate(ran)}
    for node in graph.nodes:
        for before, how in _waited_for(node):
            if turns.get(before.name, -1) > turns.get(node.name, len(turns)):
                raise StrictModeError(
                    f"kernel {node.name} runs before {before.name}, which {how} it",
                    "order kernels by edges: the order in which they are created says nothing",
                )


def require_plan(graph: ExecuteGraph, data: ExecutionData) -> None:
    """Check the plan of the sequential executor; others have no order before they run."""
    if data.topology is None:
        require_order(graph, [node.name for node in data.nodes])


def _waited_for(node: FastNode) -> Iterator[tuple[FastNode, str]]:
    for source in node.inputs:
        if source is not None:
            yield source[0], "feeds"
    for edge in node.in_control:
        yield edge.source, "has to precede"
