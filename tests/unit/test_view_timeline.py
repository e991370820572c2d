"""The timeline: lanes, windows, what a cell shows, and what is said at the cursor."""

import random

import numpy as np
import pytest
from view_story import START, Story, run_story, two_processes

from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.store.store import Store
from views.model.draw_timeline import (
    IDLE,
    Cell,
    axis_line,
    busy_cells,
    draw_arrows,
    host_cells,
    legend,
    memory_lines,
    spans_of,
    stream_cells,
)
from views.model.explain import broken, explain
from views.model.places import Places
from views.model.spans import Span, plain
from views.model.timeline import HostLane, Timeline, host_lanes, slice_at, span_at, timelines
from views.model.window import SHORTEST, Window, around

US = 1000


def _timeline(store: Store | None = None) -> Timeline:
    return list(timelines(store or run_story()))[-1]


def _lane(slices: list[tuple[int, int]]) -> HostLane:
    starts, ends = (np.array(values, np.int64) for values in zip(*slices, strict=True))
    number = np.arange(len(starts))
    busy = np.concatenate([[0], np.cumsum(ends - starts)])
    none = np.zeros(0, np.int64)
    kinds, unsure = np.zeros(len(starts), np.int8), np.zeros(len(starts), bool)
    return HostLane("thread 1", 1, 1, starts, ends, number, number, kinds, unsure, busy, none)


def test_hosts_come_first_then_streams_then_memory() -> None:
    parts = list(timelines(run_story()))
    assert [(len(p.hosts), p.streams is not None, p.curve is not None) for p in parts] == [
        (1, False, False),
        (1, True, False),
        (1, True, True),
    ]
    assert [lane.label for lane in parts[-1].streams or ()] == ["stream 0 (rt 5)", "stream 1 (rt 6)"]
    assert parts[-1].whole == Window(START, START + 42 * 20 * US)


def test_a_slice_reaches_from_the_end_before_it_on_its_thread() -> None:
    (lane,) = host_lanes(run_story())
    told = [(int(lane.starts[n]) - START, int(lane.ends[n]) - START) for n in range(4)]
    assert told == [(20 * US, 40 * US), (40 * US, 80 * US), (120 * US, 160 * US), (160 * US, 180 * US)]
    assert lane.rows[:4].tolist() == [2, 3, 7, 9]
    assert lane.lasts[:4].tolist() == [2, 4, 8, 9]
    assert (lane.label, len(lane.rows)) == ("thread 4718", 22)
    assert (lane.errors - START).tolist() == [820 * US, 840 * US]


def test_threads_without_a_run_are_workers_and_processes_are_named_where_there_are_several() -> None:
    story = Story()
    story.say(ModelStart(), tid=1)
    story.say(KernelEnd(), "Const_1", tid=2)
    story.say(KernelEnd(), "Const_2", tid=1)
    story.say(ModelEnd(), tid=1)
    story.store.poll()
    assert [lane.label for lane in host_lanes(story.store)] == ["worker 2", "thread 1"]
    assert [lane.label for lane in host_lanes(two_processes())] == [
        "pid 370 thread 7",
        "pid 1204 thread 7",
        "pid 1204 worker 4718",
    ]


def test_arrows_join_sends_to_waits() -> None:
    told = [(a.from_lane, a.to_lane, a.send_row, a.wait_row) for a in _timeline().arrows]
    assert told == [(0, 1, 13, 14), (0, 1, 31, 32)]


@pytest.mark.parametrize("seed", range(5))
def test_a_cell_is_as_busy_as_the_slices_in_it(seed: int) -> None:
    chance = random.Random(seed)
    slices, time = [], 0
    for _ in range(60):
        start = time + chance.choice([0, 0, 3, 40])
        time = start + chance.randint(1, 30)
        slices.append((start, time))
    lane, width = _lane(slices), 40
    window = Window(100, 100 + 400)
    busy = busy_cells(lane, window, width)
    for cell in range(width):
        left, right = 100 + 10 * cell, 110 + 10 * cell
        covered = sum(max(min(end, right) - max(start, left), 0) for start, end in slices)
        assert busy.share[cell] == pytest.approx(covered / 10)
        touching = [n for n, (start, end) in enumerate(slices) if start < right and end > left]
        assert (int(busy.slices[cell]) in touching) if touching else busy.slices[cell] == IDLE


def test_no_slice_is_too_short_to_be_seen() -> None:
    lane = _lane([(0, 1), (5_001, 5_002), (9_999, 10_000)])
    busy = busy_cells(lane, Window(0, 10_000), 10)
    assert busy.slices.tolist() == [0, IDLE, IDLE, IDLE, IDLE, 1, IDLE, IDLE, IDLE, 2]


def test_wide_slices_are_named_and_narrow_ones_are_letters() -> None:
    store = run_story()
    (lane,) = host_lanes(store)
    window = Window(START, START + 320 * US)
    text = "".join(cell.char for cell in host_cells(store, lane, window, 64, ascii_only=False))
    assert text == "    ▏Cre▏SplitRt        ▏InferSh▏Til▏All▏LaunchK▏Sen▏Wai▏All▏Lau"
    narrow = "".join(cell.char for cell in host_cells(store, lane, window, 16, ascii_only=True))
    assert narrow == " Axx  IITALLEEAL"


def test_a_wide_name_takes_the_cells_of_its_slice_and_no_more() -> None:
    story = Story()
    for name in ("Const_1", "算子_节点_3", "Const_2"):
        story.say(KernelEnd(), name)
    story.store.poll()
    (lane,) = host_lanes(story.store)
    cells = host_cells(story.store, lane, Window(START, START + 40 * US), 24, ascii_only=False)
    assert len(cells) == 24
    assert "".join(cell.char for cell in cells) == "▏算子_节点_3▏Const      "


def test_errors_stand_over_everything() -> None:
    store = run_story()
    (lane,) = host_lanes(store)
    cells = host_cells(store, lane, Window(START, START + 840 * US), 42, ascii_only=True)
    assert [place for place, cell in enumerate(cells) if cell.role == "lane:error"] == [41]


def test_an_arrow_goes_along_the_sender_and_down_to_who_waits() -> None:
    timeline = _timeline()
    window = Window(START + 200 * US, START + 400 * US)
    lanes = [stream_cells(lane, window, 40, ascii_only=True) for lane in timeline.streams or ()]
    draw_arrows(lanes, timeline.arrows, window, 13, ascii_only=True)
    assert ["".join(cell.char for cell in lane) for lane in lanes] == [
        "----|-------^---+-----------------------",
        "----------------v-------|---------------",
    ]
    assert lanes[0][16].role == "cursor"


def test_the_cursor_is_drawn_where_nothing_else_is() -> None:
    cells = [Cell("─", "dim"), Cell("▲", "lane:send"), Cell("─", "dim"), Cell("─", "dim")]
    assert plain(spans_of(cells, 0)) == "│▲──"
    assert [(span.text, span.role) for span in spans_of(cells, 1)] == [("─", "dim"), ("▲", "cursor"), ("──", "dim")]


def test_the_axis_tells_both_ends_the_scale_and_the_markers() -> None:
    line = plain(axis_line(Window(START, START + 840 * US), 60, (START, START + 420 * US)))
    assert line == "840 us in sight   A0:11:12.130.001       1 cell B 14 us       10:11:12.130.841"
    assert plain(legend(30, ascii_only=True)) == "I shape T tiling A alloc "


@pytest.mark.parametrize(
    ("window", "change", "wanted"),
    [
        (Window(0, 8000), lambda w, all_: w.zoomed(4000, all_, closer=True), Window(3000, 5000)),
        (Window(0, 8000), lambda w, all_: w.zoomed(0, all_, closer=True), Window(0, 2000)),
        (Window(3000, 5000), lambda w, all_: w.zoomed(4000, all_, closer=False), Window(0, 8000)),
        (Window(3000, 5000), lambda w, all_: w.zoomed(99_999, all_, closer=True), Window(3500, 4500)),
        (Window(3000, 5000), lambda w, all_: w.moved(1, all_), Window(3500, 5500)),
        (Window(7000, 8000), lambda w, all_: w.moved(1, all_), Window(7000, 8000)),
        (Window(0, 1000), lambda w, all_: w.moved(-1, all_), Window(0, 1000)),
        (Window(0, 2000), lambda w, all_: w.centred(5000, all_), Window(4000, 6000)),
        (Window(0, 100), lambda w, all_: w.zoomed(50, all_, closer=True), Window(0, SHORTEST)),
    ],
)
def test_a_window_stays_inside_what_there_is(window: Window, change: object, wanted: Window) -> None:
    assert callable(change)
    assert change(window, Window(0, 8000)) == wanted


def test_a_window_around_two_moments_has_room_at_both_sides() -> None:
    assert around(40_000, 20_000, Window(0, 100_000)) == Window(15_000, 45_000)
    assert Window(0, 100).cell(100, 10) == 9
    assert Window(0, 100).cell(101, 10) == -1


@pytest.mark.parametrize(
    ("lane", "row", "lines"),
    [
        (
            0,
            8,
            [
                "InferShape_add1_60  40 us (inferred: from the end before it on its thread)",
                "thread 4718, slice 3 of 22, lines 8 to 9",
            ],
        ),
        (0, 2, ["CreateL2Allocators_1  20 us (inferred: from the end before it on its thread)"]),
        (
            0,
            5,
            [
                "gap 40 us (measured: between two records of the host)",
                "no kernel ran: the program's own time, outside every graph run",
            ],
        ),
        (0, 0, ["thread 4718 is idle before its first kernel"]),
        (
            1,
            13,
            [
                "stream 0 (rt 5): send  SendEvents_add1_64",
                "waited for by stream 1 (rt 6), 20 us from send to wait (measured: between two records of the host)",
                "since the mark before 40 us (measured: between two records of the host)",
                "meanwhile thread 4718: LaunchKernelWithHandle_add1_63 20 us (inferred)",
            ],
        ),
        (
            2,
            32,
            [
                "stream 1 (rt 6): wait  WaitEvents_relu1_65",
                "waits for stream 0 (rt 5), 20 us from send to wait (measured: between two records of the host)",
                "since the mark before 320 us (measured: between two records of the host)",
                "the host had nothing for it before its wait for stream 0 (rt 5)",
            ],
        ),
    ],
)
def test_what_stands_at_the_cursor_is_told_with_where_its_length_comes_from(
    lane: int, row: int, lines: list[str]
) -> None:
    store = run_story()
    told = [plain(line) for line in explain(store, _timeline(store), lane, row, Places())]
    assert told[: len(lines)] == lines


def test_the_time_between_the_markers_is_told_too() -> None:
    store = run_story()
    told = explain(store, _timeline(store), 0, 8, Places((), (2, 12)))
    assert plain(told[-1]) == "A to B 200 us (measured), +10 records"


def test_a_span_is_a_slice_or_the_time_since_the_mark_before() -> None:
    timeline = _timeline()
    assert span_at(timeline, 0, 8) == (START + 120 * US, START + 160 * US)
    assert span_at(timeline, 1, 13) == (START + 220 * US, START + 260 * US)
    assert span_at(timeline, 1, 11) is None
    assert slice_at(timeline.hosts[0], START + 130 * US) == 2


def test_rows_find_their_lanes() -> None:
    store = run_story()
    timeline = _timeline(store)
    assert [timeline.lane_of(store, row) for row in (8, 13, 14, 41)] == [0, 1, 2, 2]


def test_the_memory_below_has_its_own_scale_and_says_when_there_is_none() -> None:
    timeline = _timeline()
    lines = memory_lines(timeline, Window(START + 100 * US, START + 600 * US), 60, 3, ascii_only=True)
    assert [plain(line)[:18] for line in lines] == ["memory 192 KiB    ", " " * 18, "0 B               "]
    empty = memory_lines(_timeline(two_processes()), Window(0, 1), 60, 3, ascii_only=True)
    assert plain(empty[0]) == "No memory to draw: the log names no block with a size. Set"
    assert "ASCEND_MODULE_LOG_LEVEL=GE=1" in " ".join(map(plain, empty))


def test_a_length_that_has_no_room_beside_its_name_stands_below_it() -> None:
    line = [Span("LaunchKernelWithHandle_add1_63", "strong"), Span("  40 us (inferred)")]
    assert broken(line, 48) == [line]
    assert [plain(piece) for piece in broken(line, 40)] == ["LaunchKernelWithHandle_add1_63", "40 us (inferred)"]
