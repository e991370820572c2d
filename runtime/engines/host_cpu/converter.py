"""The host CPU converter: an operator is computed by the host, on tensors in host memory.

It owns who waits for whom. The computation is no order holder: what consumers wait for is the identity of each address
behind it, and what is handed on are the orders of the inputs.

Source: spec/lowering.md 4.6.
"""

from runtime.engines.aicpu.arguments import AicpuOperator, host_arguments
from runtime.engines.aicpu.optional_inputs import declared_inputs, input_count
from runtime.engines.aicpu.outputs import allocation_shapes
from runtime.engines.aicpu.task import HOST_ENGINE, read_task
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.host_cpu.compute import Computation, call_function, call_library
from runtime.engines.host_cpu.fused import FUSED_TYPE, compute_fused, prepare_fused
from runtime.engines.host_cpu.host_functions import has_host_function
from runtime.engines.host_cpu.memory import host_outputs
from runtime.engines.memory import at, release_after
from runtime.engines.output_memory import output_sizes
from runtime.engines.session import session_id
from runtime.graph.compute_graph import KERNEL, ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement


def convert_host_cpu(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an operator of the host. Raises ModelError when its compile result or its fused library is missing."""
    context = lowered.context
    task = read_task(node, KERNEL, "Cannot find host AI cpu taskdef.")
    op = AicpuOperator(node, HOST_ENGINE, task, input_count(node, lowered))
    arguments = host_arguments(context, op, session_id(context))
    state = prepare_fused(node, lowered) if node.type == FUSED_TYPE else None
    shapes = allocation_shapes(node, lowered)
    addresses = host_outputs(node, lowered, output_sizes(context, node, shapes))
    if state is not None:
        computed = compute_fused(lowered, state, shapes, addresses)
        release_after(context, lowered.addresses, computed[0])
        return LowerResult(shapes, computed)
    inputs = declared_inputs(node, lowered, Placement.HOST)
    computation = Computation(node, inputs, len(lowered.shapes), shapes, addresses)
    found = has_host_function(node.type)
    done = call_function(context, computation) if found else call_library(context, computation, arguments)
    for first in (inputs.first_shape, inputs.first_address):
        if first is not None:
            context.holders.order_if_possible(first, done)
    results = _identities(context, addresses, done)
    release_after(context, lowered.addresses, done)
    return LowerResult(shapes, results)


def _identities(context: LoweringContext, addresses: list[ValueHolder], done: ValueHolder) -> list[ValueHolder]:
    """The same addresses again, behind the computation: whoever reads one of these comes after it."""
    results = []
    for address in addresses:
        identity = context.holders.single("IdentityAddr", address)
        results.append(at(identity, address.placement, context.stream_id))
    for identity in results:
        context.holders.order(done, identity)
    return results
