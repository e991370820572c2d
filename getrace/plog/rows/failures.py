"""Rows of failures that GE words itself (spec/kerneltrace.md 7.3, 7.4) and of the scheduler's report (8)."""

from getrace.events import failures as f
from getrace.plog.codes import PARAM_INVALID
from getrace.plog.row import GE, RT2_2023, RT2_2026, Row, row
from getrace.plog.rows.worded import Words, worded

_BOTH = f"{RT2_2023} {RT2_2026}"
_EXECUTOR = "model_v2_executor.cc"
_HYBRID = "hybrid_model_rt_v2_executor.cc"

LIFE_CYCLE: Words = (
    ("Cannot load now, the model has been loaded(", "1)", (_EXECUTOR, 171, "Load")),
    ("Cannot unload now, the model state is not loaded(", "0)", (_EXECUTOR, 203, "UnLoad")),
    ("Failed to load init graph", "", (_EXECUTOR, 178, "Load")),
    ("Failed to execute init graph", "", (_EXECUTOR, 192, "Load")),
    ("Failed to unload init graph", "", (_EXECUTOR, 194, "Load")),
    ("Failed to load main graph", "", (_EXECUTOR, 196, "Load")),
    ("Failed to unload main graph", "", (_EXECUTOR, 211, "UnLoad")),
    ("Failed to load de-init graph", "", (_EXECUTOR, 213, "UnLoad")),
    ("Failed to execute de-init graph", "", (_EXECUTOR, 219, "UnLoad")),
    ("Failed to unload de-init graph", "", (_EXECUTOR, 221, "UnLoad")),
    ("Failed to execute model, you may need load model first", "", (_EXECUTOR, 231, "Execute")),
    ("Failed to execute, ", "inputs[1] is nullptr", (_EXECUTOR, 47, "CheckTensors")),
    (
        "Check model input num failed, ",
        "add overflow, input tensor num(1), append input num(4)",
        (_EXECUTOR, 70, "CheckModelInputsNum"),
    ),
    (
        "external_stream_allocator and external_event_allocator not allow only set one.",
        "",
        (_EXECUTOR, 115, "OccupyStreamResource"),
    ),
    (
        "Failed to prepare reusable ",
        "streams, num 2. Maybe streams not enough on device",
        (_EXECUTOR, 121, "OccupyStreamResource"),
    ),
    (
        "Session id [",
        "888] from load arg mismatch with created value [999], this scene is not supported.",
        (_EXECUTOR, 157, "InitRtVarManager"),
    ),
    ("[Get][ModelDesc] failed, model_desc is null.", "", (_EXECUTOR, 276, "Log")),
    ("Failed to lowering to execute graph", "", ("api.cc", 109, "Log")),
    ("Failed to load root model from model data", "", ("api.cc", 77, "Log")),
    ("Failed lowering compute graph ", "graph_1", ("model_converter.cc", 575, "Log")),
    (
        "Failed to lowering node ",
        "add1, reason Unexpected task defs count",
        ("graph_converter.cc", 801, "Log"),
    ),
    ("Failed to find exec node [", "add1] kernel funcs", ("sequential_execution_data_builder.cc", 47, "Log")),
    ("Failed to find the converter for node ", "add1 type Add", ("graph_converter.cc", 168, "Log")),
    ("malloc failed, ", "tensor size=64, index=0", ("memory_kernel.cc", 501, "AllocBatchHbm")),
    ("allocator malloc ", "65536 failed.", ("memory_kernel.cc", 856, "Log")),
    ("Failed to launch kernel with handle", "", ("ai_core_launch_kernel.cc", 656, "Log")),
    (
        "InferShape failed, node type ",
        "Add, name add1, error-code 4294967295",
        ("infer_shape.cc", 263, "InferShape"),
    ),
    ("Failed to execute rt v2 model for graph ", "graph_1, model_id 2.", (_HYBRID, 162, "Log")),
    ("Failed load rt v2 model for graph ", "graph_1", (_HYBRID, 1256, "Log")),
    ("[Check][Param:Status] failed to execute graph. model_id = ", "2", (_HYBRID, 1293, "Log")),
    (
        "[Invoke][aclrtSynchronizeStreamWithTimeout] failed, stream synchronize timeout:",
        "-1, ret:507015.",
        ("utils.cc", 41, "DoRtStreamSyncWithTimeout"),
    ),
)

# GELOGE(PARAM_INVALID, ...); the asserts among them have FAILED.
_CODES = dict.fromkeys(
    (
        "Cannot load now, the model has been loaded(",
        "Cannot unload now, the model state is not loaded(",
        "Failed to execute model, you may need load model first",
        "Failed to execute, ",
        "external_stream_allocator and external_event_allocator not allow only set one.",
    ),
    PARAM_INVALID,
)

# The lines of workers and their threads are in no log at hand, so their functions are not known.
_SCHEDULER = "task_scheduler.cc"
_GROUP = "task_worker_group.cc"
_WORKER = "task_worker_impl.h"
_THREAD = "task_thread.cc"
_PRODUCER = "kernel_task_producer.cc"
SCHEDULER: Words = (
    (
        "Scheduler dispatch stream ",
        "0xaaab10b5a4c0 (id=3) to 3 worker groups.",
        (_SCHEDULER, 391, "SetExecuteStreamForWorkers"),
    ),
    (
        "Worker[",
        "normal_task_worker] bind stream 0xaaab10b5a4c0 success.",
        (_WORKER, 269, "RebindStreamResLimitIfNeeded"),
    ),
    ("start tasks size: ", "4, total kernel num: 16", (_PRODUCER, 119, "Prepare")),
    ("|-- Task Scheduler [", "running]", (_SCHEDULER, 524, "DumpScheduler")),
    ("    |-- scheduled count = ", "0, completed count = 0", (_SCHEDULER, 525, "DumpScheduler")),
    ("|-- Worker Group [type : ", "normal, size : 2, running : true]", (_GROUP, 123, "Log")),
    ("    |-- submitted count = ", "0, completed count = 0, submit task failed = 0", (_GROUP, 126, "Log")),
    ("    |-- Worker [", "ge_exe_tasktd : running(true)]", (_WORKER, 153, "Log")),
    ("        |-- pendding queue size = ", "0, completed queue size = 0", (_WORKER, 156, "Log")),
    ("        |-- submitted = ", "0, fetched = 0, submit failed = 0", (_WORKER, 158, "Log")),
    ("        |-- Task Thread [ name : ", "ge_exe_tasktd, mode : urgent ]", (_THREAD, 42, "Log")),
    ("            |-- exec succ = ", "0, exec failed = 0", (_THREAD, 44, "Log")),
    ("            |-- pop none = ", "0, push none = 0, has leak task = false", (_THREAD, 46, "Log")),
    ("            |-- await count = ", "0, yield count = 0, sleep ns = 0, sleep ms = 0", (_THREAD, 49, "Log")),
    ("|-- Producer [type : ", "kernel]", (_PRODUCER, 360, "Dump")),
    ("    |-- task size ", "4, watcher size 4", ("op_task_producer.cc", 125, "Dump")),
)


ROWS: tuple[Row, ...] = (
    row(
        f.AssertFailed,
        "Assert {condition:condition} failed",
        "Assert ((rt_ret) == 0) failed",
        'Assert ((Run(name, "failed")) == ge::SUCCESS) failed',
        dialects=_BOTH,
        scope=GE,
        place=("model_v2_executor.cc", 180, "Load"),
    ),
    row(
        f.AssertUnequal,
        "Assert {condition:condition} failed, expect {expected:some} actual {actual:some}",
        "Assert (size == count) failed, expect 2 actual 3",
        dialects=_BOTH,
        scope=GE,
        place=("model_v2_executor.cc", 180, "Load"),
    ),
    *worded(f.ExecutorError, LIFE_CYCLE, _BOTH, codes=_CODES),
    *worded(f.SchedulerLine, SCHEDULER, _BOTH),
)
