"""Rows of the life of an execution (spec/kerneltrace.md 2, 8)."""

from getrace.events import markers as m
from getrace.plog.row import GE, MARK, RT2_2023, RT2_2026, Row, row

_BOTH = f"{RT2_2023} {RT2_2026}"

ROWS: tuple[Row, ...] = (
    row(
        m.ModelStart,
        " Start model tracing.",
        " Start model tracing.",
        dialects=_BOTH,
        scope=MARK,
        place=("executor_tracer.cc", 47, "OnExecuteEvent"),
    ),
    row(
        m.ModelEnd,
        " End model tracing.",
        " End model tracing.",
        dialects=_BOTH,
        scope=MARK,
        place=("executor_tracer.cc", 51, "OnExecuteEvent"),
    ),
    row(m.KernelEnd, "", "", dialects=_BOTH, place=("executor_tracer.cc", 64, "OnExecuteEvent")),
    row(
        m.ExecutorSelected,
        "Select executor type {executor:label} for graph {graph:some}",
        "Select executor type sequential-executor for graph Init_4",
        dialects=_BOTH,
        scope=GE,
        place=("graph_executor_builder.cc", 104, "Build"),
    ),
    row(
        m.NodesOrdered,
        "Read in graph nodes with priority re-order, graph name is {graph:some}",
        "Read in graph nodes with priority re-order, graph name is Main_30",
        dialects=_BOTH,
        scope=GE,
        place=("sequential_execution_data_builder.cc", 118, "Build"),
        fixed={"order": "with"},
    ),
    row(
        m.NodesOrdered,
        "Read in graph nodes without priority re-order, graph name is {graph:some}",
        "Read in graph nodes without priority re-order, graph name is Main_30",
        dialects=_BOTH,
        scope=GE,
        place=("sequential_execution_data_builder.cc", 122, "Build"),
        fixed={"order": "without"},
    ),
    row(
        m.KernelFailed,
        "kernel exec failed, kernel name: {name:label}, kernel type: {kernel_type:name}",
        "kernel exec failed, kernel name: InferShape_add1_60, kernel type: InferShape",
        scope=GE,
        place=("exec_task.cc", 161, "Execute"),
    ),
)
