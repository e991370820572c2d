"""Blocks scanned by workers: the same columns in the same order, progress, and stopping early."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from plog_generator import write_plog

from getrace.errors import UsageError
from getrace.plog import scan_parallel
from getrace.plog.file_store import FileStore
from getrace.plog.pace import Pace
from getrace.plog.reader import StopReadingError, read_source
from getrace.plog.scan import numpy_scanner
from getrace.plog.scan_choice import SCANNERS, VARIABLE, chosen_scanner
from getrace.plog.scan_native import extension, native_scanner
from getrace.plog.scan_parallel import Span, jobs_asked, jobs_for, scanned_by
from getrace.plog.scan_table import Scanner, table_scanner
from getrace.plog.source import Bytes, open_plain
from getrace.store.columns import COLUMNS, none_of
from getrace.store.names import Names

BLOCK = 1 << 16


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "plog-1_1.log"
    write_plog(path, 1_000_000, 0.5)
    return path


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getrace.plog.reader.BLOCK", BLOCK)
    monkeypatch.setattr(scan_parallel, "THREADS_FROM", 1)
    monkeypatch.setattr(scan_parallel, "PROCESSES_FROM", 1)


def read(log: Path, scanner: Scanner, jobs: int, progress: Callable[[int, int], None] | None = None) -> FileStore:
    store = FileStore()
    read_source(store, open_plain(str(log)), scanner, progress, jobs=jobs)
    return store


def columns(store: FileStore) -> dict[str, list[object]]:
    names = {
        name: [None if number == none_of(name) else store.names.text(number) for number in store.column(name).tolist()]
        for name in ("module", "kernel")
    }
    return {name: store.column(name).tolist() for name in COLUMNS} | names


def test_processes_give_the_columns_of_one_reader(log: Path) -> None:
    assert columns(read(log, numpy_scanner, jobs=2)) == columns(read(log, numpy_scanner, jobs=1))


@pytest.mark.skipif(extension() is None, reason="the compiled scanner was not built")
@pytest.mark.parametrize("jobs", [2, 3])
def test_threads_give_the_columns_of_one_reader(log: Path, jobs: int) -> None:
    assert columns(read(log, native_scanner, jobs)) == columns(read(log, table_scanner, jobs=1))


def test_only_a_few_blocks_are_on_their_way() -> None:
    taken: list[int] = []

    def spans() -> Iterator[Span]:
        for at in range(0, 200, 2):
            taken.append(at)
            yield Span(at, 2, closed=True)

    data = Bytes("plog.log", b"x\n" * 100)
    with ThreadPoolExecutor(2) as executor:
        for number, scanned in enumerate(scanned_by(executor, 2, data, spans(), Names(), table_scanner)):
            assert scanned.span == Span(2 * number, 2, closed=True)
            assert len(taken) <= number + 6
    assert len(taken) == 100


def test_progress_is_told_after_each_block_and_ends_at_the_size(log: Path) -> None:
    told: list[tuple[int, int]] = []
    read(log, numpy_scanner, 1, lambda done, total: told.append((done, total)))
    size = log.stat().st_size
    assert [total for _, total in told] == [size] * len(told)
    assert sorted(told) == told
    assert told[-1][0] == size
    assert len(told) >= size // BLOCK


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_was_read_before_a_stop_is_kept_and_labelled(log: Path, jobs: int) -> None:
    def stop(done: int, total: int) -> None:
        if done > total // 2:
            raise StopReadingError

    part, whole = read(log, numpy_scanner, jobs, stop), read(log, numpy_scanner, 1)
    assert 0.4 * whole.rows < part.rows < 0.7 * whole.rows
    assert part.column("time").tolist() == whole.column("time")[: part.rows].tolist()
    assert part.text(part.rows - 1) == whole.text(part.rows - 1)
    (source,) = part.sources
    (warning,) = source.warnings
    assert "reading was stopped after " in warning
    assert f" of {log.stat().st_size:,} bytes" in warning
    assert source.truncated


def test_a_small_log_and_a_caller_who_did_not_ask_get_no_processes() -> None:
    assert jobs_for(1 << 30, numpy_scanner, None) == 1
    assert jobs_for(1 << 30, numpy_scanner, 4) == 4
    assert jobs_for(0, numpy_scanner, 4) == 1


def test_a_number_of_jobs_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GETRACE_JOBS", "3")
    assert jobs_asked() == 3
    monkeypatch.setenv("GETRACE_JOBS", "many")
    with pytest.raises(UsageError, match="GETRACE_JOBS='many' is no number of workers"):
        jobs_asked()


def test_the_environment_chooses_the_scanner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert chosen_scanner() is (numpy_scanner if extension() is None else native_scanner)
    for name in ("table", "numpy"):
        monkeypatch.setenv(VARIABLE, name)
        assert chosen_scanner() is SCANNERS[name]
    monkeypatch.setenv(VARIABLE, "fast")
    with pytest.raises(UsageError, match="GETRACE_SCANNER=fast: there is no such scanner"):
        chosen_scanner()


def test_a_compiled_scanner_that_was_not_built_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getrace.plog.scan_choice.extension", lambda: None)
    monkeypatch.setenv(VARIABLE, "native")
    with pytest.raises(UsageError, match="GETRACE_SCANNER=native: the compiled scanner was not built"):
        chosen_scanner()
    monkeypatch.delenv(VARIABLE)
    assert chosen_scanner() is numpy_scanner


def test_pace_tells_rate_and_time_left() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    assert str(pace) == ""
    now[0] = 2.0
    pace(400_000_000, 1_000_000_000)
    assert (pace.rate, pace.seconds_left) == (200_000_000, 3.0)
    assert str(pace) == "400 of 1,000 MB, 200 MB/s, 3 s left"
    now[0] = 5.0
    pace(100, 2000)
    now[0] = 6.0
    assert (pace.rate, pace.seconds_left) == (100, 19.0)
