"""The cells of the event table."""

import pytest
from handmade import HandLog
from view_story import run_story

from getrace.events.markers import KernelEnd
from getrace.printable import cell_width
from views.model.outline import outline_of
from views.model.rows import Look, cells, choose, clock_text, delta_text, heading, since_text
from views.model.spans import plain


@pytest.mark.parametrize(
    ("width", "keys"),
    [
        (50, ["line", "level", "kernel", "event"]),
        (78, ["line", "time", "level", "kernel", "event"]),
        (90, ["line", "time", "delta", "level", "kernel", "event"]),
        (110, ["line", "time", "delta", "level", "stage", "kernel", "event"]),
        (140, ["line", "time", "delta", "level", "thread", "stage", "kernel", "event"]),
    ],
)
def test_a_wider_table_has_more_columns(width: int, keys: list[str]) -> None:
    columns = choose(width)
    assert [column.key for column in columns] == keys
    assert sum(column.width for column in columns) + len(columns) - 1 == width


@pytest.mark.parametrize("width", [50, 78, 90, 110, 140, 250])
def test_every_row_is_exactly_as_wide_as_the_table(width: int) -> None:
    store = run_story()
    columns = choose(width)
    assert cell_width(plain(heading(columns))) == width
    for row in range(store.rows):
        assert cell_width(plain(cells(store, row, columns))) == width


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (0, "      1 10:11:12.130.001   INF GE Execute            Load model demo success.   "),
        (10, "     11 10:11:12.130.201   INF AllocMemHbm add1    ■ alloc 64 KiB, 0x12c0412000…"),
        (34, "     35 10:11:12.130.681   INF LaunchKernel… relu1 ▶ launch 8 blocks, on 0xaa08 "),
        (41, "     42 10:11:12.130.821 ✗ ERR RUNTIME             ◉ kernel FAULT 2_0_11_Relu, …"),
    ],
)
def test_a_row_of_eighty_cells(row: int, text: str) -> None:
    assert plain(cells(run_story(), row, choose(80))) == text


def test_an_error_is_told_by_sign_word_and_colour() -> None:
    line = cells(run_story(), 41, choose(80))
    assert next(span.text for span in line if span.role == "level:ERROR") == "✗ ERR"


def test_ascii_signs_replace_all_glyphs() -> None:
    store = run_story()
    text = "".join(plain(cells(store, row, choose(200), Look(ascii_only=True))) for row in range(store.rows))
    # The cut and the rule of a marker are translated where a line is painted.
    assert set(text) - set(map(chr, range(32, 127))) <= {"…", "─"}


def test_a_row_knows_its_stage() -> None:
    store = run_story()
    shown = plain(cells(store, 30, choose(110), Look(outline_of(store))))
    assert shown.split()[3] + " " + shown.split()[4] == "main #2"


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "+0us"),
        (12_000, "+12us"),
        (1_250_000, "+1.25ms"),
        (-3_000_000_000, "-3.0s"),
        (90_061_000_000_000, "+90061s"),
        (200_000_000_000_000, "+2d"),
    ],
)
def test_a_span_of_time_is_short(nanoseconds: int, text: str) -> None:
    assert delta_text(nanoseconds) == text


def test_a_record_without_a_time_shows_none_and_no_distance_to_it() -> None:
    log = HandLog()
    for timed in (True, False, True, True):
        log.say(KernelEnd(), "Tiling_a_1", timed=timed)
    store = log.store()
    assert [clock_text(store, row) for row in range(3)] == ["22:13:20.000.001", "", "22:13:20.000.003"]
    assert [since_text(store, row, row - 1) for row in range(4)] == ["", "", "", "+1us"]


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (999_999, "+999us"),
        (25_460_000, "+25.46ms"),
        (237_030_000, "+237.0ms"),
        (-99_999_000, "-100.0ms"),
        (999_999_000, "+1.0s"),
        (99_999_900_000_000, "+1d"),
        (12_345_600_000_000, "+12346s"),
    ],
)
def test_a_difference_of_time_fits_its_column_with_its_unit(nanoseconds: int, text: str) -> None:
    assert delta_text(nanoseconds) == text
    assert len(text) <= 8
