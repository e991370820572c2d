"""Rows of failures that GE words itself (spec/kerneltrace.md 7.3, 7.4) and of the scheduler's report (8)."""

from getrace.events import failures as f
from getrace.plog.row import GE, RT2_2023, RT2_2026, Row, row
from getrace.plog.rows.worded import worded

_BOTH = f"{RT2_2023} {RT2_2026}"
_Words = tuple[tuple[str, str], ...]

# (fixed words, sample of what follows)
LIFE_CYCLE: _Words = (
    ("Cannot load now, the model has been loaded(", "1)"),
    ("Cannot unload now, the model state is not loaded(", "0)"),
    ("Failed to load init graph", ""),
    ("Failed to execute init graph", ""),
    ("Failed to unload init graph", ""),
    ("Failed to load main graph", ""),
    ("Failed to unload main graph", ""),
    ("Failed to load de-init graph", ""),
    ("Failed to execute de-init graph", ""),
    ("Failed to unload de-init graph", ""),
    ("Failed to execute model, you may need load model first", ""),
    ("Failed to execute, ", "inputs[1] is nullptr"),
    ("Check model input num failed, ", "add overflow, input tensor num(1), append input num(4)"),
    ("external_stream_allocator and external_event_allocator not allow only set one.", ""),
    ("Failed to prepare reusable ", "streams, num 2. Maybe streams not enough on device"),
    ("Session id [", "888] from load arg mismatch with created value [999], this scene is not supported."),
    ("[Get][ModelDesc] failed, model_desc is null.", ""),
    ("Failed to lowering to execute graph", ""),
    ("Failed to load root model from model data", ""),
    ("Failed lowering compute graph ", "graph_1"),
    ("Failed to lowering node ", "add1, reason Unexpected task defs count"),
    ("Failed to find exec node [", "add1] kernel funcs"),
    ("Failed to find the converter for node ", "add1 type Add"),
    ("malloc failed, ", "tensor size=64, index=0"),
    ("allocator malloc ", "65536 failed."),
    ("Failed to launch kernel with handle", ""),
    ("InferShape failed, node type ", "Add, name add1, error-code 4294967295"),
    ("Failed to execute rt v2 model for graph ", "graph_1, model_id 2."),
    ("Failed load rt v2 model for graph ", "graph_1"),
    ("[Check][Param:Status] failed to execute graph. model_id = ", "2"),
    ("[Invoke][aclrtSynchronizeStreamWithTimeout] failed, stream synchronize timeout:", "-1, ret:507015."),
)

SCHEDULER: _Words = (
    ("Scheduler dispatch stream ", "0xaaab10b5a4c0 (id=3) to 3 worker groups."),
    ("Worker[", "ge_exe_tasktd] bind stream 0xaaab10b5a4c0 success."),
    ("start tasks size: ", "4, total kernel num: 16"),
    ("|-- Task Scheduler [", "running]"),
    ("    |-- scheduled count = ", "0, completed count = 0"),
    ("|-- Worker Group [type : ", "normal, size : 2, running : true]"),
    ("    |-- submitted count = ", "0, completed count = 0, submit task failed = 0"),
    ("    |-- Worker [", "ge_exe_tasktd : running(true)]"),
    ("        |-- pendding queue size = ", "0, completed queue size = 0"),
    ("        |-- submitted = ", "0, fetched = 0, submit failed = 0"),
    ("        |-- Task Thread [ name : ", "ge_exe_tasktd, mode : urgent ]"),
    ("            |-- exec succ = ", "0, exec failed = 0"),
    ("            |-- pop none = ", "0, push none = 0, has leak task = false"),
    ("            |-- await count = ", "0, yield count = 0, sleep ns = 0, sleep ms = 0"),
    ("|-- Producer [type : ", "kernel]"),
    ("    |-- task size ", "4, watcher size 4"),
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
    *worded(
        f.ExecutorError,
        tuple((what, rest, ("model_v2_executor.cc", 231, "Execute")) for what, rest in LIFE_CYCLE),
        _BOTH,
    ),
    *worded(
        f.SchedulerLine,
        tuple((what, rest, ("task_scheduler.cc", 524, "DumpScheduler")) for what, rest in SCHEDULER),
        _BOTH,
    ),
)
