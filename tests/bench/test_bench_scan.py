"""Columns from a plog: the block scanner against a script with one search per field, in one run."""

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import naive_plog
import numpy as np
import pytest
from plog_generator import write_plog

from getrace.plog.file_store import FileStore
from getrace.plog.reader import read_source
from getrace.plog.scan import numpy_scanner
from getrace.plog.source import open_plain

pytestmark = pytest.mark.bench

SIZE = 100_000_000
ROUNDS = 3


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _columns(path: Path) -> FileStore:
    store = FileStore()
    read_source(store, open_plain(str(path)), numpy_scanner)
    return store


@pytest.mark.parametrize("share", [0.02, 0.85])
def test_columns_come_at_least_twice_as_fast_as_a_naive_parse(tmp_path: Path, share: float) -> None:
    path = tmp_path / "bench.log"
    lines = write_plog(path, SIZE, share)
    ours, naive = [], []
    for _ in range(ROUNDS):
        ours.append(_seconds(lambda: _columns(path)))
        naive.append(_seconds(lambda: naive_plog.parse(path)))
    store = _columns(path)
    traced = int(np.count_nonzero(store.column("kernel") >= 0))
    assert store.rows == lines
    assert traced == sum(row["kernel"] is not None for row in naive_plog.parse(path))
    ratio = statistics.median(naive) / statistics.median(ours)
    size = path.stat().st_size / 1e6
    print(
        f"\n{share:.0%} KernelTrace: columns {size / statistics.median(ours):.0f} MB/s, "
        f"naive {size / statistics.median(naive):.0f} MB/s, ratio {ratio:.2f}"
    )
    assert ratio >= 2
