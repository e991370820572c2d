"""Logs of several processes: what names a process, and that a log of one does not."""

from view_story import run_story, two_processes

from views.model.draw_lanes import draw_lanes, lane_lines
from views.model.lanes import lanes_of
from views.model.outline import items, outline_of
from views.model.processes import processes
from views.model.rows import cells, choose, heading
from views.model.spans import plain


def test_the_processes_of_a_store_are_counted() -> None:
    assert processes(run_story()) == (4711,)
    assert processes(two_processes()) == (370, 1204)


def test_each_process_has_its_own_lanes() -> None:
    lanes = lanes_of(two_processes()).lanes
    assert [(lane.label, lane.pid, lane.rows.tolist()) for lane in lanes] == [
        ("pid 370 rt stream 2", 370, [1]),
        ("pid 1204 rt stream 2", 1204, [5]),
        ("pid 1204 stream ?", 1204, [8]),
    ]


def test_the_pane_makes_room_for_the_longer_labels() -> None:
    lanes = lanes_of(two_processes())
    lines = [plain(line) for line in lane_lines(lanes, draw_lanes(lanes, 60, 8), -1)]
    assert [line[:21] for line in lines[1:4]] == [
        "pid 370 rt stream 2  ",
        "pid 1204 rt stream 2 ",
        "pid 1204 stream ?    ",
    ]
    assert {len(line) for line in lines[1:]} == {60}


def test_the_outline_names_the_process_of_each_run() -> None:
    store = two_processes()
    outline = outline_of(store)
    assert [item.label for item in items(outline, store, frozenset())] == ["pid 370 Main #1", "pid 1204 Main #1"]


def test_the_table_has_a_column_for_the_process() -> None:
    store = two_processes()
    columns = choose(78, many=True)
    assert [column.key for column in columns] == ["line", "time", "level", "pid", "kernel", "event"]
    assert plain(heading(columns)).startswith("   line time             lvl   process kernel")
    assert plain(cells(store, 6, columns)).startswith("      7 10:11:12.130.121   INF    1204 LaunchKer")
