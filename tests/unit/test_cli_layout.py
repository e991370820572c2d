"""Text for people: sizes, durations, columns."""

from time import process_time

import pytest

from getrace.cli.layout import Paint, columns, duration_text, quoted, size_text, squeezed, wrapped


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (None, "?"),
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (65_536, "64 KiB"),
        (1_500, "1.5 KiB"),
        (3 * 1024**3, "3 GiB"),
        (-2_048, "-2 KiB"),
    ],
)
def test_sizes_are_spelled(size: int | None, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "-"),
        (0, "0 ns"),
        (999, "999 ns"),
        (1_500, "1.5 us"),
        (20_000_000, "20 ms"),
        (999_990_000, "1 s"),
        (999_499, "999 us"),
        (999_960_000_000, "1000 s"),
        (1_234_000_000_000, "1234 s"),
    ],
)
def test_durations_are_spelled(ns: int | None, text: str) -> None:
    assert duration_text(ns) == text


def test_columns_align_and_lines_end_without_blanks() -> None:
    assert columns([("a", "1", ""), ("bbb", "22", "x")], right=frozenset({1})) == ["  a     1", "  bbb  22  x"]


def test_a_long_last_cell_costs_its_own_line_only() -> None:
    rows = [("a", "x" * 1_000_000), *(("b", "y") for _ in range(20_000))]
    start = process_time()
    assert columns(rows)[1] == "  b  y"
    assert process_time() - start < 2


def test_columns_align_by_the_cells_of_a_terminal() -> None:
    rows = [("添加", "1"), (Paint(on=True)("red", "ab"), "2"), ("a\x07", "3")]
    assert columns(rows) == ["  添加   1", "  \x1b[31mab\x1b[0m     2", "  a\\x07  3"]


def test_no_rows_are_no_lines() -> None:
    assert columns([]) == []


def test_a_table_that_is_too_wide_takes_it_from_one_column() -> None:
    rows = [("name", "n"), ("AllocMemHbm_GatherV2_292", "1")]
    assert columns(rows, frozenset({1}), "", width=20, squeeze=0) == ["name               n", "AllocMem…erV2_292  1"]
    assert columns(rows, frozenset({1}), "", width=5, squeeze=0) == ["name          n", "AllocM…2_292  1"]
    assert columns(rows, frozenset({1}), "", width=27, squeeze=0) == columns(rows, frozenset({1}), "")


@pytest.mark.parametrize(
    ("text", "width", "cut"), [("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc…fg"), ("abcdefg", 5, "ab…fg")]
)
def test_a_name_is_cut_in_its_middle(text: str, width: int, cut: str) -> None:
    assert squeezed(text, width) == cut


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("fits as it is", ["fits as it is"]),
        ("  error  a long text that goes on", ["  error  a long text", "         that goes", "         on"]),
        ("    -> do this and do that too", ["    -> do this and", "       do that too"]),
        ("    /a/path/without/any/blank", ["    /a/path/without/", "    any/blank"]),
        ("FAILED  one two three four", ["FAILED  one two", "        three four"]),
        ("\x1b[31m  a red line that is long\x1b[0m", ["\x1b[31m  a red line that is", "  long\x1b[0m"]),
        ("第一個失敗在這裡和那裡", ["第一個失敗在這裡和那", "裡"]),
    ],
)
def test_a_line_is_broken_at_blanks_and_hangs_below_its_text(line: str, lines: list[str]) -> None:
    assert wrapped(line, 20) == lines


def test_a_log_line_is_whole_in_a_pipe_and_three_lines_on_a_terminal() -> None:
    assert quoted("x" * 500, 8, Paint(on=False)) == "x" * 500
    assert quoted("x" * 500, 8, Paint(on=False, width=48)) == "x" * 119 + "…"
