"""Jumping by typing, choosing by a few letters, playing, and the places a user sets."""

from pathlib import Path

import pytest
from view_story import START, Story, run_story

from getrace.errors import UsageError
from getrace.replay import open_store
from views.model.fuzzy import best, score
from views.model.jumps import jumps, operators, row_of_line, row_of_operator
from views.model.places import NOWHERE, Places, between, next_mark
from views.model.play import Playing, last_until, play
from views.model.words import duration_text
from views.tui.terminal import refuse_what_cannot_show, wants_no_colour


@pytest.mark.parametrize(
    ("typed", "words", "row"),
    [
        ("5", "line 5", 4),
        ("#5", "record 5 of 43", 4),
        ("#99", "record 43 of 43", 42),
        ("10:11:12.130.101", "first record at or after 10:11:12.130.101", 5),
        ("10:11:12.1301", "first record at or after 10:11:12.130.100", 5),
        ("10:11", "first record at or after 10:11:00.000.000", 0),
        ("2026-03-05-10:11:12.130.821", "first record at or after 10:11:12.130.821", 41),
        ("2026-03-05T10:11:12.130821", "first record at or after 10:11:12.130.821", 41),
        ("0x12c041210000", "next record of 0x12c041210000", 15),
        ("0X12C041210000", "next record of 0x12c041210000", 15),
    ],
)
def test_a_line_a_record_and_a_moment_are_places(typed: str, words: str, row: int) -> None:
    assert [(jump.words, jump.row) for jump in jumps(run_story(), typed, 0)] == [(words, row)]


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "add",
        "25:00",
        "10:61",
        "10:11:12.13x",
        "2026-13-45",
        "23:59",
        "12345678901",
        "0x",
        "0x77",
        "0xffffffffffffffff",
    ],
)
def test_what_is_no_place_gives_none(typed: str) -> None:
    assert jumps(run_story(), typed, 0) == []


def test_a_physical_line_inside_a_record_leads_to_it(tmp_path: Path) -> None:
    path = tmp_path / "plog-1_1.log"
    texts = ("one", "two\n  more\n  and more", "three")
    path.write_text("".join(f"[INFO] GE(1,p):2026-03-05-10:11:12.000.001 [a.cc:1]5 F:{text}\n" for text in texts))
    store = open_store([str(path)])
    assert [row_of_line(store, line, 0) for line in (1, 2, 3, 4, 5, 99)] == [0, 1, 1, 1, 2, 2]


def test_operators_are_listed_and_found() -> None:
    store = run_story()
    assert operators(store) == ["add1", "relu1"]
    assert (row_of_operator(store, "relu1"), row_of_operator(store, "none")) == (14, NOWHERE)


@pytest.mark.parametrize(
    ("typed", "words", "rating"),
    [("zo", "zoom out", 7), ("zout", "zoom out", 12), ("oz", "zoom out", None), ("", "anything", 0)],
)
def test_letters_in_order_fit_and_together_they_fit_better(typed: str, words: str, rating: int | None) -> None:
    assert score(typed, words) == rating


def test_the_best_come_first_and_of_equals_the_shorter() -> None:
    items = [(words, words) for words in ("next error", "previous error", "errors", "mark")]
    assert best("err", items, 2) == ["errors", "next error"]


def test_playing_goes_on_as_the_clock_of_the_log_did() -> None:
    store = run_story()
    now = play(store, Playing(speed=0), 0, 0.1)  # a thousandth of 100 ms is 100 us: five records of 20 us
    assert (now.row, now.playing.moment, now.words) == (5, START + 100_000, "")
    assert play(store, now.playing, now.row, 0.01).row == 5
    assert (Playing().faster(1).words, Playing(speed=0).faster(-1).words) == ("x1", "x0.001")


def test_a_long_silence_is_passed_over_and_said() -> None:
    story = Story(step_us=600_000_000)
    story.line("one")
    story.line("two")
    store = story.store
    store.poll()
    now = play(store, Playing(), 0, 0.1)
    assert (now.row, now.words) == (1, "passed over 600 s of silence")


def test_playing_reaches_the_last_row_before_a_moment() -> None:
    store = run_story()
    assert [last_until(store, row, START + 50_000) for row in (0, 2, 9)] == [2, 2, 9]
    assert last_until(store, 0, START + 10**12) == 42


def test_marks_and_markers() -> None:
    places = Places().toggled(7).toggled(3).toggled(9).toggled(7)
    assert places.marks == (3, 9)
    assert [next_mark(places, row, 1) for row in (0, 3, 9)] == [3, 9, NOWHERE]
    assert [next_mark(places, row, -1) for row in (0, 3, 10)] == [NOWHERE, NOWHERE, 9]
    placed = places.with_marker(0, 3).with_marker(1, 5)
    assert [placed.sign(row) for row in (3, 5, 9, 4)] == ["A", "B", "m", ""]
    assert placed.with_marker(0, 3).markers == (NOWHERE, 5)
    assert between(run_story(), Places()) is None


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0 ns"),
        (850, "850 ns"),
        (12_400, "12.4 us"),
        (3_250_000, "3.25 ms"),
        (71_200_000_000, "71.2 s"),
        (1_800_000_000_000, "1,800 s"),
        (7_380_000_000_000, "2 h 03 min"),
        (-12_400, "-12.4 us"),
    ],
)
def test_a_duration_is_spelled_with_three_digits(nanoseconds: int, text: str) -> None:
    assert duration_text(nanoseconds) == text


@pytest.mark.parametrize(
    ("environment", "size", "sentence"),
    [
        ({"TERM": "dumb"}, (80, 24), "the terminal is dumb: it cannot show screens"),
        ({}, (80, 24), "the terminal is unnamed: it cannot show screens"),
        ({"TERM": "xterm"}, (59, 24), "the terminal has 59x24 cells, the screens need 60x15"),
        ({"TERM": "xterm"}, (80, 14), "the terminal has 80x14 cells, the screens need 60x15"),
        ({"TERM": "xterm", "LANG": "C"}, (80, 24), "the locale C has no signs but ASCII"),
        ({"TERM": "xterm", "LANG": "en_US.UTF-8", "LC_ALL": "POSIX"}, (80, 24), "the locale POSIX has no signs but"),
        ({"TERM": "xterm", "LANG": "C", "LC_CTYPE": "C.UTF-8"}, (80, 24), "the locale C has no signs but ASCII"),
    ],
)
def test_a_terminal_that_cannot_show_screens_is_refused(
    environment: dict[str, str], size: tuple[int, int], sentence: str
) -> None:
    with pytest.raises(UsageError) as caught:
        refuse_what_cannot_show(environment, size)
    assert caught.value.message.startswith(sentence)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("environment", "ascii_only"),
    [
        ({"TERM": "xterm"}, False),
        ({"TERM": "tmux-256color", "LANG": "C.UTF-8"}, False),
        ({"TERM": "vt100", "LANG": "C"}, True),
    ],
)
def test_others_are_taken(environment: dict[str, str], ascii_only: bool) -> None:
    refuse_what_cannot_show(environment, (60, 15), ascii_only=ascii_only)
    assert not wants_no_colour(environment)
    assert wants_no_colour(environment | {"NO_COLOR": "1"})
