"""What a log holds is shown, never obeyed."""

import pytest

from getrace.printable import cell_width, fit, printable, tail, wrap


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[31mred\x1b[0m", "\\e[31mred\\e[0m"),
        ("\x1b]52;c;aGk=\x07", "\\e]52;c;aGk=\\x07"),
        ("bell\x07 null\x00 del\x7f", "bell\\x07 null\\x00 del\\x7f"),
        ("a\tb\r\nc", "a\\tb\\r\\nc"),
        ("\x9b2J", "\\x9b2J"),
        ("user\u202egnp.exe", "user\\u202egnp.exe"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("e\u0301", "e\\u0301"),
        ("line\u2028break\u2029", "line\\u2028break\\u2029"),
        ("half\ud800", "half\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("\U0001f1e9\U0001f1ea", "\\U0001f1e9\\U0001f1ea"),
        ("算子 GatherV2 失败", "算子 GatherV2 失败"),
        ("é ß → ✗", "é ß → ✗"),
        ("no\u00a0break\u3000wide", "no\\xa0break\\u3000wide"),
    ],
)
def test_characters_that_do_something_become_visible_escapes(hostile: str, shown: str) -> None:
    assert printable(hostile) == shown


def test_a_text_is_cut_at_its_limit_and_says_so() -> None:
    assert printable("abcdef", 4) == "abc…"
    assert printable("abcd", 4) == "abcd"
    assert printable("\x00\x00", 4) == "\\x0…"


def test_a_megabyte_becomes_as_long_as_the_limit() -> None:
    assert len(printable("\x1b" * 1_000_000)) == 2_000


@pytest.mark.parametrize(
    ("text", "width", "right", "fitted"),
    [
        ("abc", 5, False, "abc  "),
        ("abc", 5, True, "  abc"),
        ("abcdef", 4, False, "abc…"),
        ("算子失败", 5, False, "算子…"),
        ("算子失败", 4, False, "算… "),
        ("算", 4, True, "  算"),
        ("abc", 0, False, ""),
    ],
)
def test_a_cell_is_exactly_as_wide_as_asked(text: str, width: int, right: bool, fitted: str) -> None:
    assert fit(text, width, right=right) == fitted
    assert cell_width(fitted) == width


def test_a_long_line_breaks_by_cells_and_loses_nothing() -> None:
    assert wrap("abcdefg", 3) == ["abc", "def", "g"]
    assert wrap("算子失败", 5) == ["算子", "失败"]
    assert wrap("", 5) == [""]


@pytest.mark.parametrize(
    ("width", "end"), [(14, "/logs/算子.log"), (13, "…ogs/算子.log"), (8, "…子.log"), (7, "…子.log"), (1, "…")]
)
def test_the_end_of_a_path_is_kept(width: int, end: str) -> None:
    assert tail("/logs/算子.log", width) == end
