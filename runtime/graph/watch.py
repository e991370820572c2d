"""Who looks at graphs while a model is lowered: one callable, told of each of GE's stages.

Converters and passes report to it alike; if each room had its own, a dump would need one hook for every room.
"""

from collections.abc import Callable

from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph

See = Callable[[str, ComputeGraph | ExecuteGraph], object]
"""Is told of each stage, in GE's order, while the graph stands as it does then; it must not change the graph."""


def ignore(_stage: str, _graph: ComputeGraph | ExecuteGraph) -> None:
    """Look at nothing: the ``See`` of a lowering that nobody watches."""
