"""Runs of GE's reference cases repeated here: every line about memory, streams and events, in GE's order."""

from pathlib import Path

import pytest
from truth_memory_lines import MemoryLine, first_difference, lines_of_ge, memory_lines, without_foreign
from truth_runs import TruthRun

CASES = {
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
"""All cases of these suites on one thread."""

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
