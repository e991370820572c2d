"""Text for people: sizes, durations, columns."""

import pytest

from getrace.cli.layout import columns, duration_text, size_text


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
        (1_234_000_000_000, "1234 s"),
    ],
)
def test_durations_are_spelled(ns: int | None, text: str) -> None:
    assert duration_text(ns) == text


def test_columns_align_and_lines_end_without_blanks() -> None:
    assert columns([("a", "1", ""), ("bbb", "22", "x")], right=frozenset({1})) == ["  a     1", "  bbb  22  x"]


def test_no_rows_are_no_lines() -> None:
    assert columns([]) == []
