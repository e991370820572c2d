"""The topological executors run GE's own execute graphs in the order of GE's logs."""

from pathlib import Path

import pytest
from rebuilt_graphs import rebuilt, traced_runs
from standin_kernels import Standins, bare_machine

from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import GraphExecutor
from runtime.executors.graph_builder import GraphBuilder
from runtime.executors.options import ExecutorKind, ExecutorOption
from runtime.executors.topological import run_plain
from runtime.subscribers.phase import GraphType

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
    kernels = Standins(decisions)
    builder = GraphBuilder(root, bare_machine(), kernels, Cells(root))
    executor = GraphExecutor(builder.build(root.owned_by("Main"), GraphType.MAIN, ExecutorOption(kind)))
    steps = traced_runs(cases, case)[1:-1]
    for step in steps:
        assert executor.data.topology is not None
        assert run_plain(executor.data.plan, executor.data.topology) == 0
        assert [name for _, name in kernels.take()] == step
