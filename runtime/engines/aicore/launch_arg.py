"""The argument block of a launch: how large it may become, and the kernel that reserves it.

Source: spec/lowering.md 4.1 (1).
"""

from enum import IntEnum

from runtime.engines.context import LoweringContext
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import ArgsInfosDesc, NodeDesc


class LaunchArgOutput(IntEnum):
    """Outputs of AllocLaunchArg."""

    HOLDER = 0
    RT_ARG = 1
    ARGS_BASE = 2
    TILING_DATA_BASE = 3


def alloc_launch_arg(context: LoweringContext, inputs: int, outputs: int, max_tiling_data: int) -> ValueHolder:
    """Reserve the block of a launch; gives the argument that tiling writes through."""
    description = context.holders.const(NodeDesc(inputs, outputs, max_tiling_data=max_tiling_data))
    arguments = context.holders.const(ArgsInfosDesc(inputs, outputs))
    return context.holders.many("AllocLaunchArg", len(LaunchArgOutput), description, arguments)[LaunchArgOutput.RT_ARG]
