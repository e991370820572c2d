"""A lane per stream."""

from handmade import START_NS, HandLog
from view_story import START, Story, run_story

from getrace.events.aicpu import TfLaunch
from getrace.events.launch import GuideLaunch, Launch, TaskIds
from views.model.draw_lanes import draw_lanes, lane_lines, step_in_lanes
from views.model.lanes import lanes_of
from views.model.spans import plain


def test_pointers_and_rt_streams_become_logical_streams_when_the_log_says_how() -> None:
    lanes = lanes_of(run_story()).lanes
    assert [(lane.label, lane.rows.tolist(), lane.marks.tolist()) for lane in lanes] == [
        ("stream 0 (rt 5)", [11, 13, 29, 31], [0, 1, 0, 1]),
        ("stream 1 (rt 6)", [14, 16, 32, 34, 41], [2, 0, 2, 0, 3]),
    ]


def test_an_rt_stream_without_a_logical_one_keeps_its_number() -> None:
    story = Story()
    story.say(Launch(binary=1, block_dim=1, args=1, handle=0xAA), "LaunchKernelWithFlag_a_1")
    story.say(TaskIds(rt_stream=7, task=1, flip=0, flip_task=1), "LaunchKernelWithFlag_a_1")
    story.say(GuideLaunch(task=3, rt_stream=9), "LaunchKernelWithFlag_b_2")
    story.store.poll()
    assert [(lane.label, lane.stream) for lane in lanes_of(story.store).lanes] == [
        ("rt stream 7", -1),
        ("rt stream 9", -1),
    ]


def test_a_launch_that_names_no_known_stream_is_on_none() -> None:
    story = Story()
    story.say(TfLaunch(op="x", handle=0xAA, args=1, io=1, host_size=1), "AicpuLaunchTfKernel_a_1")
    story.say(TaskIds(rt_stream=7, task=1, flip=0, flip_task=1), "AnotherKernel_2")
    story.store.poll()
    assert [lane.label for lane in lanes_of(story.store).lanes] == ["stream ?"]


def test_an_error_hides_a_launch_in_the_same_cell() -> None:
    lanes = lanes_of(run_story())
    assert draw_lanes(lanes, 17 + 4, 9).cells == ((1, -1, 1, -1), (2, -1, 2, 3))


def test_the_pane_has_a_legend_lanes_and_an_axis() -> None:
    lanes = lanes_of(run_story())
    lines = lane_lines(lanes, draw_lanes(lanes, 60, 8), START + 200_000)
    assert [plain(line) for line in lines] == [
        "▮ launch  ▲ send  ▼ wait  ✗ error  ",
        "stream 0 (rt 5)  ▮─▲──────────────────────▮──▲──────────────",
        "stream 1 (rt 6)  ────▼──▮──────────────────────▼─▮─────────✗",
        "                 10:11:12.130.221           10:11:12.130.821",
    ]


def test_lanes_without_room_are_counted() -> None:
    lanes = lanes_of(run_story())
    lines = [plain(line) for line in lane_lines(lanes, draw_lanes(lanes, 60, 3), 0)]
    assert lines[2] == "and 1 more streams"


def test_no_lane_says_why() -> None:
    story = Story()
    story.line("nothing")
    story.store.poll()
    lanes = lanes_of(story.store)
    assert plain(lane_lines(lanes, draw_lanes(lanes, 60, 8), 0)[0]).startswith("No streams to draw")


def test_one_steps_from_mark_to_mark_over_all_lanes() -> None:
    lanes = lanes_of(run_story())
    assert [step_in_lanes(lanes, row, 1) for row in (0, 11, 13, 41)] == [11, 13, 14, 41]
    assert [step_in_lanes(lanes, row, -1) for row in (42, 41, 11)] == [41, 34, 11]


def test_a_mark_without_a_time_is_on_no_lane() -> None:
    log = HandLog()
    log.say(GuideLaunch(task=1, rt_stream=9), "LaunchKernelWithFlag_a_1", timed=False)
    log.say(GuideLaunch(task=2, rt_stream=9), "LaunchKernelWithFlag_b_2")
    found = lanes_of(log.store())
    assert (found.start, found.end, [lane.rows.tolist() for lane in found.lanes]) == (
        START_NS + 2_000,
        START_NS + 2_000,
        [[1]],
    )
