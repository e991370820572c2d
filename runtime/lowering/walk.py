"""The walk over the nodes of a compute graph: each gets its inputs where it wants them, and its converter is called.

It owns the results of all nodes and the orders between them. A converter that fetched its inputs itself would have to
know which order holders its producers left.

Source: spec/lowering.md 2.3.
"""

from getrace.errors import ModelError
from runtime.engines.context import LoweringContext
from runtime.engines.contract import Converter, Ends, LowerInput, LowerResult
from runtime.engines.cross_stream import access_from
from runtime.engines.placed_result import PlacedResult, Target
from runtime.engines.registry import LOWERING_FUNC_ATTR, ConverterRegistry
from runtime.engines.static_subgraph.converter import lower_static_model
from runtime.engines.static_subgraph.model import is_static_model, model_inputs
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.value_holder import HolderFactory, ValueHolder
from runtime.lowering.event_kernels import sync_events
from runtime.lowering.inputs import collect_inputs, raw_input
from runtime.lowering.model_check import net_output_of
from runtime.lowering.refusal import no_converter, no_inputs, not_lowered, refused_as
from runtime.values import Placement


class GraphWalk:
    """Walks a model and the graphs below it; nodes come in list order, producers first."""

    def __init__(self, context: LoweringContext, converters: ConverterRegistry) -> None:
        self._context = context
        self._converters = converters
        self._placed: dict[ComputeNode, PlacedResult] = {}

    def lower_graph(self, graph: ComputeGraph, ends: Ends | None = None) -> LowerResult:
        """Lower all nodes of a graph into the current frame; gives the result of its NetOutput.

        The frame is left with the last node as its operator: what ends the graph belongs to that one.
        """
        if is_static_model(graph):
            return self._lower_static(graph, ends)
        for node in graph.nodes:
            result = self._lower(node, ends)
            self._placed.setdefault(node, PlacedResult(node, result))
        return self._placed[net_output_of(graph)].result

    def _lower_static(self, graph: ComputeGraph, ends: Ends | None) -> LowerResult:
        """Lower a graph that runs as one model: its inputs, the model in the name of its owner, its end."""
        net_output, holders = net_output_of(graph), self._context.holders
        owner = graph.parent_node or net_output
        inputs = []
        for node in model_inputs(graph):
            self._placed[node] = PlacedResult(node, self._lower(node, ends))
            target = Target(Placement.DEVICE_HBM, self._context.stream_of(owner))
            inputs.append(self._placed[node].get(self._context, 0, target).address)
        holders.compute_node = owner
        ran = lower_static_model(self._context, graph, net_output, inputs)
        lowered = LowerInput(self._context, self, ran.shapes, ran.addresses, ran.order_holders)
        with holders.working_on(net_output):
            result = self._converter(net_output, ends).convert(net_output, lowered)
        _order(holders, lowered.order_holders, result)
        self._placed[net_output] = PlacedResult(net_output, result)
        return result

    def lower_as(self, name: str, node: ComputeNode, lowered: LowerInput) -> LowerResult:
        """Lower a node with the converter of a name. Raises ModelError when there is none."""
        return self._converters.named(name, node).convert(node, lowered)

    def result_of(self, node: ComputeNode) -> LowerResult:
        """Give the result of a node that was lowered before. Raises ModelError when it was not."""
        if node not in self._placed:
            raise ModelError(
                f"node {node.name} is asked for before it is lowered", "add it to the graph before its consumers"
            )
        return self._placed[node].result

    def stand_for(self, node: ComputeNode, source: ComputeNode) -> LowerResult:
        """Let all results of a node be those of another one, copies that were made of them included."""
        self._placed[node] = self._placed[source]
        return self._placed[source].result

    def raw_input(self, node: ComputeNode, slot: int, placement: Placement) -> tuple[ValueHolder, ValueHolder]:
        """Give an input of a node at a place as one raw tensor, and its address."""
        return raw_input(self._context, self._placed, node, slot, placement)

    def _lower(self, node: ComputeNode, ends: Ends | None) -> LowerResult:
        context = self._context
        with refused_as(no_converter, node):
            converter = self._converter(node, ends)
        with refused_as(no_inputs, node):
            lowered = collect_inputs(node, LowerInput(context, self), self._placed, converter.placement)
        with refused_as(not_lowered, node):
            context.holders.compute_node = node
            if not converter.moves_streams:
                lowered.addresses = access_from(context, lowered.addresses, context.stream_id)
            result = converter.convert(node, lowered)
            sync_events(context, node, result)
        _order(self._context.holders, lowered.order_holders, result)
        return result

    def _converter(self, node: ComputeNode, ends: Ends | None) -> Converter:
        own = ends.of(node) if ends is not None else None
        if own is not None and node.op.attrs.get(LOWERING_FUNC_ATTR, own.name) == own.name:
            return own
        return self._converters.find(node)


def _order(holders: HolderFactory, before: list[ValueHolder], result: LowerResult) -> None:
    """Hand orders on: through a node without kernels to wait for, else in front of those it has."""
    if not result.order_holders:
        result.order_holders = before
        return
    for waited_for in before:
        for waiting in result.order_holders:
            holders.order_if_possible(waited_for, waiting)
