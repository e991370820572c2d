"""What a launch needs written beforehand: shapes, the workspace and addresses, in this order.

It owns the chain of orders between the three. Each of them edits the same argument block on the host; an address
written before the shapes would be copied to the device without them.

Source: spec/lowering.md 4.5.
"""

from dataclasses import dataclass

from runtime.engines.aicpu.arguments import Arguments
from runtime.engines.aicpu.optional_inputs import DeclaredInputs
from runtime.engines.aicpu.outputs import Outputs
from runtime.engines.aicpu.shape_class import any_unknown
from runtime.engines.context import LoweringContext
from runtime.engines.memory import allocate_output
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder

WORKSPACE_TYPE_ATTR = "_aicpu_workspace_type"
WORKSPACE_SIZE_ATTR = "workspace_bytes"
CUST_LOG = 0
"""``AicpuWorkSpaceType``: the buffer that a user's kernel logs into."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """The log buffer and the kernel that tells the extended information of it."""

    address: ValueHolder
    told: ValueHolder


def write_workspace(context: LoweringContext, node: ComputeNode, ext_info: ValueHolder) -> Workspace | None:
    """Allocate the log buffer of an operator that has one.

    Where types and sizes of workspaces do not pair, nobody knows which one is the log; GE goes on without it.
    """
    size = _log_bytes(node)
    if size <= 0:
        return None
    holders = context.holders
    size_holder = holders.const(size)
    address = allocate_output(context, size_holder)
    told = holders.single("UpdateExtWorkSpaceInfo", size_holder, address, ext_info)
    holders.order(address, told)
    return Workspace(address, told)


def write_update(
    context: LoweringContext,
    node: ComputeNode,
    arguments: Arguments,
    inputs: DeclaredInputs,
    outputs: Outputs,
    workspace: Workspace | None,
) -> ValueHolder:
    """Write shapes and addresses; gives the kernel a launch must wait for."""
    told = update_ext_shape(context, node, arguments.ext_info, inputs.shapes, outputs.shapes)
    addresses = context.holders.single("UpdateAicpuIoAddr", arguments.args, *inputs.addresses, *outputs.addresses)
    if inputs.first_address is not None:
        context.holders.order(inputs.first_address, addresses)
    if told is not None:
        if inputs.first_shape is not None:
            context.holders.order_if_possible(inputs.first_shape, told)
        if workspace is not None:
            context.holders.order(workspace.told, told)
        context.holders.order(told, addresses)
    return addresses


def update_ext_shape(
    context: LoweringContext,
    node: ComputeNode,
    ext_info: ValueHolder,
    in_shapes: list[ValueHolder],
    out_shapes: list[ValueHolder],
) -> ValueHolder | None:
    """Write shapes into the extended information; None for an operator whose shapes the model knows."""
    if not any_unknown(node.op):
        return None
    holders = context.holders
    counts = [holders.const(len(in_shapes)), holders.const(len(out_shapes))]
    return holders.single("UpdateExtShape", ext_info, *counts, context.stream, *in_shapes, *out_shapes)


def _log_bytes(node: ComputeNode) -> int:
    types, sizes = node.op.attrs.get(WORKSPACE_TYPE_ATTR), node.op.attrs.get(WORKSPACE_SIZE_ATTR, ())
    if not isinstance(types, tuple):
        return 0
    pairs = sizes if isinstance(sizes, tuple) else (sizes,)
    if len(types) != len(pairs):
        return 0
    found = [size for kind, size in zip(types, pairs, strict=True) if kind == CUST_LOG]
    return found[0] if found and isinstance(found[0], int) else 0
