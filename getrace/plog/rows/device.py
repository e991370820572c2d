"""Rows of the RUNTIME module and of GE's note for it (spec/kerneltrace.md 6.1 R, 6.2)."""

from getrace.events import device as d
from getrace.plog.row import GE, RT2_2023, RT2_2026, RUNTIME, Row, row

_BOTH = f"{RT2_2023} {RT2_2026}"

ROWS: tuple[Row, ...] = (
    row(
        d.KernelLaunched,
        "stream_id={rt_stream:u}, task_id={task:u}, kernelType={kernel_type:u}, kernel_name={fault_name:label}, "
        "arg_size={size:u}",
        "stream_id=2, task_id=6, kernelType=0, kernel_name=2_0_11_Add, arg_size=336",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("context.cc", 713, "LaunchKernel"),
    ),
    row(
        d.TaskSubmitted,
        "stream_id={rt_stream:u}, task_id={task:u}, task_type={type:u} ({type_name:name})",
        "stream_id=2, task_id=6, task_type=0 (KERNEL_AICORE)",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("engine.cc", 468, "SubmitTask"),
    ),
    row(
        d.TaskListed,
        "public task, stream_id={rt_stream:u}, task_id={task:u}, task_type={type:u} ({type_name:name}), "
        "head={head:u}, tail={tail:u}",
        "public task, stream_id=2, task_id=6, task_type=0 (KERNEL_AICORE), head=6, tail=7",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("stream.cc", 1378, "AddTaskToList"),
    ),
    row(
        d.TaskFinished,
        "device_id={device:u}, stream_id={rt_stream:u}, task_id={task:u}, task_type={type:u} ({type_name:name}), "
        "task_finish_num={count:u}",
        "device_id=0, stream_id=2, task_id=6, task_type=0 (KERNEL_AICORE), task_finish_num=23",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("logger.cc", 2057, "TaskFinished"),
    ),
    *(
        row(
            d.ErrorDetected,
            f"{which} errorCode detected: stream_id={{rt_stream:u}}, task_id={{task:u}}, errorCode={{code:h}}",
            f"{which} errorCode detected: stream_id=2, task_id=6, errorCode=0x26",
            dialects=_BOTH,
            scope=RUNTIME,
            place=("engine.cc", 1808, "HandleShmTask"),
            fixed={"which": which},
        )
        for which in ("First", "Last")
    ),
    row(
        d.TaskException,
        "Task exception! device_id={device:u}, stream_id={rt_stream:u}, task_id={task:u}, "
        "type={type:u}({type_name:name}), failuremode ={failure_mode:u}, retCode={ret:h}, [{reason:type}]",
        "Task exception! device_id=0, stream_id=2, task_id=6, type=0(KERNEL_AICORE), failuremode =0, retCode=0x26, "
        "[aicore exception]",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("engine.cc", 1377, "ReportExceptProc"),
    ),
    *(
        row(
            d.CoreError,
            f"The error from device({{device:u}}), serial number is {{serial:u}}, there is an {kind} error, "
            "core id is {core:u}, error code = {code:h}, dump info: {text:text}",
            f"The error from device(0), serial number is 7, there is an {kind} error, core id is 3, "
            "error code = 0x10, dump info: pc start: 0x12c000064000, current: 0x12c000067d2c",
            dialects=_BOTH,
            scope=RUNTIME,
            place=("device_error_proc.cc", 510, "PrintCoreErrorInfo"),
            fixed={"core_kind": kind},
        )
        for kind in ("aicore", "aivec")
    ),
    *(
        row(
            d.KernelFault,
            f"{kind} kernel execute failed, device_id={{device:u}}, stream_id={{rt_stream:u}}, "
            "report_stream_id={report_stream:u}, task_id={task:u}, flip_num={flip:u}, "
            "fault kernel_name={fault_name:label}, {text:text}",
            f"{kind} kernel execute failed, device_id=0, stream_id=2, report_stream_id=2, task_id=6, flip_num=0, "
            "fault kernel_name=2_0_11_Add, program id=1, hash=15656883929986130445.",
            dialects=_BOTH,
            scope=RUNTIME,
            place=("task.cc", 1341, "PrintErrorInfo"),
            fixed={"core_kind": kind},
        )
        for kind in ("Aicore", "Aicpu")
    ),
    row(
        d.StreamCreated,
        "Succ, flag={flag:u}, stream_id={rt_stream:u}",
        "Succ, flag=0, stream_id=2",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("logger.cc", 381, "StreamCreate"),
    ),
    row(
        d.StreamDestroyed,
        "stream_id={rt_stream:u}.",
        "stream_id=2.",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("logger.cc", 387, "StreamDestroy"),
    ),
    row(
        d.SyncStarted,
        "stream_id={rt_stream:u}",
        "stream_id=2",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("api_impl.cc", 803, "StreamSynchronize"),
    ),
    row(
        d.SyncFailed,
        "Stream Synchronize failed, stream_id={rt_stream:u}, retCode={ret:h}, [{reason:type}].",
        "Stream Synchronize failed, stream_id=2, retCode=0x26, [aicore exception].",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("stream.cc", 1190, "GetError"),
    ),
    row(
        d.ApiFailed,
        "ErrCode={code:u}, desc=[{reason:type}], InnerCode={inner:h}",
        "ErrCode=507015, desc=[aicore exception], InnerCode=0x7150026",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("api_c.cc", 793, "rtStreamSynchronizeWithTimeout"),
    ),
    row(
        d.RuntimeMalloc,
        "Succ, size={size:u}, type={type:u}, moduleId={module:u}, ptr={addr:u}",
        "Succ, size=65536, type=0, moduleId=45, ptr=20616094744576",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("logger.cc", 547, "DevMalloc"),
    ),
    row(
        d.RuntimeFree,
        "mem={addr:u}",
        "mem=20616094744576",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("logger.cc", 553, "DevFree"),
    ),
    row(
        d.HostMalloc,
        "size={size:u} ",
        "size=256 ",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("logger.cc", 566, "HostMalloc"),
    ),
    row(
        d.DeviceMemory,
        "memory info type={type:u}, type={second_type:u}, free={free:u}, hug_free={huge_free:u}",
        "memory info type=1, type=2, free=17123209216, hug_free=16580083712",
        dialects=_BOTH,
        scope=RUNTIME,
        place=("npu_driver.cc", 1880, "MemGetInfoEx"),
    ),
    row(
        d.DumpPrepared,
        "Get node:{node:label}, task id:{task:u}, stream id:{rt_stream:u}",
        "Get node:add1, task id:6, stream id:2",
        dialects=_BOTH,
        scope=GE,
        place=("executor_dumper.cc", 919, "PrepareExceptionDump"),
    ),
)
