"""The overview and the sources, in lines."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from view_story import Story, main, run_story, two_processes

from getrace.analysis.failure.model import Verdict
from getrace.events.markers import ModelEnd, ModelStart
from getrace.printable import cell_width
from getrace.replay import open_store
from getrace.store.store import Store
from views.model.cards import Told, wrap_words
from views.model.plot import sparkline
from views.model.sources import source_lines, sources_report
from views.model.spans import plain
from views.model.summary import Summary, levels_over_time, summaries
from views.model.summary_lines import ALL, card_lines, runs_card, verdict_card

LOG = """\
[INFO] GE(7,p):2026-03-05-10:11:12.000.001 [a.cc:1]5 F:[KernelTrace][Const_1]
[INFO] GE(7,p):2026-03-05-10:11:12.000.002 [a.cc:1]5 F:[KernelTrace][Const_2]what nobody knows
"""


def _told(lines: list[Told]) -> list[str]:
    return [plain(told.line).rstrip() for told in lines]


def _summary(store: Store) -> Summary:
    return list(summaries(store))[-1]


def test_the_parts_come_one_after_the_other() -> None:
    parts = list(summaries(run_story()))
    fields = ("levels", "runs", "diagnosis", "evidence", "streams", "memory")
    assert [[getattr(part, name) is not None for name in fields].count(True) for part in parts] == [2, 3, 5, 6]


def test_levels_are_counted_by_time() -> None:
    levels = levels_over_time(run_story())
    assert levels is not None
    assert levels.counts.sum(axis=1).tolist() == [2, 2, 39]
    assert (levels.end - levels.start, int(levels.counts[0][-1])) == (840_000, 1)
    assert levels_over_time(Story().store) is None


def test_the_verdict_names_the_kernel_its_place_and_the_evidence() -> None:
    store = run_story()
    lines = verdict_card(_summary(store), store, 76, ascii_only=False)
    told = _told(lines)
    assert told[:3] == ["Verdict", "FAILED  at device", "kernel      LaunchKernelWithHandle_relu1_67"]
    assert "where       stream 6, task 18, process 4711" in told
    assert lines[2].row == 35
    assert all(cell_width(line) <= 76 for line in told)


@pytest.mark.parametrize("width", [40, 56, 100])
def test_a_verdict_without_a_failure_is_told_whole(width: int) -> None:
    diagnosis = _summary(run_story()).diagnosis
    assert diagnosis is not None
    summary = Summary(diagnosis=replace(diagnosis, verdict=Verdict.CLEAN, failure=None))
    told = _told(verdict_card(summary, run_story(), width, ascii_only=False))
    assert all(cell_width(line) <= width for line in told)
    assert " ".join(" ".join(told).split()).startswith(
        "Verdict CLEAN every graph run of the log ended, and no record shows a failure"
    )


def test_runs_are_told_with_their_time_on_the_host() -> None:
    store = run_story()
    assert _told(runs_card(_summary(store), store, 76, ascii_only=False)) == [
        "Runs: time between the markers on the host, measured",
        "Init      80 us  thread 4718",
        "Main #1  340 us  thread 4718",
        "Main #2       ?  thread 4718, no end",
    ]


def test_of_many_runs_those_that_stand_out_are_told() -> None:
    story = Story()
    for _ in range(9):
        main(story)
        story.say(ModelEnd())
    story.say(ModelStart())
    story.store.poll()
    told = _told(runs_card(_summary(story.store), story.store, 76, ascii_only=False))
    assert told[1:3] == ["Main x9  340 us  median", "Main #1  340 us  thread 4718, slowest"]
    assert told[3].endswith("?  thread 4718, no end")


@pytest.mark.parametrize("store", [run_story(), two_processes(), Story().store])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_every_card_says_something_of_every_log(store: Store, ascii_only: bool) -> None:
    lines = card_lines(ALL, _summary(store), store, 76, ascii_only=ascii_only)
    titles = [plain(told.line) for told in lines if told.line and told.line[0].role == "heading"]
    assert len(titles) == len(ALL)
    assert not any("reading" in plain(told.line) for told in lines)
    for told in lines:
        assert -1 <= told.row < max(store.rows, 1)
    assert not ascii_only or "".join(_told(lines)).isascii()


def test_words_are_broken_at_blanks_and_long_ones_inside() -> None:
    assert wrap_words("one two three", 8) == ["one two", "three"]
    assert wrap_words("abcdefghijkl mn", 5) == ["abcde", "fghij", "kl mn"]
    assert wrap_words("", 5) == [""]


def test_single_records_stay_visible_beside_thousands() -> None:
    assert sparkline(np.array([0, 0, 1, 0, 4000, 4000]), ascii_only=True) == " .#"


def test_sources_tell_what_was_read_and_what_no_row_claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plog-7_1.log").write_text(LOG)
    monkeypatch.chdir(tmp_path)
    store = open_store(["plog-7_1.log"])
    lines = source_lines(sources_report(store), store, 76, 0, live=False)
    assert _told(lines) == [
        "plog-7_1.log",
        "holds       173 B, 2 lines, 2 rows",
        "dialects    no line tells one",
        "processes   7",
        "times       2026-03-05-10:11:12.000.001 to 10:11:12.000.002, 1 us (measured,",
        "            the host's clock)",
        "",
        "What no row of the grammar claims",
        "lines       1 KernelTrace lines; they are kept and searched as text",
        "2           what nobody knows",
        "",
    ]
    assert lines[9].row == 1


def test_a_live_run_tells_what_was_dropped_and_two_sources_that_clocks_may_differ(tmp_path: Path) -> None:
    store = run_story()
    assert "dropped     12 events: the screen was too slow for them" in _told(
        source_lines(sources_report(store), store, 76, 12, live=True)
    )
    for name in ("plog-7_1.log", "plog-8_1.log"):
        (tmp_path / name).write_text(LOG)
    both = open_store([str(tmp_path)])
    assert "Clocks" in _told(source_lines(sources_report(both), both, 76, 0, live=False))
