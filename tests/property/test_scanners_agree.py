"""The three scanners on many lines: the same columns, no byte lost, and what is not understood is counted.

A share runs always, the rest with ``pytest -m long tests/property/test_scanners_agree.py``.
"""

import gzip
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from generated_lines import damaged, lines
from store_columns import columns_of, joined

from getrace.analysis.evidence import evidence
from getrace.errors import InputError
from getrace.plog.file_store import FileStore
from getrace.plog.reader import read_source
from getrace.plog.scan import numpy_scanner
from getrace.plog.scan_native import extension, native_scanner
from getrace.plog.scan_table import Scanner, table_scanner
from getrace.plog.source import Bytes
from getrace.store.columns import COLUMNS

FAST = [numpy_scanner] if extension() is None else [numpy_scanner, native_scanner]
PART = 20_000

Lines = Callable[[int], Iterator[bytes]]


def read(data: bytes, scanner: Scanner) -> FileStore:
    store = FileStore()
    read_source(store, Bytes("plog-1.log", data), scanner)
    return store


def log_of(make: Lines, seed: int, count: int) -> bytes:
    return b"\n".join(islice(make(seed), count)) + b"\n"


def assert_agree(data: bytes) -> FileStore:
    """Read a log with every scanner; gives the store of the table."""
    table = read(data, table_scanner)
    expected = columns_of(table)
    for scanner in FAST:
        found = columns_of(read(data, scanner))
        for name in COLUMNS:
            assert found[name] == expected[name], (scanner.__name__, name)
    return table


@pytest.mark.parametrize("make", [lines, damaged])
def test_the_scanners_agree_on_generated_and_on_damaged_lines(make: Lines) -> None:
    store = assert_agree(log_of(make, 1, PART))
    assert store.rows > PART * 0.5
    assert np.count_nonzero(store.column("rule")) > PART * 0.1


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 52))
def test_the_scanners_agree_on_a_million_lines(seed: int) -> None:
    assert_agree(log_of(lines, seed, PART))


def assert_whole(data: bytes, count: int, scanner: Scanner) -> None:
    """Assert that every byte and every line is in some row, and that the counts of ``check`` add up."""
    store = read(data, scanner)
    report = evidence(store)
    assert joined(store) + b"\n" == data
    assert (store.sources[0].lines, report.lines) == (data.count(b"\n"), data.count(b"\n"))
    assert int(store.column("lines").sum()) == data.count(b"\n")
    assert report.lines - report.records + report.glued >= 0
    assert set(report.not_understood) <= {
        "KernelTrace records of no row of the grammar",
        "lines like a record whose prefix cannot be read",
        "lines before the first record",
        "records without a time",
        "records of an unknown level",
        "records that GE cut",
        "lines too long for a record, as when line ends are lost",
    }
    assert all(number > 0 for number in report.not_understood.values())
    assert report.not_understood["KernelTrace records of no row of the grammar"] == report.unclaimed > count / 50
    assert report.not_understood["lines like a record whose prefix cannot be read"] > count / 50


def test_of_damaged_lines_no_byte_is_lost_and_what_is_not_understood_is_counted() -> None:
    for scanner in FAST:
        assert_whole(log_of(damaged, 60, PART // 4), PART // 4, scanner)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(61, 111))
def test_of_a_million_damaged_lines_no_byte_is_lost(seed: int) -> None:
    for scanner in FAST:
        assert_whole(log_of(damaged, seed, PART), PART, scanner)


def _logs(cases: Path) -> list[Path]:
    real = [path for path in (cases / "real").iterdir() if path.name != "CASES.tsv"]
    return sorted(real) + sorted(path for path in (cases / "truth" / "logs").rglob("*") if path.is_file())


def _agree_on(path: Path) -> int:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    try:
        return assert_agree(data).rows
    except InputError:
        for scanner in FAST:
            with pytest.raises(InputError):
                read(data, scanner)
        return 0


@pytest.mark.real
def test_the_scanners_agree_on_the_real_collection(cases: Path) -> None:
    small = [path for path in _logs(cases) if path.stat().st_size < 100_000]
    chosen = [path for path in small if path.parent.name == "real"] + small[::20]
    assert sum(map(_agree_on, chosen)) > 3_000


@pytest.mark.real
@pytest.mark.long
def test_the_scanners_agree_on_all_of_the_collections(cases: Path) -> None:
    assert sum(map(_agree_on, _logs(cases))) > 100_000
