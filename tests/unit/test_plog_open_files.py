"""Open files: a folder of many logs needs few of them, and a file that was closed must be the same when it is read."""

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from getrace.errors import ChangedError
from getrace.plog.open_files import OpenFiles
from getrace.plog.source import open_plain
from getrace.replay import open_store


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text(path.name * 10)
    return paths


def open_now() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks Linux which files are open")
def test_no_more_files_are_open_than_allowed(three: list[Path]) -> None:
    before = open_now()
    files = OpenFiles(2)
    sources = [open_plain(str(path), files) for path in three]
    assert open_now() - before == 2
    assert [source.read(0, 3) for source in sources * 2] == [b"aaa", b"bbb", b"ccc"] * 2
    assert open_now() - before == 2
    del files, sources
    assert open_now() == before


def test_a_file_that_was_replaced_while_it_was_closed_is_told(three: list[Path]) -> None:
    files = OpenFiles(1)
    sources = [open_plain(str(path), files) for path in three]
    three[2].replace(three[0])
    with pytest.raises(ChangedError, match="a is another file than it was"):
        sources[0].read(0, 3)
    three[1].unlink()
    with pytest.raises(ChangedError, match="b cannot be opened again: No such file"):
        sources[1].read(0, 3)


@pytest.fixture
def few_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_files")
def test_a_folder_of_more_logs_than_files_may_be_open_is_read(tmp_path: Path) -> None:
    for pid in range(400):
        line = f"[INFO] GE({pid},p):2026-03-05-10:11:12.000.{pid:03d} [a.cc:1]5 F:x\n"
        (tmp_path / f"plog-{pid}_1.log").write_text(line)
    store = open_store([str(tmp_path)])
    assert (store.rows, store.sources[0].warnings) == (400, [])
    assert all("F:x" in store.text(row) for row in range(400))
