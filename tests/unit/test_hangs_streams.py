"""Which stream is blocked, at which wait, and why its recorder has not run."""

from handmade import HandLog
from handmade_failures import failure_of
from handmade_waits import WaitLog, hangs_of, host_of, roots_of, stream_of

from getrace.events import Level
from getrace.events.device import StreamCreated, SyncFailed, TaskException, TaskFinished, TaskListed, TaskSubmitted
from getrace.events.streams import EventSent, EventWaited, StreamSplit
from getrace.events.text import LogLine


def lost_record() -> WaitLog:
    """Stream 0 waits for event 4 of stream 1; the record ran, its signal did not arrive."""
    log = WaitLog()
    log.launch(1, "LaunchKernelWithHandle_left_7")
    log.record(4, 1, "SendEvents_left_8")
    log.launch(0, "LaunchKernelWithHandle_right_9")
    log.wait(4, 0, "WaitEvents_join_11")
    log.launch(0, "LaunchKernelWithHandle_join_12")
    log.sync(0)
    log.done(1, 0, 1)
    log.done(0, 0)
    log.gave_up(0)
    return log


def test_a_lost_event_names_stream_event_recorder_and_kernel() -> None:
    log = lost_record()
    hang = stream_of(log, 20)
    assert (hang.kind, hang.number, hang.task, hang.kernel, hang.pending) == ("event", 4, 1, "WaitEvents_join_11", 2)
    assert (hang.stream.rt, hang.stream.logical, hang.stream.model, hang.stream.printed) == (20, 0, None, None)
    assert hang.recorder is not None
    assert (hang.recorder.kernel, hang.recorder.task) == ("SendEvents_left_8", 1)
    assert (hang.recorder.stream.rt, hang.recorder.stream.logical) == (21, 1)
    assert (hang.why, hang.confidence, hang.root, hang.on) == ("signal_lost", "medium", True, None)
    assert [spot.line for spot in hang.evidence] == [12, 11, 19, 6, 18]


def test_the_failure_of_a_lost_event_is_the_wait_at_which_its_stream_stands() -> None:
    failure = failure_of(lost_record())
    assert (failure.kernel, failure.op, failure.phase) == ("WaitEvents_join_11", "join", "sync")
    assert (failure.how, failure.confidence, failure.stream_id, failure.task_id) == ("wait", "medium", 20, 1)
    assert failure.at is not None
    assert failure.at.line == 12


def test_the_last_kernel_that_was_done_on_the_stream_is_named() -> None:
    log = lost_record()
    hang = stream_of(log, 20)
    assert (hang.done_kernel, hang.done_at and hang.done_at.line) == ("LaunchKernelWithHandle_right_9", 9)
    last = failure_of(log).last_good
    assert last is not None
    assert (last.kernel, last.place.line) == ("LaunchKernelWithHandle_right_9", 9)


def chain() -> WaitLog:
    """0 waits for 1, which waits for 2, which stands at a kernel."""
    log = WaitLog()
    log.launch(2, "LaunchKernelWithFlag_slow_3")
    log.record(1, 2, "SendEvents_slow_4")
    log.wait(1, 1, "WaitEvents_middle_5")
    log.record(0, 1, "SendEvents_middle_6")
    log.wait(0, 0, "WaitEvents_last_7")
    log.launch(3, "LaunchKernelWithFlag_other_8")
    log.sync(0)
    log.done(3, 0)
    log.gave_up(0)
    return log


def test_a_recorder_behind_a_third_stream_leads_to_that_stream() -> None:
    log = chain()
    first, second, third = (stream_of(log, rt) for rt in (20, 21, 22))
    assert (first.why, second.why, third.why) == ("stream_blocked", "stream_busy", "stream_busy")
    assert (third.kind, third.kernel, third.root) == ("task", "LaunchKernelWithFlag_slow_3", True)
    assert roots_of(log) == {22}
    streams = hangs_of(log).streams
    assert [hang.on for hang in streams] == [1, 2, None, 0]
    assert third.cannot_tell.startswith("whether the task hangs or only takes long")


def test_a_stream_that_the_host_does_not_wait_for_is_not_looked_at_unless_it_waits() -> None:
    assert {hang.stream.rt for hang in hangs_of(chain()).streams} == {20, 21, 22}
    log = chain()
    log.wait(0, 3, "WaitEvents_other_9")
    assert stream_of(log, 23).why == "stream_blocked"


def test_where_nothing_of_a_stream_is_known_to_be_done_its_place_is_a_guess() -> None:
    hang = stream_of(chain(), 21)
    assert (hang.confidence, hang.task) == ("low", 0)
    assert hang.cannot_tell == "none of its tasks is known to be done, so it may have come further"


def test_two_streams_that_wait_for_each_other_are_both_the_root() -> None:
    log = WaitLog()
    log.launch(0, "LaunchKernelWithFlag_a_1")
    log.launch(1, "LaunchKernelWithFlag_b_2")
    log.wait(7, 0, "WaitEvents_a_3")
    log.wait(8, 1, "WaitEvents_b_4")
    log.record(8, 0, "SendEvents_a_5")
    log.record(7, 1, "SendEvents_b_6")
    log.sync(0)
    log.done(0, 0)
    log.done(1, 0)
    log.gave_up(0)
    one, other = stream_of(log, 20), stream_of(log, 21)
    assert (one.why, other.why, one.on, other.on) == ("launched_late", "launched_late", 1, 0)
    assert (one.root, other.root, host_of(log).root) == (True, True, False)


def test_a_record_that_was_never_launched_is_called_so() -> None:
    log = WaitLog()
    log.launch(1, "LaunchKernelWithFlag_b_1")
    log.wait(3, 0, "WaitEvents_a_2")
    log.sync(0)
    log.done(1, 0)
    log.gave_up(0)
    hang = stream_of(log, 20)
    assert (hang.why, hang.recorder, hang.confidence, hang.root) == ("never_launched", None, "low", True)
    assert hang.cannot_tell.startswith("no record of this event is in the log")


def test_the_record_of_an_earlier_step_is_used_up_and_only_names_the_usual_recorder() -> None:
    log = WaitLog()
    log.record(3, 1, "SendEvents_b_1")
    log.wait(3, 0, "WaitEvents_a_2")
    log.done(1, 0)
    log.done(0, 0)
    log.wait(3, 0, "WaitEvents_a_2")
    log.sync(0)
    log.gave_up(0)
    hang = stream_of(log, 20)
    assert (hang.why, hang.task, hang.confidence) == ("never_launched", 1, "medium")
    assert hang.recorder is not None
    assert (hang.recorder.kernel, hang.recorder.task, hang.recorder.place) == ("SendEvents_b_1", None, None)


def test_one_record_may_end_the_waits_of_several_streams() -> None:
    log = WaitLog()
    log.launch(0, "LaunchKernelWithFlag_slow_1")
    log.record(5, 0, "SendEvents_2")
    log.wait(5, 1, "WaitEvents_3")
    log.wait(5, 2, "WaitEvents_4")
    log.launch(3, "LaunchKernelWithFlag_other_5")
    log.sync(0)
    log.done(3, 0)
    log.gave_up(0)
    recorders = [hang.recorder for hang in (stream_of(log, 21), stream_of(log, 22))]
    assert [recorder and recorder.kernel for recorder in recorders] == ["SendEvents_2", "SendEvents_2"]
    assert roots_of(log) == {20}


def test_a_host_that_gives_up_on_a_device_that_goes_on_was_too_impatient() -> None:
    log = WaitLog()
    log.launch(0, "LaunchKernelWithFlag_long_1")
    log.launch(0, "LaunchKernelWithFlag_next_2")
    log.sync(0)
    log.done(0, 0)
    log.gave_up(0, seconds=3)
    log.done(0, 1)
    hang, host = stream_of(log, 20), host_of(log)
    assert (hang.kernel, hang.why, hang.root) == ("LaunchKernelWithFlag_next_2", "too_short", False)
    assert (host.why, host.waited_s, host.root) == ("too_short", 3.000001, True)
    assert failure_of(log).kernel is None


def test_a_device_that_was_at_work_shortly_before_the_host_gave_up_may_only_be_slow() -> None:
    log = WaitLog()
    log.launch(0, "LaunchKernelWithFlag_long_1")
    log.launch(0, "LaunchKernelWithFlag_next_2")
    log.sync(0)
    log.say(TaskFinished(0, 20, 0, 0, "", 1), module="RUNTIME", step_ns=9_500_000_000)
    log.gave_up(0, seconds=0)
    host = host_of(log)
    assert host.cannot_tell == "a task was done 0.000 s before the host gave up: the device may only be slow"
    assert host_of(lost_record()).cannot_tell == ""


def test_a_wait_that_is_open_when_the_log_stops_is_shown_with_its_stream() -> None:
    log = lost_record()
    until_sync = WaitLog()
    until_sync.launch(1, "LaunchKernelWithFlag_b_1")
    until_sync.record(2, 1, "SendEvents_b_2")
    until_sync.wait(2, 0, "WaitEvents_a_3")
    until_sync.sync(0)
    until_sync.done(1, 0)
    host, hang = host_of(until_sync), stream_of(until_sync, 20)
    assert (host.waited_s, host.why, host.evidence[0].line) == (None, "stream_blocked", 10)
    assert (hang.why, hang.on) == ("stream_busy", 1)
    assert host_of(log).waited_s is not None


def test_a_log_without_lines_of_runtime_cannot_tell_where_a_stream_stands() -> None:
    log = HandLog()
    log.say(EventWaited(1, 0xE01, 0), "WaitEvents_a_1")
    log.say(SyncFailed(20, 0x711000F, "stream sync timeout"), level=Level.ERROR, module="RUNTIME")
    hang = stream_of(log, 20)
    assert (hang.kind, hang.why, hang.task, hang.pending, hang.confidence) == ("unknown", "unknown", None, None, "low")
    assert "RUNTIME at INFO" in hang.cannot_tell


def test_a_log_without_ends_of_tasks_does_not_take_the_first_task_for_the_one_that_waits() -> None:
    log = WaitLog()
    log.record(3, 1, "SendEvents_b_1")
    log.wait(3, 0, "WaitEvents_a_2")
    log.gave_up(0)
    hang = stream_of(log, 20)
    assert (hang.kind, hang.task, hang.cannot_tell) == ("unknown", None, "no line says which of its tasks are done")


def test_tasks_of_an_earlier_life_of_a_stream_do_not_count() -> None:
    log = WaitLog()
    log.wait(9, 0, "WaitEvents_old_1")
    log.say(StreamCreated(20, 0), module="RUNTIME")
    log.launch(1, "LaunchKernelWithFlag_b_2")
    log.record(4, 1, "SendEvents_b_3")
    log.wait(4, 0, "WaitEvents_new_4")
    log.done(1, 0)
    log.gave_up(0)
    hang = stream_of(log, 20)
    assert (hang.kernel, hang.number) == ("WaitEvents_new_4", 4)


def test_a_task_number_that_comes_again_means_the_last_task_with_it() -> None:
    log = WaitLog()
    log.launch(0, "LaunchKernelWithFlag_a_1")
    log.done(0, 0)
    log.launch(0, "LaunchKernelWithFlag_b_2")
    again = TaskListed(20, 0, 0, "KERNEL_AICORE", 1, 3)
    log.say(again, module="RUNTIME")
    log.done(0, 1, 0)
    log.launch(0, "LaunchKernelWithFlag_c_3")
    log.gave_up(0)
    hang = stream_of(log, 20)
    assert (hang.kernel, hang.pending) == ("LaunchKernelWithFlag_c_3", 1)


def test_the_task_that_makes_a_stream_belongs_to_its_new_life() -> None:
    log = WaitLog()
    made = (7, "CREATE_STREAM")
    log.say(TaskSubmitted(20, 0, *made), module="RUNTIME")
    log.say(TaskListed(20, 0, *made, 0, 1), module="RUNTIME")
    log.say(StreamCreated(20, 0), module="RUNTIME")
    log.done(0, 0)
    log.launch(0, "LaunchKernelWithFlag_a_1")
    log.gave_up(0)
    assert stream_of(log, 20).kernel == "LaunchKernelWithFlag_a_1"


def test_processes_with_the_same_numbers_are_kept_apart() -> None:
    log = WaitLog()
    for pid in (1, 2):
        log.launch(1, f"LaunchKernelWithFlag_b{pid}_1", pid=pid)
    log.record(3, 1, "SendEvents_own_3", pid=1)
    log.record(3, 1, "SendEvents_other_2", pid=2)
    log.wait(3, 0, "WaitEvents_own_4", pid=1)
    log.done(1, 0, 1, pid=2)
    log.done(1, 0, pid=1)
    log.gave_up(0, pid=1)
    hang = stream_of(log, 20, pid=1)
    assert hang.recorder is not None
    assert (hang.recorder.kernel, hang.why) == ("SendEvents_own_3", "stream_busy")
    assert {each.pid for each in hangs_of(log).streams} == {1}


def test_a_stream_behind_one_that_failed_says_so() -> None:
    log = WaitLog()
    log.launch(1, "LaunchKernelWithFlag_bad_1")
    log.record(3, 1, "SendEvents_bad_2")
    log.wait(3, 0, "WaitEvents_a_3")
    log.sync(0)
    fault = TaskException(0, 21, 0, 0, "KERNEL_AICORE", 0, 0x26, "aicore exception")
    log.say(fault, level=Level.ERROR, module="RUNTIME")
    log.gave_up(0)
    log.done(1, 0)
    hang, failed = stream_of(log, 20), stream_of(log, 21)
    assert (hang.why, hang.on) == ("stream_failed", 1)
    assert (failed.kernel, failed.why, failed.confidence) == ("LaunchKernelWithFlag_bad_1", "stream_failed", "high")


def test_a_failure_that_nobody_else_waits_for_is_no_hang() -> None:
    log = WaitLog()
    log.launch(1, "LaunchKernelWithFlag_bad_1")
    log.say(TaskException(0, 21, 0, 0, "KERNEL_AICORE", 0, 0x26, "aicore exception"), level=Level.ERROR)
    log.say(SyncFailed(21, 0x26, "aicore exception"), level=Level.ERROR, module="RUNTIME")
    assert hangs_of(log).streams == ()


def test_the_device_says_at_which_task_a_stream_stands_and_the_host_says_what_that_is() -> None:
    log = WaitLog()
    log.wait(3, 0, "WaitEvents_first_1")
    log.record(4, 1, "SendEvents_b_2")
    log.wait(4, 0, "WaitEvents_second_3")
    wheel = (
        "Timeout: sq_pid=370, sq_id=9, is_need_process=1, exe_time=16, time_out=10, stream_id=20, task_id=1, "
        "cur_head=1, wait_sqe_head=1."
    )
    log.say(LogLine("TSCH", "stars_timewheel.c", 90, "stars_wait_sqe_is_timeout", wheel), level=Level.ERROR, pid=-1)
    hang = stream_of(log, 20)
    assert (hang.kernel, hang.number, hang.confidence) == ("WaitEvents_second_3", 4, "high")
    assert (hang.waited_s, hang.limit_s) == (16, 10)


def test_a_clean_log_has_no_hang() -> None:
    log = WaitLog()
    log.record(3, 1, "SendEvents_b_1")
    log.wait(3, 0, "WaitEvents_a_2")
    log.done(1, 0)
    log.done(0, 0)
    assert hangs_of(log).streams == ()


def test_a_record_whose_line_stands_behind_a_task_of_another_stream_is_joined_with_no_task() -> None:
    log = WaitLog()
    log.say(StreamSplit(0xA0, 1, 21), "SplitRtStreams_1")
    log.say(StreamSplit(0xA2, 2, 22), "SplitRtStreams_1")
    log.record(9, 2, "SendEvents_other_2")
    log.say(EventSent(4, 0xE04, 1), "SendEvents_late_3")
    log.launch(1, "LaunchKernelWithFlag_b_4")
    log.wait(4, 0, "WaitEvents_a_5")
    log.done(2, 0)
    log.done(1, 0)
    log.gave_up(0)
    hang = stream_of(log, 20)
    assert hang.recorder is not None
    assert (hang.recorder.kernel, hang.recorder.stream.rt, hang.recorder.task) == ("SendEvents_late_3", 21, None)
    assert (hang.why, hang.on) == ("unknown", None)
    assert hang.cannot_tell.startswith("no line says which task records the event")


def test_several_models_of_a_process_may_call_their_streams_by_the_same_numbers() -> None:
    log = lost_record()
    log.say(StreamSplit(0xB0, 0, 77), "SplitRtStreams_other_1")
    assert stream_of(log, 20).why == "signal_lost"


def test_the_runtime_names_the_task_at_which_a_stream_of_hccl_waits_for_notifies() -> None:
    log = WaitLog()
    for node in ("a_1", "b_2"):
        log.launch(0, f"LaunchHcomKernel_{node}")
    text = (
        "The error from device(chipId:3, dieId:0), serial number is 9, hccl fftsplus task timeout occurred during task "
        "execution, stream_id:20, sq_id:5, task_id:1, stuck notify num:1, timeout:45min."
    )
    log.say(LogLine("RUNTIME", "device_error_proc.cc", 7, "Proc", text), level=Level.ERROR)
    hang = stream_of(log, 20)
    assert (hang.kernel, hang.task, hang.confidence) == ("LaunchHcomKernel_b_2", 1, "high")
    assert [(limit.name, limit.seconds, limit.given) for limit in hangs_of(log).limits] == [
        ("HCCL_EXEC_TIMEOUT", 2700.0, "set")
    ]


def test_the_hardware_names_a_model_and_a_stream_of_the_runtime_which_are_not_mixed() -> None:
    log = WaitLog()
    text = "RTS_HWTS: model_id=8, stream_id=16, result=0x91, fault task_id=43, sqe_type=5, task_type=14"
    log.say(LogLine("TSCH", "task_scheduler_engine.c", 7, "set_model_exec_fail", text), level=Level.ERROR, pid=-1)
    hang = stream_of(log, 16, pid=-1)
    assert (hang.kind, hang.task, hang.stream.model, hang.stream.logical) == ("notify", 43, None, None)
    assert "neither what is waited for nor who was to record it" in hang.cannot_tell


def test_a_synchronise_that_came_back_with_a_fault_is_no_hang_even_if_no_record_of_the_task_is_there() -> None:
    log = WaitLog()
    event = SyncFailed(20, 0x91, "the model stream execute failed")
    log.say(event, level=Level.ERROR, module="RUNTIME")
    assert hangs_of(log).streams == ()


def test_a_synchronise_that_came_back_with_the_fault_of_another_stream_is_no_hang() -> None:
    log = WaitLog()
    log.say(TaskException(0, 31, 0, 0, "KERNEL_AICORE", 0, 0x26, "x"), level=Level.ERROR, module="RUNTIME")
    log.say(SyncFailed(20, 0x91, "the model stream execute failed"), level=Level.ERROR, module="RUNTIME")
    assert hangs_of(log).streams == ()
