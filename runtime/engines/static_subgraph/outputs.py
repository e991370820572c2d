"""Where the outputs of a static model lie: in an input, in the model's own memory, or in memory of the step.

If the kernel that runs the model got a fresh block for each output, a constant would be copied to where nobody wrote
it, and an output that is an input would lose its bytes.

Source: spec/lowering.md 4.9.
"""

from collections.abc import Mapping, Sequence

from runtime.engines.context import LoweringContext
from runtime.engines.memory import allocate, at
from runtime.engines.output_memory import referenced_inputs
from runtime.engines.static_subgraph.model import ModelOutput
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import RunAddress
from runtime.values import Placement

_ALIGNMENT = 32


def output_size(output: ModelOutput) -> int:
    """Bytes to allocate for an output: rounded up to 32, and 32 behind them."""
    desc = output.producer.op.outputs[output.index]
    size = (desc.storage.elements * desc.dtype.bits + 7) // 8
    return -(-size // _ALIGNMENT) * _ALIGNMENT + _ALIGNMENT


def place_outputs(
    context: LoweringContext,
    model: ValueHolder,
    updated: ValueHolder | None,
    outputs: Sequence[ModelOutput],
    inputs: Mapping[ComputeNode, ValueHolder],
) -> tuple[list[ValueHolder], list[ValueHolder]]:
    """Give an address per output, and those of them that the step owns and has to free."""
    found: dict[int, ValueHolder] = {}
    inside = [position for position, output in enumerate(outputs) if output.producer.type == "Const"]
    if inside:
        asked = [RunAddress(0, outputs[position].offset or 0, position) for position in inside]
        found.update(zip(inside, _run_addresses(context, model, updated, asked), strict=True))
    for position, output in enumerate(outputs):
        source = _written_input(output.producer, output.index)
        if source in inputs:
            found[position] = inputs[source]
    new = [position for position in range(len(outputs)) if position not in found]
    first = {position: _first_at(outputs, new, position) for position in new}
    owned = [position for position in new if first[position] == position]
    sizes = [context.holders.const(output_size(outputs[position])) for position in owned]
    found.update({position: allocate(context, size) for position, size in zip(owned, sizes, strict=True)})
    addresses = [found[first.get(position, position)] for position in range(len(outputs))]
    return addresses, [found[position] for position in owned]


def _written_input(node: ComputeNode, index: int) -> ComputeNode:
    """Who made the memory of an output: operators that write to an input in place did not."""
    slot = referenced_inputs(node).get(index)
    source = node.inputs[slot] if slot is not None else None
    return node if source is None else _written_input(*source)


def _first_at(outputs: Sequence[ModelOutput], new: Sequence[int], position: int) -> int:
    """The first output that lies where this one does."""
    mine = outputs[position]
    same = (
        other
        for other in new
        if outputs[other].producer is mine.producer
        and outputs[other].index == mine.index
        and outputs[other].offset == mine.offset
    )
    return next(same)


def _run_addresses(
    context: LoweringContext, model: ValueHolder, updated: ValueHolder | None, asked: Sequence[RunAddress]
) -> list[ValueHolder]:
    """Addresses of constants inside the model, asked for by their offset once the model knows its memory."""
    holders = context.holders
    stream_id = holders.const(context.stream_id)
    offsets = [holders.const(address) for address in asked]
    addresses = holders.many("DavinciModelGetRunAddress", len(asked), model, stream_id, *offsets)
    if updated is not None:
        holders.order(updated, addresses[0])
    return [at(address, Placement.DEVICE_HBM, context.stream_id) for address in addresses]
