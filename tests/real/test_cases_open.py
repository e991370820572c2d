"""Every real file either opens as a log, every line accounted for, or is refused by name."""

from pathlib import Path

import pytest
from case_01_facts import KINDS_OF_CASE_01

from getrace.errors import InputError
from getrace.events import EVENTS
from getrace.plog.convert import convert
from getrace.plog.scan import numpy_scanner
from getrace.plog.scan_table import table_scanner
from getrace.replay import open_store
from getrace.store.columns import COLUMNS, CUT

pytestmark = pytest.mark.real

# What is refused, and the words that say what it is.
REFUSED = {
    "is a graph dump": (5, 6, 25, 26, 118, 120),
    "is a ge_onnx dump": (3, 4),
    "is a JSON document": (122,),
    "is a table (CSV)": (124, 125, 127, 129, 131, 132),
    "is a log of the host's kernel driver": (204, 209),
}


def _files(cases: Path) -> list[Path]:
    return sorted(path for path in (cases / "real").iterdir() if path.name != "CASES.tsv")


def _number(path: Path) -> int:
    return int("".join(letter for letter in path.name.split("-")[0] if letter.isdigit()))


def test_every_file_opens_or_is_refused_by_name(cases: Path) -> None:
    refused: dict[str, str] = {}
    opened = 0
    for path in _files(cases):
        data = path.read_bytes()
        try:
            store = open_store([str(path)])
        except InputError as error:
            refused[path.name] = error.message
            continue
        opened += 1
        lines = data.count(b"\n") + (not data.endswith(b"\n"))
        continuation = int(store.column("lines").sum()) - store.rows
        assert (store.sources[0].lines, store.rows + continuation) == (lines, lines), path.name
    assert InputError.exit_code == 3
    for words, numbers in REFUSED.items():
        assert sorted(_number(Path(name)) for name, text in refused.items() if words in text) == list(numbers)
    assert [name for name, text in refused.items() if "is no plog: not one line" in text] == []
    assert opened + len(refused) == len(_files(cases))
    assert opened >= 60


def test_no_refused_file_holds_a_record(cases: Path) -> None:
    for path in _files(cases):
        try:
            open_store([str(path)])
        except InputError:
            text = path.read_bytes()
            assert b"[KernelTrace]" not in text
            assert b"] GE(" not in text, path.name


def test_both_scanners_give_the_same_columns(cases: Path) -> None:
    for path in _files(cases):
        try:
            slow = open_store([str(path)], scanner=table_scanner)
        except InputError:
            continue
        fast = open_store([str(path)], scanner=numpy_scanner)
        for name in set(COLUMNS) - {"kernel", "module"}:
            assert (slow.column(name) == fast.column(name)).all(), (path.name, name)
        assert [slow.kernel(row) for row in range(slow.rows)] == [fast.kernel(row) for row in range(fast.rows)]


def test_case_01_holds_the_messages_the_spec_counts(case_01: Path) -> None:
    store = open_store([str(case_01)])
    assert (store.sources[0].lines, store.rows, store.sources[0].dialects) == (9004, 8953, ("rt2-2023",))
    traces = [row for row in range(store.rows) if store.kernel(row) is not None or "[KernelTrace]" in store.text(row)]
    counts: dict[str, int] = {}
    for row in traces:
        kind = EVENTS[int(store.column("kind")[row])].kind
        counts[kind] = counts.get(kind, 0) + 1
    assert counts == KINDS_OF_CASE_01
    assert sum(counts.values()) == 132
    assert store.column("line")[store.column("flags") & CUT != 0].tolist() == [8337, 8405]


def test_case_01_comes_back_from_its_events(case_01: Path, tmp_path: Path) -> None:
    target = tmp_path / "again.log"
    done = convert(open_store([str(case_01)]), target)
    assert target.read_bytes() == case_01.read_bytes()
    assert done.lines == 9004
    assert done.through_rows >= 132


def test_the_fixture_of_the_guides_is_read_in_the_guide_dialect(cases: Path) -> None:
    path = next((cases / "real").glob("81-*"))
    store = open_store([str(path)])
    kinds = [EVENTS[number].kind for number in store.column("kind").tolist()]
    assert kinds == ["foreign", "log_line", "stream_split", "stream_split", "notify_got", "event_sent", "event_waited"]
    assert store.sources[0].dialects == ("guide",)
