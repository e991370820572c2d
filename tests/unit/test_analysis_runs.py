"""Graph executions out of markers, and executions of kernels out of ends."""

import pytest
from handmade import TID, HandLog

from getrace.analysis.kernels import executions
from getrace.analysis.runs import GraphRun, Stage, graph_runs, run_of_rows
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.memory import BirthRecycle, MemFree
from getrace.events.pools import SpanFree
from getrace.events.text import LogLine


def run_graph(log: HandLog, *kernels: str, tid: int = TID, end: bool = True) -> None:
    log.say(ModelStart(), tid=tid)
    for kernel in kernels:
        log.say(KernelEnd(), kernel, tid=tid)
    if end:
        log.say(ModelEnd(), tid=tid)


def stages(log: HandLog) -> list[tuple[Stage, int, bool]]:
    return [(run.stage, run.iteration, run.complete) for run in graph_runs(log.store())]


def test_init_main_and_deinit_are_told_apart_by_what_they_execute() -> None:
    log = HandLog()
    run_graph(log, "Const_1", "CreateL2Allocators_2", tid=1)
    run_graph(log, "AllocMemHbm_Add_3", "LaunchKernelWithHandle_Add_4", tid=2)
    run_graph(log, "AllocMemHbm_Add_3", "LaunchKernelWithHandle_Add_4", tid=2)
    run_graph(log, "FreeMemory_Add_9", tid=3)
    assert stages(log) == [
        (Stage.INIT, 0, True),
        (Stage.MAIN, 1, True),
        (Stage.MAIN, 2, True),
        (Stage.DEINIT, 0, True),
    ]


def test_an_empty_pair_is_deinit_only_when_something_ran_before() -> None:
    log = HandLog()
    run_graph(log)
    run_graph(log)
    assert [stage for stage, _, _ in stages(log)] == [Stage.MAIN, Stage.DEINIT]


def test_two_models_on_one_thread_count_their_own_iterations() -> None:
    log = HandLog()
    for kernel in ("InferShape_a_1", "InferShape_b_7", "InferShape_a_1"):
        run_graph(log, kernel)
    assert [iteration for _, iteration, _ in stages(log)] == [1, 1, 2]


def test_a_start_on_an_open_thread_aborts_the_run_before() -> None:
    log = HandLog()
    run_graph(log, "InferShape_a_1", end=False)
    run_graph(log, "InferShape_a_1")
    first, second = graph_runs(log.store())
    assert (first.aborted, first.last, second.aborted, second.start) == (True, 1, False, 2)


def test_an_open_run_reaches_to_the_last_row_of_its_thread_and_is_not_aborted() -> None:
    log = HandLog()
    run_graph(log, "InferShape_a_1", end=False)
    log.say(KernelEnd(), "Other_1", tid=9)
    run = graph_runs(log.store())[0]
    assert (run.complete, run.aborted, run.last) == (False, False, 1)


def test_an_end_without_a_start_makes_no_run() -> None:
    log = HandLog()
    log.say(ModelEnd())
    assert graph_runs(log.store()) == []


def test_rows_of_a_worker_belong_to_the_one_open_run_of_their_process() -> None:
    log = HandLog()
    log.say(ModelStart(), tid=1)
    log.say(KernelEnd(), "InferShape_a_1", tid=50)
    log.say(KernelEnd(), "InferShape_a_1", tid=60, pid=999)
    log.say(ModelEnd(), tid=1)
    log.say(KernelEnd(), "FreeMemory_a_2", tid=50)
    store = log.store()
    assert run_of_rows(store, graph_runs(store)).tolist() == [0, 0, -1, 0, -1]


def test_rows_of_a_worker_belong_to_nobody_while_two_runs_are_open() -> None:
    log = HandLog()
    log.say(ModelStart(), tid=1)
    log.say(ModelStart(), tid=2)
    log.say(KernelEnd(), "InferShape_a_1", tid=50)
    log.say(ModelEnd(), tid=2)
    log.say(ModelEnd(), tid=1)
    store = log.store()
    assert run_of_rows(store, graph_runs(store)).tolist() == [0, 1, -1, 1, 0]


def test_a_graph_run_says_who_ran_it() -> None:
    log = HandLog()
    run_graph(log, "InferShape_a_1", tid=5)
    assert graph_runs(log.store()) == [
        GraphRun(pid=370, tid=5, stage=Stage.MAIN, iteration=1, start=0, last=2, complete=True, followed=False, model=1)
    ]


def test_lines_of_one_kernel_are_one_execution_until_its_end() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(MemFree(addr=16), "FreeMemory_a_1")
    log.say(BirthRecycle(stream=0, addr=16), "")
    log.say(KernelEnd(), "FreeMemory_a_1")
    log.say(KernelEnd(), "FreeMemory_a_1")
    log.say(KernelEnd(), "Tiling_a_2", step_ns=5_000)
    store = log.store()
    runs = executions(store)
    assert [store.names.text(name) for name in runs.name.tolist()] == ["FreeMemory_a_1", "FreeMemory_a_1", "Tiling_a_2"]
    assert list(zip(runs.first.tolist(), runs.last.tolist(), strict=True)) == [(1, 3), (4, 4), (5, 5)]
    assert runs.duration.tolist() == [3_000, 1_000, 5_000]


def test_the_first_kernel_of_a_thread_without_a_marker_has_no_duration() -> None:
    log = HandLog()
    log.say(KernelEnd(), "Tiling_a_2")
    assert executions(log.store()).duration.tolist() == [-1]


def test_threads_do_not_split_each_others_executions() -> None:
    log = HandLog()
    log.say(MemFree(addr=16), "FreeMemory_a_1", tid=1)
    log.say(KernelEnd(), "Tiling_b_2", tid=2)
    log.say(KernelEnd(), "FreeMemory_a_1", tid=1)
    runs = executions(log.store())
    assert list(zip(runs.first.tolist(), runs.last.tolist(), strict=True)) == [(0, 2), (1, 1)]


def test_a_log_without_kernels_has_no_executions() -> None:
    assert len(executions(HandLog().store())) == 0


def unload(log: HandLog, *kernels: str, func: str = "Unload", tid: int = TID) -> None:
    words = LogLine(module="GE", file="rt_v2_simple_executor.cc", line=50, func=func, text="Unload simple executor")
    log.say(words, tid=tid)
    for addr, kernel in enumerate(kernels):
        log.say(MemFree(addr=addr), kernel, tid=tid)
        log.say(SpanFree(device=0, size=65_536, addr=addr, allocator="allocator_1"), tid=tid)


def test_the_frees_after_the_words_of_unloading_are_a_deinit_without_markers() -> None:
    log = HandLog()
    run_graph(log, "InferShape_a_1", tid=1)
    unload(log, "FreeMemory_x_183", "FreeMemory_x_196", tid=3)
    log.say(KernelEnd(), "InferShape_b_9", tid=2)
    log.say(LogLine("GE", "model_manager.cc", 603, "Unload", "Unload model 2 success."), tid=3)
    deinit = graph_runs(log.store())[-1]
    assert deinit == GraphRun(
        pid=370, tid=3, stage=Stage.DEINIT, iteration=0, start=4, last=7, complete=True, followed=False, marked=False
    )


@pytest.mark.parametrize(
    ("func", "kernel"), [("Execute", "FreeMemory_x_183"), ("Unload", "InferShape_x_183")], ids=["words", "kernel"]
)
def test_frees_elsewhere_and_other_kernels_are_no_deinit(func: str, kernel: str) -> None:
    log = HandLog()
    run_graph(log, "InferShape_a_1", tid=1)
    unload(log, kernel, func=func, tid=3)
    assert [run.stage for run in graph_runs(log.store())] == [Stage.MAIN]


def test_a_deinit_with_markers_after_the_words_of_unloading_is_found_once() -> None:
    log = HandLog()
    run_graph(log, "InferShape_a_1", tid=1)
    unload(log, tid=1)
    run_graph(log, "FreeMemory_x_183", tid=1)
    assert stages(log) == [(Stage.MAIN, 1, True), (Stage.DEINIT, 0, True)]


def test_a_record_without_a_time_gives_no_duration_to_itself_or_to_the_next() -> None:
    log = HandLog()
    log.say(KernelEnd(), "InferShape_a_1")
    log.say(KernelEnd(), "InferShape_b_2", timed=False)
    log.say(KernelEnd(), "InferShape_c_3")
    log.say(KernelEnd(), "InferShape_d_4", step_ns=500)
    assert executions(log.store()).duration.tolist() == [-1, -1, -1, 500]


def test_a_main_that_copies_a_condition_to_the_host_is_no_init() -> None:
    log = HandLog()
    run_graph(log, "CreateL1Allocator_1")
    run_graph(log, "CreateHostL2Allocator_choose_9")
    assert [run.stage for run in graph_runs(log.store())] == [Stage.INIT, Stage.MAIN]


def test_two_models_of_a_process_have_numbers_of_their_own_and_init_has_none() -> None:
    log = HandLog()
    for kernel in ("CreateAllocator_1", "Tiling_a_2", "Tiling_b_3", "Tiling_a_2"):
        log.say(ModelStart())
        log.say(KernelEnd(), kernel)
        log.say(ModelEnd())
    runs = graph_runs(log.store())
    assert [(run.stage, run.model, run.iteration) for run in runs] == [
        (Stage.INIT, 0, 0),
        (Stage.MAIN, 1, 1),
        (Stage.MAIN, 2, 1),
        (Stage.MAIN, 1, 2),
    ]
