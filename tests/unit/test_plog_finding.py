"""A pattern over many records at once finds what it finds in each alone."""

import re
from pathlib import Path

import pytest

from getrace.plog.finding import BLOCK_BYTES, is_local
from getrace.replay import open_store

_HEAD = "[INFO] GE(370,python3):2023-07-13-07:42:40.{:03}.{:03} [model.cc:9]370 Run:"
_SAID = ("alpha", "beta alpha", "", "[x]", "ends with a", "begins", "a  b", "算子 alpha", "x" * 40, "gamma")


def _log(tmp_path: Path, count: int) -> str:
    path = tmp_path / "plog-370_1.log"
    lines = [_HEAD.format(n // 1000 % 1000, n % 1000) + _SAID[n % len(_SAID)] for n in range(count)]
    lines[3] += "\n  a line of its own, alpha"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "text",
    [
        "alpha",
        "(?i)ALPHA",
        r"a\s+b",
        r"a[^q]*b",
        r"\d{3}\.\d+",
        "^.INFO",
        "a$",
        r"x{40}",
        "算.",
        r"\s\[",
        "(?<=x)",
        ".",
    ],
)
def test_many_at_once_is_one_by_one(text: str, tmp_path: Path) -> None:
    store, pattern = open_store([_log(tmp_path, 60)]), re.compile(text)
    alone = [row for row in range(store.rows) if pattern.search(store.text(row))]
    assert store.matching(pattern, 0, store.rows).tolist() == alone
    assert store.matching(pattern, 7, 23).tolist() == [row for row in alone if 7 <= row < 23]


def test_several_logs_merged_by_time_are_searched_alike(tmp_path: Path) -> None:
    first = _log(tmp_path, 30)
    other = tmp_path / "plog-371_1.log"
    other.write_text(Path(first).read_text(encoding="utf-8").replace("(370", "(371"), encoding="utf-8")
    store, pattern = open_store([first, str(other)]), re.compile("beta")
    assert len(store.matching(pattern, 0, store.rows)) == 6
    assert store.matching(pattern, 0, store.rows).tolist() == [
        row for row in range(store.rows) if "beta" in store.text(row)
    ]


def test_more_than_a_block_is_searched_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "plog-370_1.log"
    lines = [_HEAD.format(0, n % 1000) + ("needle" if n == 29_999 else "hay " * 20) for n in range(30_000)]
    path.write_text("\n".join(lines), encoding="utf-8")
    store = open_store([str(path)])
    assert path.stat().st_size > 3 * BLOCK_BYTES
    assert store.matching(re.compile("needle"), 0, store.rows).tolist() == [29_999]


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("a.*b", True),
        ("(?:a|b)+", True),
        ("(?P<x>a)", True),
        ("^a", False),
        (r"a\Z", False),
        ("(?!a)", False),
        ("a*+", False),
        ("(?>a)", False),
        ("(?<!a)b", False),
        ("(?s).", False),
    ],
)
def test_what_a_neighbour_could_change_is_asked_alone(text: str, local: bool) -> None:
    assert is_local(re.compile(text)) == local
