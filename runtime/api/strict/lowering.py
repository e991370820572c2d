"""Constraint: building a model for RT2 leaves its compute graph as it is.

A graph is lowered more than once, for each executor and each stream; a lowering that wrote into it would find its own
traces the second time.
"""

from runtime.api.strict.violation import StrictModeError
from runtime.engines.options import LoweringOptions
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.to_snapshot import snapshot_of
from runtime.lowering.pipeline import Lowered, lower_model


def fingerprint(graph: ComputeGraph) -> tuple[tuple[str, str], ...]:
    """What a picture of the graph holds, node by node and in order: (name, everything about it)."""
    parts: list[tuple[str, str]] = []
    for each in snapshot_of(graph, "strict").graphs.values():
        parts += [(node.name, f"{each.name}: {node!r}") for node in each.nodes]
        parts.append((f"the edges of {each.name}", repr(each.edges)))
    return (*parts, ("its attributes", repr(sorted(graph.attrs.items()))))


def lower_unchanged(graph: ComputeGraph, options: LoweringOptions | None = None) -> Lowered:
    """Lower a model and compare it with itself. Raises StrictModeError naming the first node that differs."""
    before = fingerprint(graph)
    lowered = lower_model(graph, options)
    require_unchanged(graph, before)
    return lowered


def require_unchanged(graph: ComputeGraph, before: tuple[tuple[str, str], ...]) -> None:
    """Raise StrictModeError when a graph is not what its fingerprint says."""
    after = fingerprint(graph)
    if after == before:
        return
    known = dict(before)
    changed = next((name for name, what in after if known.get(name) != what), None)
    gone = next((name for name in known if name not in dict(after)), "the order of its nodes")
    raise StrictModeError(
        f"the lowering of graph {graph.name} changed {changed or gone}",
        "a converter reads the compute graph; what it learns belongs into its kernels",
    )
