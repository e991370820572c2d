"""The cache: the same rows from it as from the log, made anew when it is broken or stale, and never in the way."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from getrace.cli import main
from getrace.errors import UsageError
from getrace.ingest.cache import LIMIT, Cache, cache_of, code_version
from getrace.ingest.file_lock import file_lock
from getrace.plog.file_store import FileStore
from getrace.plog.scan import numpy_scanner
from getrace.plog.scan_table import Scan
from getrace.replay import follow_store, keep_read, open_store
from getrace.store.columns import COLUMNS
from getrace.store.names import Names
from getrace.store.selection import Selection


def line(micros: int, text: str = "x", pid: int = 1) -> str:
    return f"[INFO] GE({pid},p):2026-03-05-10:11:12.{micros // 1000:03d}.{micros % 1000:03d} [a.cc:1]5 F:{text}"


def words(at: int) -> list[str]:
    name, text = "LaunchKernelWithHandle_add1_71", "".join(f"{word:#x} " for word in range(1, 300))
    size = 859 - len(name)
    tracer = line(at).removesuffix("F:x") + "OnExecuteEvent:"
    return [f"{tracer}[KernelTrace][{name}]{part}" for part in (text[:size], text[size:])]


LOG = "\n".join(
    ["in front", *(line(at) + ("\n  tail" if at % 5 == 0 else "") for at in range(100)), *words(100), line(101, pid=2)]
)


class World:
    """A log, a cache for it, and what the cache told; ``reads`` counts logs that were scanned."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "plog-1_1.log"
        self.log.write_text(LOG)
        self.told: list[str] = []
        self.cache = Cache(folder / "cache", self.told.append, smallest=0)
        self.reads = 0

    def open(self, *more: Path, selection: Selection | None = None) -> FileStore:
        return open_store(
            [str(self.log), *map(str, more)], cache=self.cache, scanner=self._scanner, selection=selection
        )

    def entries(self) -> list[Path]:
        return [path for path in self.cache.folder.iterdir() if path.is_dir()]

    def _scanner(self, names: Names) -> Scan:
        self.reads += 1
        return numpy_scanner(names)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def everything(store: FileStore) -> tuple[object, ...]:
    columns = {name: store.column(name).tolist() for name in COLUMNS}
    texts = [store.text(row) for row in range(store.rows)]
    names = [store.names.text(number) for number in range(len(store.names))]
    return columns, texts, names, store.pieces, store.sources


def test_a_log_from_the_cache_is_the_log(world: World) -> None:
    first, second = world.open(), world.open()
    assert world.reads == 1
    assert everything(second) == everything(first)
    assert second.event(101) == first.event(101)
    assert (len(second.pieces), world.told) == (1, [])


def test_what_came_from_the_cache_can_be_changed_and_extended(world: World) -> None:
    world.open()
    store = world.open()
    store.columns.put("kernel", [0], [5])
    store.columns.extend(1, {"pid": 3})
    store.columns.take(np.arange(2))
    assert everything(world.open()) == everything(world.open())


def test_several_logs_come_from_the_cache_with_names_of_their_own(world: World, tmp_path: Path) -> None:
    other = tmp_path / "plog-2_1.log"
    other.write_text("\n".join(line(at, f"[KernelTrace][Tiling_b_{at}]", pid=7) for at in range(1, 60, 2)))
    plain = open_store([str(world.log), str(other)])
    read, kept = world.open(other), world.open(other)
    assert world.reads == 2
    assert everything(read) == everything(plain)
    assert everything(kept) == everything(plain)


def test_a_selection_is_answered_from_the_cache_but_not_kept(world: World) -> None:
    selection = Selection(pids=(2,))
    assert world.open(selection=selection).rows == 1
    assert not world.cache.folder.exists()
    world.open()
    store = world.open(selection=selection)
    assert (world.reads, store.rows, store.sources[0].left_out) == (2, 1, 103)


def test_a_log_that_was_changed_is_read_again_and_told(world: World) -> None:
    world.open()
    world.log.write_text(LOG.replace("in front", "IN FRONT"))
    os.utime(world.log, ns=(1, 1))
    assert world.open().text(0) == "IN FRONT"
    os.utime(world.log, ns=(2, 2))
    world.open()
    assert world.reads == 3
    assert world.told == [f"{world.log} was changed since it was read last: it is read again"]


def damage_columns(folder: Path) -> None:
    path = folder / "pid.npy"
    data = bytearray(path.read_bytes())
    data[-9] ^= 1
    path.write_bytes(data)


def cut_columns(folder: Path) -> None:
    path = folder / "time.npy"
    path.write_bytes(path.read_bytes()[:-8])


def empty_columns(folder: Path) -> None:
    (folder / "time.npy").write_bytes(b"")


def lose_columns(folder: Path) -> None:
    (folder / "line.npy").unlink()


def other_type(folder: Path) -> None:
    np.save(folder / "pid.npy", np.zeros(104, "f8"))


def objects(folder: Path) -> None:
    np.save(folder / "pid.npy", np.array([print] * 104, object), allow_pickle=True)


def other_facts(folder: Path) -> None:
    path = folder / "facts.json"
    path.write_text(path.read_text().replace("104", "105"))


def cut_facts(folder: Path) -> None:
    path = folder / "facts.json"
    path.write_text(path.read_text()[:-40])


def nested_facts(folder: Path) -> None:
    (folder / "facts.json").write_text("[" * 100_000)


def no_facts(folder: Path) -> None:
    (folder / "facts.json").unlink()


@pytest.mark.parametrize(
    "damage",
    [
        damage_columns,
        cut_columns,
        empty_columns,
        lose_columns,
        other_type,
        objects,
        other_facts,
        cut_facts,
        nested_facts,
        no_facts,
    ],
)
def test_a_broken_entry_is_made_anew_and_told(world: World, damage: Callable[[Path], None]) -> None:
    first = world.open()
    damage(world.entries()[0])
    assert everything(world.open()) == everything(first)
    assert everything(world.open()) == everything(first)
    assert world.reads == 2
    assert len(world.told) == 1
    assert f"the cache of {world.log} is broken" in world.told[0]


def test_other_code_does_not_use_what_this_code_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.open()
    monkeypatch.setattr("getrace.ingest.cache.code_version", lambda _root: "other")
    world.cache = Cache(world.cache.folder, world.told.append, smallest=0)
    world.open()
    assert (world.reads, len(world.entries())) == (2, 2)


@pytest.mark.parametrize("changed", ["plog/_native.abi3.so", "plog/rows/memory.py", "store/columns.py", "clock.py"])
def test_each_file_that_makes_columns_counts_for_the_code(tmp_path: Path, changed: str) -> None:
    for name in ("plog/_native.abi3.so", "plog/rows/memory.py", "store/columns.py", "clock.py", "ids.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    before = code_version(tmp_path)
    (tmp_path / "plog" / "README.md").write_text("words")
    assert code_version(tmp_path) == before
    (tmp_path / changed).write_text("other")
    assert code_version(tmp_path) != before


def test_a_log_under_another_name_is_found_by_its_content(world: World, tmp_path: Path) -> None:
    world.open()
    world.log = world.log.rename(tmp_path / "plog-9_9.log")
    assert world.open().sources[0].path == str(world.log)
    assert world.reads == 1


def test_what_was_used_last_stays_when_room_is_needed(world: World, tmp_path: Path) -> None:
    logs = [tmp_path / f"plog-{number}_1.log" for number in range(3)]
    for number, path in enumerate(logs):
        path.write_text(LOG + f"\n{line(500 + number)}")
    open_store([str(logs[0])], cache=world.cache)
    size = sum(file.stat().st_size for file in world.entries()[0].iterdir())
    world.cache = Cache(world.cache.folder, world.told.append, limit=int(2.5 * size), smallest=0)
    open_store([str(logs[1])], cache=world.cache)
    newer, older = sorted(world.entries(), key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
    os.utime(newer, ns=(1_000, 1_000))
    os.utime(older, ns=(2_000, 2_000))
    open_store([str(logs[2])], cache=world.cache)
    assert newer not in world.entries()
    assert (older in world.entries(), len(world.entries())) == (True, 2)


def test_a_log_larger_than_the_limit_is_not_kept(world: World) -> None:
    world.cache = Cache(world.cache.folder, world.told.append, limit=1000, smallest=0)
    world.open()
    assert not world.cache.folder.exists()


def test_a_small_log_is_not_kept(world: World) -> None:
    world.cache = Cache(world.cache.folder, world.told.append)
    world.open()
    assert not world.cache.folder.exists()


def test_without_room_the_log_is_read_and_that_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(world.log.parent)
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: usage._replace(free=1000))
    assert world.open().rows == 104
    assert world.told == [f"{world.log} is not kept in {world.cache.folder}: the disk has no room for it"]
    assert world.entries() == []


def test_a_disk_that_fills_up_leaves_nothing_behind(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(folder: Path, _kept: object) -> None:
        (folder / "pid.npy").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("getrace.ingest.cache.write_entry", full)
    assert world.open().rows == 104
    assert world.told == [f"{world.log} is not kept in {world.cache.folder}: No space left on device"]
    assert world.entries() == []


def test_without_right_the_log_is_read_and_that_is_told(world: World) -> None:
    world.cache.folder.write_text("a file where the folder should be")
    assert world.open().rows == 104
    assert len(world.told) == 1
    assert f"{world.log} is not kept in {world.cache.folder}" in world.told[0]


def test_a_cache_of_somebody_else_is_not_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: 12345)
    assert world.open().rows == 104
    assert world.told == [f"{world.log} is not kept in {world.cache.folder}: the folder belongs to somebody else"]


def test_the_second_of_two_instances_does_not_write(world: World) -> None:
    world.open()
    entry = world.entries()[0]
    shutil.rmtree(entry)
    with file_lock(entry.with_suffix(".lock")) as first:
        assert world.open().rows == 104
    assert (first, world.entries(), world.told) == (True, [], [])


_INSTANCE = """
import sys
from pathlib import Path
from getrace.ingest.cache import Cache
from getrace.replay import open_store
told = []
cache = Cache(Path(sys.argv[2]), told.append, smallest=0)
for _ in range(5):
    store = open_store([sys.argv[1]], cache=cache)
    print(store.rows, store.text(store.rows - 1)[-3:])
print(told)
"""


def test_instances_on_one_log_at_the_same_time_all_answer(world: World) -> None:
    command = [sys.executable, "-c", _INSTANCE, str(world.log), str(world.cache.folder)]
    instances = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = [instance.communicate()[0] for instance in instances]
    assert answers == ["104 F:x\n" * 5 + "[]\n"] * 3
    assert len(world.entries()) == 1


def test_a_log_that_grows_while_it_is_read_is_not_kept(world: World) -> None:
    def growing(names: Names) -> Scan:
        with world.log.open("a") as file:
            file.write(f"\n{line(200)}")
        return numpy_scanner(names)

    assert open_store([str(world.log)], cache=world.cache, scanner=growing).rows == 104
    assert not world.cache.folder.exists()


def test_a_log_that_was_read_behind_the_screen_is_kept(world: World) -> None:
    store = follow_store([str(world.log)], grow=False, cache=world.cache)
    while store.behind:
        store.poll()
    keep_read(store, world.cache)
    again = follow_store([str(world.log)], grow=False, cache=world.cache)
    assert (again.rows, again.behind) == (104, 0)
    assert everything(again)[:4] == everything(world.open())[:4]
    assert world.reads == 0


@pytest.mark.parametrize(
    ("environment", "folder", "limit"),
    [
        ({"XDG_CACHE_HOME": "/c"}, "/c/getrace", LIMIT),
        ({"XDG_CACHE_HOME": "/c", "GETRACE_CACHE": "on", "GETRACE_CACHE_SIZE": "2G"}, "/c/getrace", 2 << 30),
        ({"XDG_CACHE_HOME": "/c", "GETRACE_CACHE_SIZE": "500m"}, "/c/getrace", 500 << 20),
        ({"XDG_CACHE_HOME": "relative", "GETRACE_CACHE_SIZE": "77"}, "~/.cache/getrace", 77),
        ({}, "~/.cache/getrace", LIMIT),
    ],
)
def test_where_the_cache_is_and_how_large(environment: dict[str, str], folder: str, limit: int) -> None:
    cache = cache_of(environment, print)
    assert cache is not None
    assert (cache.folder, cache.limit) == (Path(folder).expanduser(), limit)


@pytest.mark.parametrize("word", ["off", "OFF", "0", "no"])
def test_the_cache_is_switched_off(word: str) -> None:
    assert cache_of({"GETRACE_CACHE": word}, print) is None


@pytest.mark.parametrize("variables", [{"GETRACE_CACHE": "maybe"}, {"GETRACE_CACHE_SIZE": "large"}])
def test_a_word_that_says_nothing_is_wrong_usage(variables: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        cache_of(variables, print)
    assert caught.value.hint


def test_the_command_line_keeps_large_logs_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GETRACE_CACHE", "on")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    log = tmp_path / "plog-1_1.log"
    log.write_text("\n".join(line(at % 1_000_000, "y" * 900) for at in range(9000)))
    answers = []
    for _ in range(2):
        assert main(["stats", str(log), "--by", "module", "--json"]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1]
    assert len([path for path in (tmp_path / "xdg" / "getrace").iterdir() if path.is_dir()]) == 1


def test_the_tests_themselves_have_no_cache() -> None:
    assert os.environ["GETRACE_CACHE"] == "off"
