"""Memory of a host operator's outputs.

A small tensor gets memory from a kernel that reads the operator's inputs, too: then memory and computation stay
together wherever a pass moves them. If only one of them were moved to Init, a run would write into memory that another
run reads.

Source: spec/lowering.md 4.6.
"""

from runtime.engines.allocators import allocator
from runtime.engines.contract import LowerInput
from runtime.engines.memory import at
from runtime.engines.output_memory import output_addresses, referenced_inputs
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

SMALL_SHAPE_ATTR = "SmallShapeHostcpu"


def host_outputs(node: ComputeNode, lowered: LowerInput, sizes: list[ValueHolder]) -> list[ValueHolder]:
    """Addresses of the outputs on the host; one that refers to an input is that input's address."""
    if not node.op.attrs.get(SMALL_SHAPE_ATTR, False):
        return output_addresses(node, lowered, sizes, Placement.HOST)
    referred = referenced_inputs(node)
    return [
        lowered.addresses[referred[output]] if output in referred else _small(lowered, size)
        for output, size in enumerate(sizes)
    ]


def _small(lowered: LowerInput, size: ValueHolder) -> ValueHolder:
    context = lowered.context
    source = allocator(context, Placement.HOST)
    kernel = "AllocHostCpuOutputMemory"
    address = context.holders.single(kernel, size, source, *lowered.shapes, *lowered.addresses)
    return at(address, Placement.HOST, context.stream_id)
