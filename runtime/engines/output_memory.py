"""Memory of an operator's outputs: that of an input it writes in place, that of a variable, or its own.

If each engine allocated by itself, an operator that updates its input would update a copy that nobody reads.

Source: spec/lowering.md 2.5 (AllocOutputMemory).
"""

from collections.abc import Mapping, Sequence

from getrace.errors import ModelError
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput
from runtime.engines.ir_inputs import input_name, output_name
from runtime.engines.memory import allocate_output, tensor_size
from runtime.engines.variables import split_variable
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

REFERENCE_ATTR = "reference"
"""Outputs of the operator that carry the name of an input are that input."""


def output_sizes(context: LoweringContext, node: ComputeNode, shapes: Sequence[ValueHolder]) -> list[ValueHolder]:
    """Bytes of each output, aligned."""
    return [tensor_size(context, desc, shape) for desc, shape in zip(node.op.outputs, shapes, strict=True)]


def output_addresses(
    node: ComputeNode,
    lowered: LowerInput,
    sizes: Sequence[ValueHolder],
    placement: Placement = Placement.DEVICE_HBM,
) -> list[ValueHolder]:
    """Give an address per output. An output that is both an input and a variable takes the input's.

    Raises ModelError when an output refers to an input that nothing feeds.
    """
    context = lowered.context
    references = referenced_inputs(node)
    addresses: list[ValueHolder] = []
    for index, size in enumerate(sizes):
        variable = node.op.outputs[index].variable
        if index in references:
            addresses.append(lowered.addresses[references[index]])
        elif variable:
            addresses.append(split_variable(context, variable, placement)[1])
        else:
            addresses.append(allocate_output(context, size, placement))
    return addresses


def referenced_inputs(node: ComputeNode) -> Mapping[int, int]:
    """Which outputs are inputs: output -> position among the inputs that are fed.

    Raises ModelError for one that nothing feeds.
    """
    if not node.op.attrs.get(REFERENCE_ATTR):
        return {}
    names = {input_name(node, slot): slot for slot in range(len(node.op.inputs))}
    fed = [slot for slot, source in enumerate(node.inputs) if source is not None]
    found: dict[int, int] = {}
    for index in range(len(node.op.outputs)):
        name = output_name(node, index)
        slot = names.get(name) if name else None
        if slot is None:
            continue
        if slot not in fed:
            raise ModelError(f"Node {node.name} output {index} '{name}' ref from unfed input", "feed the input")
        found[index] = fed.index(slot)
    return found
