"""Searching the text of a log: whole records, over borders of chunks, and what a selection left out."""

import re
from pathlib import Path

import numpy as np
import pytest

from getrace.plog import search
from getrace.plog.file_store import FileStore
from getrace.plog.search import literal_of
from getrace.replay import open_store

LINE = "[INFO] GE(1,p):2026-03-05-10:11:12.000.{number:03d} [a.cc:1]5 F:{text}\n"
TEXTS = ("first", "needle", "two\nneedle behind a newline", "needle needle", "nothing", "nee", "dle")


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    path = tmp_path / "plog-1_1.log"
    path.write_text("".join(LINE.format(number=number, text=text) for number, text in enumerate(TEXTS)))
    return open_store([str(path)])


def found(store: FileStore, text: str) -> list[int]:
    assert literal_of(re.compile(re.escape(text))) == text
    rows: list[int] = store.matching(re.compile(re.escape(text)), 0, store.rows).tolist()
    return rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("needle", [1, 2, 3]),
        ("F:nee", [1, 3, 5]),
        ("two\nneedle", [2]),
        ("nee\n", []),  # the newline between two records belongs to neither
        ("absent", []),
        ("[a.cc:1]5 F:two", [2]),
    ],
)
def test_rows_are_found_by_what_stands_in_them(store: FileStore, text: str, rows: list[int]) -> None:
    assert found(store, text) == rows


@pytest.mark.parametrize("chunk", [1, 7, 64, 200])
def test_a_text_over_the_border_of_two_chunks_is_found_once(
    store: FileStore, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_CHUNK", chunk)
    assert found(store, "needle") == [1, 2, 3]
    assert found(store, "behind") == [2]


def test_rows_that_were_dropped_are_not_found(store: FileStore) -> None:
    store.keep(np.array([0, 3]))
    assert found(store, "needle") == [1]


def test_each_of_several_logs_is_searched(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"plog-{name}.log").write_text(LINE.format(number=1, text=f"needle {name}"))
    store = open_store([str(tmp_path)])
    assert sorted(store.text(row)[-8:] for row in found(store, "needle")) == ["needle a", "needle b"]


@pytest.mark.parametrize("pattern", ["nee.le", "a|b", r"\d", "x*", "[ab]", "(x)", "^a", "(?i)needle", ""])
def test_a_pattern_that_is_more_than_a_text_is_none(pattern: str) -> None:
    assert literal_of(re.compile(pattern)) is None


def test_only_the_rows_asked_for_are_searched(store: FileStore) -> None:
    assert store.matching(re.compile("needle"), 2, 4).tolist() == [2, 3]
    assert store.matching(re.compile("needle"), 4, 4).tolist() == []
