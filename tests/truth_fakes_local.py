"""Operators that GE's tests lower themselves, in suites about placements, sessions and variables.

Each is a converter of the test, not of GE: what it writes is given here so that the copies around it can be compared.
"""

from runtime.engines.allocators import allocator, l2_allocator
from runtime.engines.contract import Converter, LowerInput, LowerResult
from runtime.engines.infer_shape import infer_storage_shapes
from runtime.engines.memory import allocate_output, tensor_size
from runtime.graph.compute_graph import ComputeNode
from runtime.values import Placement


def _on_host(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """An operator of the host that is one kernel: it reads addresses and writes to memory it is given."""
    context = lowered.context
    (shape,) = infer_storage_shapes(context, node, lowered.shapes)
    output = allocate_output(context, tensor_size(context, node.op.outputs[0], shape), Placement.HOST)
    count = context.holders.const(len(lowered.addresses) + 1)
    done = context.holders.single("HostComputeKernelFaker", count, *lowered.addresses, output)
    return LowerResult([shape], [output], [done])


def _on_device(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """An operator of the device of which only the memory is there."""
    context = lowered.context
    (shape,) = infer_storage_shapes(context, node, lowered.shapes)
    return LowerResult([shape], [allocate_output(context, tensor_size(context, node.op.outputs[0], shape))])


def _session_id(_: ComputeNode, lowered: LowerInput) -> LowerResult:
    """An operator that gives the number of the session for an address."""
    context = lowered.context
    return LowerResult(lowered.shapes, [context.holders.single("GetTestSessionId", context.skeleton.rt_session)])


def _add_variables(_: ComputeNode, lowered: LowerInput) -> LowerResult:
    """An operator that is a launch with three inputs: its second input, memory of eight bytes, the stream."""
    context, holders = lowered.context, lowered.context.holders
    size = holders.const(8)
    output = holders.single("AllocMemHbm", l2_allocator(context), size)
    holders.guarder("FreeMemory", output)
    launched = holders.void("LaunchKernelWithHandle", lowered.addresses[1], output, context.stream)
    return LowerResult(lowered.shapes[:1], [output], [launched])


def _shape_in_branch(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Shape as a branch of a test has it: one kernel that gives shape and address."""
    context, holders = lowered.context, lowered.context.holders
    name = holders.const(node.type)
    memory = allocator(context, Placement.HOST)
    shape, address = holders.many(
        "FakeExecuteNode", 2, name, context.stream, memory, *lowered.shapes, *lowered.addresses
    )
    address.placement = Placement.HOST
    holders.guarder("FreeMemory", address)
    return LowerResult([shape], [address], [shape])


PLACED = (
    Converter("host_cpu_kernel_stub", Placement.HOST, _on_host),
    Converter("device_cpu_kernel_stub", Placement.DEVICE_HBM, _on_device),
)
SESSION = (Converter("Foo", None, _session_id),)
VARIABLES = (Converter("_lower_add", None, _add_variables),)
SHAPES = (Converter("Shape", None, _shape_in_branch),)
