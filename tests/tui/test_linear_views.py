"""The screens told in plain lines: each value behind its name, nothing drawn, and no terminal needed."""

from pathlib import Path

import pytest
from view_graphs import story_with_graphs
from view_story import Story, main, run_story

from getrace.cli import main as getrace
from getrace.cli.verbs.open import VIEWS as NAMES
from getrace.events import Event, Level
from getrace.store.store import Store
from views.model.linear import Wanted
from views.model.linear_views import VIEWS, linear_lines
from views.tui.screens.registry import TABS


def told(store: Store, view: str, wanted: Wanted | None = None) -> list[str]:
    """Give the lines of a view."""
    return list(linear_lines(store, view, wanted or Wanted()))


def test_each_screen_has_a_view_of_its_name() -> None:
    assert tuple(VIEWS) == NAMES == tuple(tab.name for tab in TABS)


@pytest.mark.parametrize(
    ("view", "lines"),
    [
        (
            "overview",
            [
                "FAILED at device, line 42",
                "kernel LaunchKernelWithHandle_relu1_67, line 36",
                "Main #2 ? thread 4718, no end, line 25",
                "ERROR 2",
                "peak 192 KiB at 10:11:12.130.301, 2 blocks, line 16",
                "stream 0 (rt 5): 2 launches, 2 sends, first at line 12",
            ],
        ),
        (
            "events",
            [
                "line 2, 10:11:12.130.021, INFO, GE: model starts",
                (
                    "line 11, 10:11:12.130.201, INFO, AllocMemHbm_add1_62: "
                    "alloc 64 KiB, 0x12c041200000, stream 0, for 600 B"
                ),
            ],
        ),
        (
            "timeline",
            [
                "thread 4718: 22 kernels, 660 us in them (inferred: from the end before it on its thread), 2 errors",
                "  line 9, 10:11:12.130.161: InferShape_add1_60, 40 us (inferred)",
                "  gap of 40 us (measured: between two records of the host)",
                (
                    "  line 14, 10:11:12.130.261: send by SendEvents_add1_64, 40 us after the mark before "
                    "(measured: between two records of the host), waited for by stream 1 (rt 6) at line 15"
                ),
                "Memory: peak 192 KiB at line 16, 10:11:12.130.301",
            ],
        ),
        (
            "memory",
            [
                "  stream 1: peak 128 KiB, 0 B at the end, 4 changes",
                "Blocks alive at the peak, line 16, 10:11:12.130.301: 2",
                (
                    "  address 0x12c041200000, gen 2, asked 600 B, given 64 KiB, stream 0, alloc 29, free 37, "
                    "return 38, given to add1 AllocMemHbm 62"
                ),
                "Lost blocks: 0",
            ],
        ),
        (
            "streams",
            [
                "Pairs of send and wait: 2",
                (
                    "  event 0, from 0, to 1, sent 14, waited 15, between 20 us, sent by add1 SendEvents 64, "
                    "waited by relu1 WaitEvents 65"
                ),
                "  every send was waited for, and every wait had its send",
            ],
        ),
        ("graphs", ["  Main #1: 10 kernels, thread 4718, line 7", "    line 8: InferShape_add1_60"]),
        ("sources", ["holds 43 rows", "nothing: every KernelTrace line was read as an event"]),
        (
            "compare",
            ["left Main #1 line 7 to 24, 10 kernels, peak 192 KiB, 340 us (measured)", "Kernels that differ: 0"],
        ),
    ],
)
def test_what_a_screen_shows_is_told(view: str, lines: list[str]) -> None:
    found = told(run_story(), view)
    assert [line for line in lines if line not in found] == []


@pytest.mark.parametrize("view", VIEWS)
def test_lines_are_text_without_drawing_and_columns(view: str) -> None:
    for store in (run_story(), story_with_graphs(), Story().store):
        for line in told(store, view):
            assert line.isascii()
            assert "  " not in line.lstrip()
            assert line == line.rstrip()


def test_dumped_graphs_are_told_node_by_node_with_what_they_need() -> None:
    lines = told(story_with_graphs(), "graphs")
    assert "Dumped graphs: 7" in lines
    assert "  AllocMemHbm_add1_62, AllocMemHbm; needs InferShape_add1_60; in the log x2" in lines


def test_two_logs_are_compared() -> None:
    story = Story()
    main(story)
    story.store.poll()
    lines = told(run_story(), "compare", Wanted(title="one", other=story.store, other_title="two"))
    assert lines[0].startswith("left one Main #1 line 7")
    assert lines[1].startswith("right two Main #1 line 1")


def test_a_place_begins_the_events_and_chooses_the_moment_of_the_memory() -> None:
    store = run_story()
    assert told(store, "events", Wanted(at=40))[0].startswith("line 41,")
    lines = told(store, "memory", Wanted(at=10))
    assert "Blocks alive at this record, line 11, 10:11:12.130.201: 1" in lines
    assert "Records that speak of 0x12c041200000: 6" in lines


HOSTILE = "\x1b[2J\u202eevil\u200b\x07"


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_lets_a_hostile_text_through(view: str) -> None:
    story = Story()
    main(story)
    story.line(HOSTILE + "x" * 1_000_000, Level.ERROR)
    story.store.poll()
    story.store.sources[0].path = HOSTILE
    for line in told(story.store, view, Wanted(title=HOSTILE)):
        assert line.isprintable()


@pytest.mark.real
def test_a_real_log_is_printed_where_there_is_no_terminal(case_01: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert getrace(["open", str(case_01), "--linear", "events", "--at", "8363"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    first = out.splitlines()[0]
    assert first.startswith("line 8363, 07:42:40.515.526, ERROR, RUNTIME: task 6 FAILED, rt stream 2")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--linear", "colours"], "invalid choice: 'colours'"),
        (["--linear", "events", "--follow"], "--linear prints what is there now"),
        (["--linear", "events", "--json"], "open has no JSON answer"),
    ],
)
def test_what_cannot_be_told_is_refused(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "plog-1_1.log"
    log.write_text("[INFO] GE(1,p):2026-03-05-10:11:12.000.001 [a.cc:1]5 F:[KernelTrace][Const_1]\n")
    assert getrace(["open", str(log), *words]) == 2
    assert sentence in capsys.readouterr().err


def test_events_are_made_as_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    store = run_story()
    read: list[int] = []
    real = store.event

    def spy(row: int) -> Event:
        read.append(row)
        return real(row)

    monkeypatch.setattr(store, "event", spy)
    lines = linear_lines(store, "events", Wanted())
    assert [next(lines).partition(",")[0], next(lines).partition(",")[0]] == ["line 1", "line 2"]
    assert read == [0, 1]
