"""The topological executors run GE's own execute graphs in the order of GE's logs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from rebuilt_graphs import rebuilt, traced_runs

from getrace.bus import Bus
from getrace.events import Level, Origin
from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import GraphExecutor
from runtime.executors.graph_builder import GraphBuilder
from runtime.executors.options import ExecutorKind, ExecutorOption
from runtime.executors.topological import run_plain
from runtime.kernels.context import KernelContext
from runtime.kernels.control import KERNELS as CONTROL
from runtime.kernels.machine import Machine
from runtime.kernels.registry import Kernel, KernelRegistry
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.ops.builtin import builtin_ops
from runtime.subscribers.phase import GraphType

DECIDES = {"GenIndexForIf": 0, "GenIndexForCase": 0, "GenCondForWhile": 0}


def machine() -> Machine:
    device = Device(find_profile("tiny"), seed=0, start_ns=0)
    journal = Journal(Bus(now=device.clock.stamp, levels={"GE": Level.ERROR}), Origin(1, "test", 1))
    return Machine(device, journal, ProcessMemory(device, journal), builtin_ops())


class Standins(KernelRegistry):
    """The real kernels of control flow; every other type notes its name, those that decide do as told."""

    def __init__(self, ran: list[str], decisions: Iterator[int]) -> None:
        super().__init__()
        self._ran = ran
        self._decisions = decisions
        self._real = {kernel.type: kernel for kernel in CONTROL if kernel.type not in DECIDES}

    def find(self, kernel_type: str, node: str) -> Kernel:
        real = self._real.get(kernel_type)

        def run(context: KernelContext) -> int:
            self._ran.append(node)
            if kernel_type in DECIDES:
                context.set(0, next(self._decisions))
            return 0 if real is None else real.run(context)

        return Kernel(kernel_type, run)


ORDERS = [
    ("TruthCtrl.if_toggle_4steps", None, [0, 1, 0, 1]),
    ("TruthCtrl.if_toggle_priority", ExecutorKind.PRIORITY, [0, 1, 1]),
    ("TruthCtrl.while_counts_0_1_5", None, [1, 1, 1, 1, 1, 0, 1, 0, 0]),
    ("CtrlOpST.WhileOpWithXBody", None, [1, 0]),
    ("CtrlOpST.CaseOp_ExecuteCorrectBranch_Branch0", None, [0, 0]),
    ("ZeroCopyST.ZeroCopy_If", None, [0, 0]),
    ("TilingCacheSt.PriorityTopologicalExecute_Ok_SameStorageShapeMissCache", ExecutorKind.PRIORITY, [1, 1]),
    ("TruthSingleStream.chain4_topological", ExecutorKind.TOPOLOGICAL, []),
    ("TruthSingleStream.chain4_priority", ExecutorKind.PRIORITY, []),
]


@pytest.mark.real
@pytest.mark.parametrize(("case", "kind", "decisions"), ORDERS)
def test_kernels_run_in_the_order_of_the_log(
    cases: Path, case: str, kind: ExecutorKind | None, decisions: list[int]
) -> None:
    root = rebuilt(cases, case, "ExecuteGraphAfterSplit")
    ran: list[str] = []
    builder = GraphBuilder(root, machine(), Standins(ran, iter(decisions)), Cells(root))
    executor = GraphExecutor(builder.build(root.owned_by("Main"), GraphType.MAIN, ExecutorOption(kind)))
    steps = traced_runs(cases, case)[1:-1]
    for step in steps:
        assert executor.data.topology is not None
        assert run_plain(executor.data.plan, executor.data.topology) == 0
        assert ran == step
        ran.clear()
