"""The computation of a host operator: a function that was found for its type, else the kernel of the AI CPU library.

Source: spec/lowering.md 4.6 (Compute).
"""

from dataclasses import dataclass

from runtime.engines.aicpu.arguments import Arguments
from runtime.engines.aicpu.optional_inputs import DeclaredInputs
from runtime.engines.aicpu.shape_class import tells_range, tells_result
from runtime.engines.aicpu.task import HOST_ENGINE
from runtime.engines.aicpu.update import update_ext_shape
from runtime.engines.context import LoweringContext
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads_aicpu import HostFunction


@dataclass(frozen=True, slots=True)
class Computation:
    """``inputs`` as the kernel counts them; ``fed`` is how many of them somebody feeds."""

    node: ComputeNode
    inputs: DeclaredInputs
    fed: int
    shapes: list[ValueHolder]
    addresses: list[ValueHolder]


def call_function(context: LoweringContext, computation: Computation) -> ValueHolder:
    """Call the function of a type; what it gives are the shapes and addresses that were made before it."""
    holders, inputs = context.holders, computation.inputs
    function = holders.const(HostFunction(computation.node.type))
    made = [*computation.shapes, *computation.addresses]
    outputs = holders.many("AicpuHostExecFunc", len(made), *inputs.shapes, *inputs.addresses, function)
    for output, source in zip(outputs, made, strict=True):
        output.node.output_refs[output.index] = (source.node.name, source.index)
        context.holders.order_if_possible(source, output)
    return outputs[0]


def call_library(context: LoweringContext, computation: Computation, arguments: Arguments) -> ValueHolder:
    """Run the kernel of the AI CPU library on the host; gives the kernel behind which the result is there."""
    holders, inputs, node = context.holders, computation.inputs, computation.node
    told = update_ext_shape(context, node, arguments.ext_info, inputs.shapes, computation.shapes)
    compute = holders.single("AicpuHostCompute", arguments.args, *inputs.addresses, *computation.addresses)
    if told is not None:
        if inputs.first_shape is not None:
            context.holders.order_if_possible(inputs.first_shape, told)
        holders.order(told, compute)
    if tells_range(node):
        _read_back(context, computation, arguments.ext_info, compute)
    if tells_result(node):
        wait = holders.void("SyncStream", context.stream)
        holders.order(compute, wait)
        return wait
    return compute


def _read_back(context: LoweringContext, computation: Computation, ext_info: ValueHolder, compute: ValueHolder) -> None:
    """Read shapes back after a third-class operator: as many as it has inputs, which is GE's slip, kept here."""
    engine = context.holders.const(HOST_ENGINE)
    for shape in context.holders.many("GetExtOutputShapes", computation.fed, ext_info, engine):
        context.holders.order(compute, shape)
