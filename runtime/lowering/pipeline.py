"""The whole lowering: a compute graph in, the execute graph that an executor loads out.

It owns the order of the steps (GE's ``GraphConverter`` after its own walk): optimise, sort, prioritise, tabulate. A
caller that chose steps itself would run a graph GE never runs.

Source: spec/lowering.md 2.2 (1 to 9).
"""

from dataclasses import dataclass

from getrace.events.graphs import PassApplied
from runtime.engines.options import LoweringOptions
from runtime.engines.registry import ConverterRegistry
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.naming import IdSource
from runtime.graph.watch import See, ignore
from runtime.lowering.compute_node_table import renumber_compute_nodes
from runtime.lowering.graph_converter import lower
from runtime.lowering.passes.optimizer import optimize
from runtime.lowering.priority import assign_priorities
from runtime.lowering.sorting import sort_graph
from runtime.lowering.stages import BEFORE_LOWERING, BEFORE_OPTIMIZE, FINAL
from runtime.lowering.uncollected import uncollected


@dataclass(frozen=True, slots=True)
class Lowered:
    """A lowered model: its graph at the stage ``ExecuteGraphAfterSplit``, and what the passes did on the way."""

    root: ExecuteGraph
    passes: tuple[PassApplied, ...]


def lower_model(
    graph: ComputeGraph,
    options: LoweringOptions | None = None,
    ids: IdSource | None = None,
    converters: ConverterRegistry | None = None,
    see: See = ignore,
) -> Lowered:
    """Lower a model completely. ``see`` is told of each of GE's stages; that of a pass only if it changed something.

    Raises ModelError as ``graph_converter.lower`` does.
    """
    options = options or LoweringOptions()
    with uncollected():
        see(BEFORE_LOWERING, graph)
        root = lower(graph, options, ids, converters, see)
        see(BEFORE_OPTIMIZE, root)
        passes = optimize(root, options, see)
        sort_graph(root, options.topo_sorting_mode)
        assign_priorities(root)
        renumber_compute_nodes(root)
        see(FINAL, root)
        return Lowered(root, passes)
