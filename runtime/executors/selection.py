"""Which executor a graph gets (spec/execution.md 2.2)."""

from collections.abc import Iterable
from typing import Final

from runtime.executors.node_class import NodeClass, class_of
from runtime.executors.options import ExecutorKind
from runtime.graph.execute_graph import FastNode

_LAUNCHES_FOR_PRIORITY: Final = 5

LAUNCH_TYPES: Final = frozenset(
    {
        "LaunchKernelWithHandle",
        "LaunchMixKernelWithHandle",
        "LaunchKernelWithFlag",
        "LaunchMixKernelWithFlag",
        "AtomicLaunchKernelWithFlag",
        "AtomicLaunchKernelWithHandle",
        "AicpuLaunchTfKernel",
        "AicpuLaunchCCKernel",
        "StarsTaskLaunchKernel",
        "LaunchFFTSPlusTask",
        "LaunchFFTSPlusTaskNoCopy",
        "LaunchHcomKernel",
        "DavinciModelExecute",
        "ExecuteOpFunc",
        "ExecuteOpLaunch",
        "ExecuteCustomOp",
        "ExecuteCustomOpWithInferShape",
    }
)
"""``IsLaunchNode``."""


def select(nodes: Iterable[FastNode]) -> ExecutorKind:
    """Choose for a graph by all its nodes, those of the graphs below it included."""
    launches, straight = 0, True
    for node in nodes:
        launches += node.type in LAUNCH_TYPES
        straight = straight and class_of(node) is not NodeClass.CONTROL_FLOW
    if straight:
        return ExecutorKind.SEQUENTIAL
    return ExecutorKind.PRIORITY if launches >= _LAUNCHES_FOR_PRIORITY else ExecutorKind.TOPOLOGICAL
