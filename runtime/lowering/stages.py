"""The stages of a lowering that GE dumps, and who looks at them.

It owns GE's names of the stages. If each step spelled its own, dumps, views and tests would disagree about which
graph they hold.

Source: spec/lowering.md 9.2.
"""

from collections.abc import Callable

from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph

BEFORE_LOWERING = "ComputeGraphBeforeLowering"
BEFORE_OPTIMIZE = "ExeGraphBeforeOptimize"
FINAL = "ExecuteGraphAfterSplit"

See = Callable[[str, ComputeGraph | ExecuteGraph], object]
"""Is told of each stage, in GE's order, while the graph stands as it does then; it must not change the graph."""


def ignore(_stage: str, _graph: ComputeGraph | ExecuteGraph) -> None:
    """Look at nothing: the ``See`` of a lowering that nobody watches."""
