"""The memory curve: decimation, and its drawing. Accounting is tested with ``getrace.analysis``."""

import numpy as np
from handmade import START_NS, HandLog
from view_story import KIB, START, run_story

from getrace.events.memory import MemAlloc
from views.model.curves import Curve, decimate, memory_curve
from views.model.draw_curve import curve_lines, draw_curve, live_at, step_in_time
from views.model.plot import filled
from views.model.spans import plain


def test_the_curve_of_the_story() -> None:
    curve = memory_curve(run_story())
    assert curve.live.tolist() == [64 * KIB, 192 * KIB, 128 * KIB, 0] * 2
    assert curve.rows.tolist() == [10, 15, 19, 21, 28, 33, 37, 39]
    assert (curve.times[:2] - START).tolist() == [200_000, 300_000]
    assert curve.peak == 1


def _curve(times: list[int], live: list[int]) -> Curve:
    return Curve(np.array(times, np.int64), np.array(live, np.int64), np.arange(len(times)))


def test_decimation_keeps_a_peak_that_is_shorter_than_a_sample() -> None:
    curve = _curve([0, 500, 501, 1000], [10, 99, 10, 20])
    assert decimate(curve, 0, 1000, 4).tolist() == [10, 10, 99, 20]


def test_decimation_holds_a_level_between_changes() -> None:
    curve = _curve([0, 1000], [7, 0])
    assert decimate(curve, 0, 1000, 5).tolist() == [7, 7, 7, 7, 7]


def test_decimation_of_nothing_is_flat() -> None:
    assert decimate(_curve([], []), 0, 10, 3).tolist() == [0, 0, 0]
    assert decimate(_curve([5], [9]), 5, 5, 2).tolist() == [9, 9]
    assert decimate(_curve([5], [9]), 0, 10, 0).tolist() == []


def test_a_curve_is_filled_from_below() -> None:
    samples = np.array([8, 8, 4, 4, 1, 0])
    assert filled(samples, 8, 2) == ["⣿  ", "⣿⣿⡀"]
    assert filled(samples, 8, 2, ascii_only=True) == ["#  ", "##."]


def test_the_smallest_value_is_still_seen() -> None:
    assert filled(np.array([1, 1]), 10**12, 1) == ["⣀"]


def test_the_pane_has_a_summary_a_curve_and_axes() -> None:
    curve = memory_curve(run_story())
    picture = draw_curve(curve, 60, 5)
    text = [plain(line) for line in curve_lines(curve, picture, 60, 10)]
    assert text == [
        "here 64 KiB  peak 192 KiB  end 0 B  peak at 10:11:12.130.301",
        " 192 KiB ┤│       ⢸⣿⣿⣿⣿⣿⣿⣿                       ⢸⣿⣿⣿⣿⣿⣿⣿   ",
        "         ││       ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿                    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿",
        "     0 B ┤│⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿            ⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿",
        "          10:11:12.130.201                  10:11:12.130.781",
    ]


def test_an_empty_curve_says_why() -> None:
    curve = _curve([], [])
    assert plain(curve_lines(curve, draw_curve(curve, 60, 5), 60, 0)[0]).startswith("No memory to draw")


def test_one_steps_from_change_to_change() -> None:
    curve = memory_curve(run_story())
    assert [step_in_time(curve, row, 1) for row in (0, 10, 39, 42)] == [10, 15, 39, 42]
    assert [step_in_time(curve, row, -1) for row in (42, 39, 10)] == [39, 37, 10]
    assert [live_at(curve, row) for row in (0, 10, 16, 42)] == [0, 64 * KIB, 192 * KIB, 0]


def test_a_change_without_a_time_stands_at_the_last_time_known() -> None:
    log = HandLog()
    for number, timed in enumerate((False, True, False, True), start=1):
        log.say(MemAlloc(block=1, addr=number, size=10), "AllocMemHbm_a_1", timed=timed)
    curve = memory_curve(log.store())
    assert (curve.times - START_NS).tolist() == [2_000, 2_000, 2_000, 4_000]
    assert curve.live.tolist() == [10, 20, 30, 40]


def test_a_curve_without_any_time_is_empty() -> None:
    log = HandLog()
    log.say(MemAlloc(block=1, addr=1, size=10), "AllocMemHbm_a_1", timed=False)
    assert [part.tolist() for part in memory_curve(log.store())] == [[], [], []]
