"""The graph converter: walks a compute graph and lets a converter write the kernels of each node.

It owns the walk, the inputs each converter gets and the orders between results. A converter that fetched its inputs
itself would have to know which order holders its producers left.

Source: spec/lowering.md 2.2 (1 to 5) and 2.3. What follows in GE (the passes, the sorting, the serialisation) works on
the graph this room gives and is not part of it.
"""

from getrace.errors import ModelError
from runtime.engines.builtin import builtin_converters
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.options import LoweringOptions
from runtime.engines.placed_result import PlacedResult
from runtime.engines.registry import ConverterRegistry
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.naming import IdSource
from runtime.graph.value_holder import HolderFactory, ValueHolder
from runtime.graph.verify import require_legal
from runtime.lowering.model_desc import describe_model
from runtime.lowering.skeleton import lay_out
from runtime.values import Placement

MODEL_DESC = "ModelDesc"
"""Attribute of ROOT that holds the ``ModelDesc`` record (spec/lowering.md 1.4)."""


def lower(
    graph: ComputeGraph,
    options: LoweringOptions | None = None,
    ids: IdSource | None = None,
    converters: ConverterRegistry | None = None,
) -> ExecuteGraph:
    """Lower a model for a single stream, up to GE's stage ``ExeGraphBeforeOptimize``.

    The compute graph is read, never changed. Names draw their numbers from ``ids``, a new count when None. Gives ROOT
    with the nodes Init, DeInit and Main, in this order; nodes stand in order of creation, which says nothing about the
    order of execution (spec/lowering.md 12.30).

    Raises ModelError naming the node when it has no converter, an input that nothing feeds, or a model that its
    converter refuses; and when the graph has not exactly one NetOutput.
    """
    net_output = _net_output(graph)
    frame = lay_out(ids or IdSource())
    context = LoweringContext(graph, frame.holders, frame.selector, frame.skeleton, options or LoweringOptions())
    with frame.holders.frame(frame.main):
        outputs = _lower_nodes(graph, context, converters or builtin_converters())[net_output]
        with frame.holders.working_on(net_output):
            end = frame.holders.void("NetOutput", *outputs.addresses, name="NetOutput")
        for done in outputs.order_holders:
            frame.holders.order(done, end)
    root = frame.holders.root
    root.compute_graph = graph
    root.attrs[MODEL_DESC] = describe_model(graph, net_output)
    require_legal(root)
    return root


def _net_output(graph: ComputeGraph) -> ComputeNode:
    found = graph.of_type(["NetOutput"])
    if len(found) != 1:
        raise ModelError(f"graph '{graph.name}' has {len(found)} NetOutput nodes", "a model ends in exactly one")
    return found[0]


def _lower_nodes(
    graph: ComputeGraph, context: LoweringContext, converters: ConverterRegistry
) -> dict[ComputeNode, LowerResult]:
    placed: dict[ComputeNode, PlacedResult] = {}
    for node in graph.nodes:
        converter = converters.find(node)
        lowered = _collect_inputs(node, context, placed, converter.placement)
        with context.holders.working_on(node):
            result = converter.convert(node, lowered)
        _order(context.holders, lowered.order_holders, result)
        placed[node] = PlacedResult(node, result)
    return {node: result.result for node, result in placed.items()}


def _collect_inputs(
    node: ComputeNode, context: LoweringContext, placed: dict[ComputeNode, PlacedResult], placement: Placement | None
) -> LowerInput:
    lowered = LowerInput(context)
    # Orders are a set that remembers its order: two inputs of one producer ask for the same one.
    orders: dict[ValueHolder, None] = {}
    for slot, source in enumerate(node.inputs):
        if source is None:
            if node.type == "Data":
                continue
            raise ModelError(f"input {slot} of node {node.name} is not connected", "feed it, or leave it out")
        producer, output = source
        tensor = _result_of(producer, node, placed).get(context, output, placement)
        lowered.shapes.append(tensor.shape)
        lowered.addresses.append(tensor.address)
        orders.update(dict.fromkeys(tensor.order_holders))
    for producer in node.control_inputs:
        orders.update(dict.fromkeys(_result_of(producer, node, placed).result.order_holders))
    lowered.order_holders = list(orders)
    return lowered


def _result_of(producer: ComputeNode, consumer: ComputeNode, placed: dict[ComputeNode, PlacedResult]) -> PlacedResult:
    if producer not in placed:
        raise ModelError(
            f"Failed to construct LowerInput for node {consumer.name}, because cannot find the lower result on input "
            f"node name:{producer.name}, type:{producer.type}, engine:{producer.op.engine}.",
            "add nodes to the graph in an order in which producers come first",
        )
    return placed[producer]


def _order(holders: HolderFactory, before: list[ValueHolder], result: LowerResult) -> None:
    """Hand orders on: through a node without kernels to wait for, else in front of those it has."""
    if not result.order_holders:
        result.order_holders = before
        return
    for waited_for in before:
        for waiting in result.order_holders:
            holders.order(waited_for, waiting)
