"""Runs of GE's reference cases repeated here: every line about memory, streams and events, in GE's order."""

from collections import Counter
from pathlib import Path

import pytest
from memory_lifetimes import broken_rule
from truth_memory_lines import MemoryLine, first_difference, lines_of_ge, memory_lines, without_foreign
from truth_memory_lives import lives_by_run
from truth_runs import SMALL, TruthRun, truth_machine, truth_ops

from runtime.executors.options import MultiThreadExecutorOption, TaskProducerType
from runtime.kernels.context import Cell, KernelContext
from runtime.kernels.families import builtin_kernels
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.l2_single import SingleStreamL2Allocator

CASES = {
    "GraphExecutorMultiStreamSystemTest": (
        "Case01_TwoStream_AccessMemCrossStream_ok",
        "Case02_TwoStream_ConsumersInAndCrossStream_ok",
        "Case04_TwoStream_AccessRefMemCrossStream_ok",
        "Case08_TwoStream_WithLastEventSync_ok",
        "Case09_TwoStream_ExternalAllocator_RecycleToL1_ok",
        "Case10_TwoStream_ExternalAllocator_InnerAllocOutMem_ok",
        "Case11_rtMalloc_Failed",
    ),
    "TruthMultiStream": (
        "chain3_wander_4steps",
        "diamond_3streams_4steps",
        "fail_infershape_on_aux_stream_step1",
        "fail_launch_first_step_topological",
        "fail_launch_on_aux_stream_step1",
        "fail_sendevents_step1",
        "fail_waitevents_step1",
        "fail_wander_step1_topological",
        "fanout4_5steps",
        "fanout4_topological",
        "load_unload_without_step",
        "oom_random60_8streams",
        "parallel3x4_3steps",
        "pingpong12_big_shapes",
        "pingpong12_external_allocator",
        "pingpong6_3steps",
        "random20_3streams_seed1",
        "random40_4streams_seed7",
        "random40_4streams_seed7_external",
        "random60_8streams_seed42_model_alloc_output",
        "reuse_pool_small_after_big",
        "two_models_alternate",
        "two_models_alternate_external",
        "two_node_3steps_priority",
        "two_node_3steps_sequential",
        "two_node_3steps_topological",
        "two_node_external_allocator",
        "two_node_external_model_alloc_output_free_after_destroy",
        "two_node_model_alloc_output_free_after_unload",
        "two_node_model_alloc_output_free_each_step",
    ),
    "TruthSingleStream": (
        "chain16_big_shapes",
        "chain16_external_model_alloc_output",
        "chain16_model_alloc_output",
        "chain16_model_alloc_output_keep",
        "chain4_5steps_vary_shape",
        "chain4_priority",
        "chain4_sequential",
        "chain4_topological",
        "fail_alloc_step1",
        "fail_infershape_step0_then_ok",
        "fail_launch_step1_then_ok",
        "load_unload_without_step",
        "oom_random30",
        "random30_seed3",
        "random30_seed5_topological",
        "reuse_pool_small_after_big",
        "two_models_alternate",
    ),
}
"""All cases of the Truth suites on one thread, and GE's own with several streams.

Two of GE's own are left out: Case03 builds a shape as a tensor of a type that no dump says, Case07 reads a file that is
part of GE's test tree.
"""

NAMES = [f"{suite}.{case}" for suite, cases in CASES.items() for case in cases]


def _ge(cases: Path, case: str) -> list[MemoryLine]:
    return without_foreign(memory_lines(lines_of_ge(cases / "truth" / "logs" / f"{case}.log.gz")))


@pytest.mark.real
@pytest.mark.parametrize("case", NAMES)
def test_every_line_about_memory_is_ges_line_in_ges_order(cases: Path, case: str) -> None:
    run = TruthRun(cases, case)
    statuses = list(run.run())
    assert [status != 0 for status in statuses] == [step.failing != "" for step in run.steps]
    assert first_difference(without_foreign(memory_lines(run.log)), _ge(cases, case)) == ""


THREADED = {
    "TruthMultiStream.pingpong12_multithread3_by_chain": (3, TaskProducerType.CHAIN),
    "TruthMultiStream.two_node_multithread4": (4, TaskProducerType.KERNEL),
    "TruthSingleStream.chain16_multithread3_by_chain": (3, TaskProducerType.CHAIN),
    "TruthSingleStream.chain16_multithread3_by_kernel": (3, TaskProducerType.KERNEL),
    "TruthSingleStream.chain16_multithread3_by_op": (3, TaskProducerType.OP),
    "TruthSingleStream.chain16_multithread3_by_single": (3, TaskProducerType.SINGLE),
    "TruthSingleStream.fail_multithread": (4, TaskProducerType.KERNEL),
    "TruthSingleStream.random30_seed5_multithread2": (2, TaskProducerType.KERNEL),
    "TruthSingleStream.random30_seed5_multithread4": (4, TaskProducerType.KERNEL),
}
INTERLEAVED = ("TruthMultiStream.fanout4_multithread4", "TruthMultiStream.random40_4streams_multithread4")
"""A block that three and more streams use meets them in an order that differs from run to run of GE itself."""


def _both_lives(cases: Path, case: str, option: MultiThreadExecutorOption) -> list[list[list[tuple[str, str]]]]:
    run = TruthRun(cases, case, option)
    assert [status != 0 for status in run.run()] == [step.failing != "" for step in run.steps]
    log = cases / "truth" / "logs" / f"{case}.log.gz"
    return [lives_by_run(memory_lines(lines)) for lines in (run.log, lines_of_ge(log))]


@pytest.mark.real
@pytest.mark.parametrize("case", THREADED)
def test_with_several_threads_each_block_has_the_life_it_has_in_ge(cases: Path, case: str) -> None:
    threads, split = THREADED[case]
    option = MultiThreadExecutorOption(thread_num=threads, split=split, seed=1)
    ours, theirs = _both_lives(cases, case, option)
    assert [Counter(run) for run in ours] == [Counter(run) for run in theirs]


@pytest.mark.real
@pytest.mark.parametrize("case", INTERLEAVED)
def test_with_several_threads_the_same_kernels_allocate_and_the_rules_hold(cases: Path, case: str) -> None:
    ours, theirs = _both_lives(cases, case, MultiThreadExecutorOption(thread_num=4, seed=1))
    assert [sorted(by for by, _ in run) for run in ours] == [sorted(by for by, _ in run) for run in theirs]
    assert {broken_rule(life) for run in (*ours, *theirs) for _, life in run} == {""}


@pytest.mark.real
def test_memory_of_ffts_threads_prints_what_ge_prints(cases: Path) -> None:
    log: list[str] = []
    machine = truth_machine(SMALL, truth_ops(), log)
    level1 = CachingMemAllocator(machine.memory, machine.synchronize, machine.caching)
    home = SingleStreamL2Allocator(machine.journal, machine.device)
    home.level1 = level1
    kernels, cell = builtin_kernels(), Cell()

    def run(kind: str, *inputs: object, output: Cell | None = None) -> Cell:
        out = output or Cell()
        context = KernelContext("", kind, tuple(map(Cell, inputs)), (out,), None, machine)
        kernel = kernels.find(kind, "")
        assert (kernel.outputs_creator or (lambda _context: 0))(context) == 0
        assert kernel.run(context) == 0
        return out

    allocator = run("CreateFftsMemAllocator", home, 2, output=cell).value
    run("FreeFftsMem", run("AllocateFftsMem", allocator, 16).value)
    run("FreeBatchFftsMems", run("AllocateBatchFftsMems", allocator, [128, 128]).value)
    run("RecycleFftsMems", allocator)
    cell.release()
    level1.close()
    machine.memory.finalize()
    theirs = _ge(cases, "FFTSAICoreKernelTestST.AllocateFftsMem")
    assert first_difference(without_foreign(memory_lines(log)), theirs) == ""


@pytest.mark.real
def test_two_lines_that_changed_places_are_seen(cases: Path) -> None:
    lines = _ge(cases, "TruthMultiStream.two_node_3steps_sequential")
    at = next(n for n, line in enumerate(lines) if "Local-recycle" in line.text)
    swapped = [*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :]]
    assert first_difference(lines, lines) == ""
    assert first_difference(swapped, lines).startswith(f"line {at - 1}: ")


@pytest.mark.real
def test_a_block_that_comes_back_in_place_of_another_is_seen(cases: Path) -> None:
    lines = _ge(cases, "TruthMultiStream.two_node_3steps_sequential")
    at = [n for n, line in enumerate(lines) if "Alloc memory at stream 0" in line.text]
    first, second = (lines[n].text.split("address ")[1].split(",")[0] for n in at[2:4])
    assert first != second
    exchanged = list(lines)
    exchanged[at[2]] = exchanged[at[2]]._replace(text=exchanged[at[2]].text.replace(first, second))
    assert first_difference(exchanged, lines).startswith(f"line {at[2]}: ")
