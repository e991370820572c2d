"""Reopening a log from the cache against reading it, and unpacking against both, in one run."""

import gzip
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from plog_generator import write_plog

from getrace.ingest.cache import Cache
from getrace.replay import open_store

pytestmark = pytest.mark.bench

SIZE = 1_000_000_000
"""Bytes: reading has become so fast that of a smaller log the first look at the file is most of both."""
ROUNDS = 3


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def test_reopening_takes_a_twentieth_of_reading(tmp_path: Path) -> None:
    path, told = tmp_path / "plog-1_1.log", list[str]()
    rows = write_plog(path, SIZE, 0.02)
    cache = Cache(tmp_path / "cache", told.append)
    open_store([str(path)], cache=cache)
    read, again = [], []
    for _ in range(ROUNDS):
        read.append(_seconds(lambda: open_store([str(path)])))
        again.append(_seconds(lambda: open_store([str(path)], cache=cache)))
    store = open_store([str(path)], cache=cache)
    kept = sum(file.stat().st_size for file in cache.folder.rglob("*.npy"))
    ratio = statistics.median(read) / statistics.median(again)
    print(
        f"\nreading {SIZE / 1e6 / statistics.median(read):.0f} MB/s, reopening {statistics.median(again):.3f} s, "
        f"ratio {ratio:.0f}; the entry has {kept / SIZE:.0%} of the log"
    )
    assert (store.rows, told) == (rows, [])
    assert ratio >= 20


def test_a_packed_log_takes_at_most_twice_as_long(tmp_path: Path) -> None:
    path, packed = tmp_path / "plog-1_1.log", tmp_path / "packed.log.gz"
    write_plog(path, SIZE // 20, 0.02)
    packed.write_bytes(gzip.compress(path.read_bytes(), 1))
    plain, unpacked = [], []
    for _ in range(ROUNDS):
        plain.append(_seconds(lambda: open_store([str(path)])))
        unpacked.append(_seconds(lambda: open_store([str(packed)])))
    ratio = statistics.median(unpacked) / statistics.median(plain)
    print(f"\ngzip: {ratio:.2f} times as long as plain")
    assert ratio <= 2
