"""While: a graph that decides, a graph that is the body, and the kernels that send the loop round or out.

It owns the values that go round. Output k of the node is input k of it, written over by each turn; an output that
arrived in another place would be read by the next turn as what it is not.

Source: spec/lowering.md 4.12 (While, StatelessWhile).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from getrace.errors import ModelError
from runtime.engines.contract import Converter, LowerInput, LowerResult
from runtime.engines.control_flow.subgraph_ends import Outer, ends_of, pass_on
from runtime.engines.cross_stream import access_from
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.execute_graph import FastNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

COND_STAGE, BODY_STAGE = "LowerWhile_CondGraph", "LowerWhile_BodyGraph"
"""Stages GE dumps while it lowers a loop: the one graph that was just finished."""

_SIGNAL, _BODY, _EXIT = range(3)
"""Outputs of CondSwitchNotify."""


def convert_while(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a loop. Raises ModelError when the node does not own two graphs or gives not as much as it takes."""
    count = len(lowered.shapes)
    if len(node.subgraphs) != 2:
        raise ModelError(
            f"node {node.name} of type {node.type} owns {len(node.subgraphs)} graphs",
            "a loop owns two: condition, body",
        )
    if len(node.op.outputs) != count:
        raise ModelError(
            f"node {node.name} takes {count} values and gives {len(node.op.outputs)}",
            "each value that goes round is an input and the output of the same number",
        )
    holders = lowered.context.holders
    shapes, addresses = pass_on(holders, lowered.shapes, lowered.addresses)
    outputs = holders.many("While", 2 * count, *shapes, *addresses)
    owner = outputs[0].node
    for index, value in enumerate((*shapes, *addresses)):
        owner.output_refs[index] = (value.node.name, value.index)
    for address, source in zip(outputs[count:], addresses, strict=True):
        address.placement, address.stream_id = source.placement, source.stream_id
        holders.guarder("FreeMemory", address)
    turn = _Loop(node, lowered, owner, Outer(addresses))
    turn.write_control()
    turn.write_body()
    return LowerResult(outputs[:count], outputs[count:], outputs[:1])


@dataclass(frozen=True, slots=True)
class _Loop:
    """A While node of the execute graph and what its graphs read."""

    node: ComputeNode
    lowered: LowerInput
    owner: FastNode
    outer: Outer

    def write_control(self) -> None:
        """Write graph 0: wait for the entry or a turn, ask the condition, wake the body or leave."""
        holders = self.lowered.context.holders
        with holders.frame(holders.subgraph(self.owner, "control_frame")):
            values = [holders.inner_data(index) for index in range(len(self.owner.in_data))]
            enter, wait = holders.void("Enter"), holders.void("WaitAnyone")
            holders.order(enter, wait)
            asked = holders.many("SubgraphCall", 2, *values)
            holders.order(wait, asked[0])
            self._write_condition(asked[0].node)
            notify = holders.many("CondSwitchNotify", 3, *asked)
            notify[_SIGNAL].node.attrs["_request_watcher"] = True
            holders.void("WatcherPlaceholder", notify[_SIGNAL])
            pivot, done = holders.void("BranchPivot", notify[_BODY]), holders.void("BranchDone")
            holders.order(pivot, done)
            holders.void("Exit", notify[_EXIT])

    def _write_condition(self, call: FastNode) -> None:
        context = self.lowered.context
        with context.holders.frame(context.holders.subgraph(call, "control_frame")):
            pivot, done = context.holders.void("BranchPivot"), context.holders.void("BranchDone")
            context.holders.order(pivot, done)
        graph = context.holders.subgraph(call, "f")
        with context.holders.frame(graph):
            end = Converter("_lower_while_cond_output", Placement.HOST, _give_condition)
            result = self.lowered.walk.lower_graph(self.node.subgraphs[0], ends_of(self.outer, end))
            context.holders.export(result.addresses)
        context.see(COND_STAGE, graph)

    def write_body(self) -> None:
        """Write graph 1: one turn."""
        context = self.lowered.context
        graph = context.holders.subgraph(self.owner, "body")
        with context.holders.frame(graph):
            end = Converter("_lower_while_body_output", Placement.DEVICE_HBM, self._give_turn, moves_streams=True)
            result = self.lowered.walk.lower_graph(self.node.subgraphs[1], ends_of(self.outer, end))
            given, wanted = len(result.shapes), len(self.outer.addresses)
            if given != wanted:
                raise ModelError(
                    f"the body of node {self.node.name} gives {given} values of {wanted}",
                    "the NetOutput of the body has one input per input of the loop",
                )
            context.holders.export([*result.shapes, *result.addresses])
        context.see(BODY_STAGE, graph)

    def _give_turn(self, node: ComputeNode, lowered: LowerInput) -> LowerResult:
        """Lower the body's NetOutput: the values of the next turn take the places of this one's, all at once."""
        del node
        context, count = lowered.context, len(lowered.shapes)
        if not count:
            return LowerResult()
        shapes = lowered.shapes
        addresses = access_from(context, lowered.addresses, context.stream_of(self.node))
        if _crossed([*shapes, *addresses]):
            shapes, addresses = pass_on(context.holders, shapes, addresses)
            for address in addresses:
                context.holders.guarder("FreeMemory", address)
        turned = context.holders.many("IdentityShapeAndAddr", 2 * count, *shapes, *addresses)
        for value, before in zip(turned[count:], addresses, strict=True):
            value.placement, value.stream_id = before.placement, before.stream_id
        return LowerResult(turned[:count], turned[count:], turned[:1])


def _give_condition(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower the condition's NetOutput to one bool. Raises ModelError when the graph gives nothing."""
    if not lowered.shapes:
        raise ModelError(f"the condition graph of node {node.name} gives nothing", "its NetOutput has one input")
    holders = lowered.context.holders
    dtype = holders.const(node.op.inputs[0].dtype)
    condition = holders.single("GenCondForWhile", lowered.addresses[0], lowered.shapes[0], dtype)
    return LowerResult([], [condition])


def _crossed(values: Sequence[ValueHolder]) -> bool:
    """Whether a value of the next turn is another value of this one, which would be gone before it is read."""
    return any(value.node.type == "InnerData" and value.node.attrs["index"] != k for k, value in enumerate(values))
