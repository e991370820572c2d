"""Following logs: growing, cut, rotated and new files, one poll after the other on a clock of the test's own."""

import gzip
import os
from pathlib import Path

import pytest

from getrace.errors import InputError, UsageError
from getrace.events.launch import ArgWords
from getrace.ingest.follow import FollowStore
from getrace.plog.scan import numpy_scanner
from getrace.plog.source import open_plain
from getrace.replay import follow_store, open_store
from getrace.store.selection import Selection


def line(micros: int, text: str = "x", pid: int = 1) -> str:
    return f"[INFO] GE({pid},p):2026-03-05-10:11:12.{micros // 1000:03d}.{micros % 1000:03d} [a.cc:1]5 F:{text}\n"


class Clock:
    """Time that goes on when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Followed:
    """A store that follows files of a folder, and the clock it reads."""

    def __init__(self, folder: Path, selection: Selection | None = None) -> None:
        self.clock = Clock()
        self.folder = folder
        self.store = FollowStore(numpy_scanner, self._logs, clock=self.clock, selection=selection)
        for path in self._logs():
            self.store.add(open_plain(path))

    def _logs(self) -> list[str]:
        return sorted(str(path) for path in self.folder.glob("*.log*") if "later" not in path.name)

    def poll(self, seconds: float = 0.1) -> int:
        self.clock.now += seconds
        return self.store.poll()

    def texts(self) -> list[str]:
        return [self.store.text(row) for row in range(self.store.rows)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "app.log"
    path.write_text(line(1) + line(2))
    return path


@pytest.fixture
def followed(log: Path) -> Followed:
    return Followed(log.parent)


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_what_is_added_is_there_with_the_next_poll(log: Path, followed: Followed) -> None:
    assert followed.poll() == 2
    append(log, line(3) + line(4))
    assert followed.poll() == 4
    assert followed.poll() == 4
    assert [text + "\n" for text in followed.texts()] == [line(at) for at in (1, 2, 3, 4)]
    assert followed.store.column("line").tolist() == [1, 2, 3, 4]
    source = followed.store.sources[0]
    assert (source.lines, source.records, source.size, source.warnings) == (4, 4, log.stat().st_size, [])


def test_half_a_line_waits_for_its_other_half(log: Path, followed: Followed) -> None:
    append(log, line(3)[:40])
    assert followed.poll() == 2
    append(log, line(3)[40:])
    assert followed.poll() == 3
    assert followed.texts()[-1] + "\n" == line(3)


def test_a_last_line_without_an_end_is_shown_when_nothing_comes_any_more(log: Path, followed: Followed) -> None:
    append(log, line(3).rstrip())
    assert [followed.poll(), followed.poll(0.5), followed.poll(0.6)] == [2, 2, 3]
    assert followed.texts()[-1] + "\n" == line(3)


def test_continuation_lines_that_come_later_belong_to_the_record_before(log: Path, followed: Followed) -> None:
    followed.poll()
    append(log, "  more\n")
    assert followed.poll() == 2
    append(log, "  and more\n" + line(3))
    assert followed.poll() == 3
    assert followed.texts()[1] == line(2) + "  more\n  and more"
    assert followed.store.column("lines").tolist() == [1, 3, 1]
    assert followed.store.sources[0].lines == 5


def test_a_log_that_is_cut_begins_again(log: Path, followed: Followed) -> None:
    followed.poll()
    log.write_text(line(7))
    assert followed.poll() == 2
    assert followed.poll() == 3
    assert followed.texts() == [*["(this record is gone: the log was cut)"] * 2, line(7).rstrip()]
    assert [followed.store.kind(row).kind for row in range(3)] == ["foreign", "foreign", "log_line"]
    assert [source.cut for source in followed.store.sources] == [True, False]
    assert followed.store.sources[0].warnings == [f"{log} was cut while it was followed: it begins again"]


def test_a_log_that_was_emptied_and_has_grown_past_what_was_read_begins_again(log: Path, followed: Followed) -> None:
    followed.poll()
    log.write_text(line(7) + line(8) + line(9))
    followed.poll()
    followed.poll()
    assert followed.texts()[2:] == [line(7).rstrip(), line(8).rstrip(), line(9).rstrip()]
    assert followed.store.sources[0].warnings == [f"{log} was cut while it was followed: it begins again"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_that_takes_the_name_of_a_log_is_told_and_not_waited_for(log: Path, followed: Followed) -> None:
    followed.poll()
    log.unlink()
    os.mkfifo(log)
    followed.poll(1.5)
    assert followed.store.sources[0].warnings == [f"{log} is no ordinary file"]
    assert len(followed.texts()) == 2


def test_a_renamed_log_is_read_to_its_end_and_the_new_one_from_its_beginning(log: Path, followed: Followed) -> None:
    followed.poll()
    append(log, line(3))
    log.rename(log.with_name("app.log.1"))
    log.write_text(line(4))
    assert followed.poll(1.5) == 4
    append(log, line(5))
    assert followed.poll() == 5
    assert [text + "\n" for text in followed.texts()] == [line(at) for at in (1, 2, 3, 4, 5)]


def test_a_log_that_was_rotated_and_packed_is_not_read_twice(log: Path, followed: Followed) -> None:
    followed.poll()
    log.with_name("app.log.1.gz").write_bytes(gzip.compress(log.read_bytes()))
    log.unlink()
    log.write_text(line(3))
    assert followed.poll(1.5) == 3


def test_a_log_that_vanishes_stays_readable(log: Path, followed: Followed) -> None:
    followed.poll()
    log.unlink()
    assert followed.poll(2) == 2
    assert followed.texts()[0] + "\n" == line(1)


def test_new_files_of_a_folder_are_found_within_a_second(log: Path, followed: Followed) -> None:
    followed.poll()
    (log.parent / "other.log").write_text(line(9, pid=2))
    assert followed.poll(0.1) == 2
    assert followed.poll(1.0) == 3
    assert followed.store.column("pid").tolist() == [1, 1, 2]


def test_the_next_file_of_ge_is_followed_though_only_the_first_was_named(tmp_path: Path) -> None:
    first = tmp_path / "plog-7_20260305101112000.log"
    first.write_text(line(1))
    clock = Clock()
    store = FollowStore(numpy_scanner, lambda: [str(first)], clock=clock)
    store.add(open_plain(str(first)))
    store.poll()
    (tmp_path / "plog-7_20260305101113000.log").write_text(line(2))
    (tmp_path / "plog-8_20260305101113000.log").write_text(line(3, pid=8))
    (tmp_path / "plog-7_20260305101111000.log").write_text(line(0))
    clock.now = 2
    assert store.poll() == 2


def test_several_logs_are_merged_by_time_poll_by_poll(tmp_path: Path) -> None:
    paths = [tmp_path / "a.log", tmp_path / "b.log"]
    for number, path in enumerate(paths):
        path.write_text("".join(line(10 * at + number, pid=number) for at in range(3)))
    followed = Followed(tmp_path)
    followed.poll()
    assert followed.store.column("pid").tolist() == [0, 1, 0, 1, 0, 1]
    for number, path in enumerate(paths):
        append(path, "  tail\n" + "".join(line(100 + 10 * at - number, pid=number) for at in range(2)))
    followed.poll()
    assert followed.store.column("pid").tolist() == [0, 1, 0, 1, 0, 1, 1, 0, 1, 0]
    append(paths[1], "  end\n")
    followed.poll()
    assert [text.count("\n") for text in followed.texts()] == [0, 0, 0, 0, 1, 1, 0, 0, 1, 0]


def test_a_message_split_over_two_polls_is_joined(log: Path, followed: Followed) -> None:
    name = "LaunchKernelWithHandle_add1_71"
    words = "".join(f"{word:#x} " for word in range(1, 300))
    size = 859 - len(name)
    pieces = [
        line(at, "x").replace("F:x", f"OnExecuteEvent:[KernelTrace][{name}]{text}")
        for at, text in ((5, words[:size]), (6, words[size:]))
    ]
    append(log, pieces[0])
    followed.poll()
    append(log, pieces[1])
    followed.poll()
    assert followed.store.event(2) == ArgWords(tuple(range(1, 300)))


def test_a_poll_reads_for_a_bounded_time_and_the_next_goes_on(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getrace.ingest.followed_file.BLOCK", 100)
    append(log, "".join(line(at) for at in range(3, 50)))
    store = FollowStore(numpy_scanner, None, clock=Clock(), budget=0)
    store.add(open_plain(str(log)))
    sizes = [store.poll() for _ in range(60)]
    assert sizes[:3] == [1, 2, 3]
    assert (sizes[-1], store.behind) == (49, 0)
    assert store.sources[0].lines == 49


def test_a_selection_holds_for_what_is_added(log: Path) -> None:
    followed = Followed(log.parent, Selection(pids=(2,)))
    followed.poll()
    append(log, line(3, "wanted", pid=2) + "  its tail\n" + line(4) + "  not wanted\n")
    assert followed.poll() == 1
    assert followed.texts() == [line(3, "wanted", pid=2) + "  its tail"]
    assert (followed.store.sources[0].left_out, followed.store.sources[0].lines) == (3, 2)


def test_a_file_that_may_not_be_read_is_told_once(log: Path, followed: Followed) -> None:
    followed.poll()
    (log.parent / "closed.log").mkdir()
    assert [followed.poll(1.5), followed.poll(1.5)] == [2, 2]
    assert len(followed.store.sources[0].warnings) == 1


def test_following_gives_what_reading_gives(tmp_path: Path) -> None:
    path = tmp_path / "plog-1_1.log"
    path.write_text("in front\n" + "".join(line(at) + "tail\n" * (at % 3) for at in range(2000)))
    (tmp_path / "b.log.gz").write_bytes(gzip.compress(line(5).encode()))
    whole, store = (
        open_store([str(path), str(tmp_path / "b.log.gz")]),
        follow_store([str(path), str(tmp_path / "b.log.gz")]),
    )
    store.poll()
    assert store.rows == whole.rows
    assert [store.text(row) for row in range(store.rows)] == [whole.text(row) for row in range(whole.rows)]
    assert [(each.lines, each.records) for each in store.sources] == [
        (each.lines, each.records) for each in whole.sources
    ]


def test_what_cannot_be_followed_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        follow_store([str(tmp_path / "no.log")])
    with pytest.raises(UsageError, match="cannot be selected by --stream or --iteration"):
        follow_store([os.devnull], selection=Selection(streams=(1,)))
