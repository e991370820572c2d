"""The graph converter: lays out the skeleton, has the model walked, and ends Main with its NetOutput.

It owns what exists once per model. The walk over the nodes of one graph is ``walk``: sub graphs are walked too, and a
second NetOutput of Main would be the end of the model.

Source: spec/lowering.md 2.2 (1 to 5). What follows in GE (the passes, the sorting) works on the graph given here.
"""

from runtime.engines.builtin import builtin_converters
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerResult
from runtime.engines.options import LoweringOptions
from runtime.engines.registry import ConverterRegistry
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.graph.naming import IdSource
from runtime.graph.value_holder import ValueHolder
from runtime.graph.verify import require_legal
from runtime.graph.watch import See, ignore
from runtime.lowering.flattening import flatten
from runtime.lowering.model_check import check_model, net_output_of
from runtime.lowering.model_desc import describe_model
from runtime.lowering.skeleton import Frame, lay_out
from runtime.lowering.sorting import sort_nodes
from runtime.lowering.stages import BEFORE_STAGES
from runtime.lowering.stream_plan import plan_streams
from runtime.lowering.sync_stages import lower_stream_resources
from runtime.lowering.walk import GraphWalk

MODEL_DESC = "ModelDesc"
"""Attribute of ROOT that holds the ``ModelDesc`` record (spec/lowering.md 1.4)."""

_OWNERS_OF_BRANCHES = frozenset({"If", "Case"})
"""GE sorts their branches while it lowers them; other graphs keep the order of creation until the end."""


def lower(
    graph: ComputeGraph,
    options: LoweringOptions | None = None,
    ids: IdSource | None = None,
    converters: ConverterRegistry | None = None,
    see: See = ignore,
) -> ExecuteGraph:
    """Lower a model up to GE's stage ``ExeGraphBeforeOptimize``.

    The compute graph is read, never changed. Names draw their numbers from ``ids``, a new count when None. Gives ROOT
    with the nodes Init, DeInit and Main, in this order; nodes stand in order of creation, which says nothing about the
    order of execution (spec/lowering.md 12.30).

    Raises ModelError naming the node when it has no converter, an input that nothing feeds, or a model that its
    converter refuses; when a graph has not exactly one NetOutput, and when its edges form a circle.
    """
    check_model(graph)
    options = options or LoweringOptions()
    streams = plan_streams(graph, options)
    frame = lay_out(ids or IdSource(), streams.reusable, streams.attached)
    context = LoweringContext(graph, frame.holders, frame.selector, frame.skeleton, options, see)
    net_output = net_output_of(graph)
    with frame.holders.frame(frame.main):
        stages = lower_stream_resources(context, streams)
        outputs = GraphWalk(context, converters or builtin_converters()).lower_graph(graph)
        end = _end_main(frame, outputs)
    see(BEFORE_STAGES, frame.main)
    flatten(stages, end)
    root = frame.holders.root
    for owner in [node for node in root.all_nodes() if node.type in _OWNERS_OF_BRANCHES]:
        for branch in owner.subgraphs[1:]:
            sort_nodes(branch, options.topo_sorting_mode)
    root.compute_graph = graph
    root.attrs[MODEL_DESC] = describe_model(graph, net_output, streams)
    require_legal(root)
    return root


def _end_main(frame: Frame, outputs: LowerResult) -> FastNode:
    """Write NetOutput and give it: it takes what the caller gets, and waits for whatever must have run.

    As in GE, it belongs to the operator that was lowered last, which need not be the model's NetOutput.
    """
    holders = frame.holders
    end = holders.void("NetOutput", *outputs.addresses, name="NetOutput")
    for done in outputs.order_holders:
        holders.order(done, end)
    feeding = [source for source, _ in filter(None, end.node.inputs)] + [edge.source for edge in end.node.in_control]
    for last in frame.selector.last_nodes:
        for before in feeding:
            holders.order(ValueHolder(before, -1), ValueHolder(last, -1))
        holders.order(ValueHolder(last, -1), end)
    return end.node
