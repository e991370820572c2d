"""An operator whose tiling may fail at run time: then another engine computes it, or the run fails.

Source: spec/lowering.md 4.1 (6).
"""

from runtime.engines.aicore.core_launch import Launched, OnCore, launch_tiled
from runtime.engines.aicore.tiling import tile
from runtime.engines.aicore.tiling_outputs import TilingOutput
from runtime.engines.control_flow.branch import if_else
from runtime.engines.output_memory import output_addresses, output_sizes
from runtime.graph.value_holder import ValueHolder

FALL_BACK_LIBRARY_ATTR = "aicpu_kernel_lib_name"
FALL_BACK_TASK = "KERNEL_EX"
"""Task type of the kernel on the AI CPU that takes over."""

_FALL_BACK_CONVERTER = "aicpu_tf_kernel"


def launch_or_fall_back(op: OnCore) -> Launched:
    """Write a tiling that tells whether it went well, and a branch for each answer."""
    context = op.lowered.context
    tiled = tile(op.node, op.lowered, op.compiled, op.shapes, op.rt_arg, fallible=True)
    addresses = if_else(
        context, tiled[TilingOutput.STATUS], lambda: launch_tiled(op, tiled).addresses, lambda: _fall_back(op)
    )
    return Launched(op.shapes, addresses, addresses[:1])


def _fall_back(op: OnCore) -> list[ValueHolder]:
    """Lower the operator for the AI CPU; without a task there, memory nobody fills and a kernel that fails the run.

    The memory is reserved in both cases, as in GE.
    """
    node, lowered = op.node, op.lowered
    context = lowered.context
    addresses = output_addresses(node, lowered, output_sizes(context, node, op.shapes))
    if FALL_BACK_TASK not in node.op.tasks:
        context.holders.void("ReportRollbackError", *lowered.addresses)
        return addresses
    return lowered.walk.lower_as(_FALL_BACK_CONVERTER, node, lowered).addresses
