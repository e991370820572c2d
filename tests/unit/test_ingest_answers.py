"""The table of what may go wrong around a log: each time the verb answers, says what happened, and ends with 0."""

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from getrace.cli import main
from getrace.ingest.cache import Cache
from getrace.ingest.file_lock import file_lock
from getrace.plog.scan import numpy_scanner
from getrace.plog.scan_table import Scan
from getrace.store.names import Names


def line(number: int, pid: int) -> str:
    return f"[INFO] GE({pid},p):2026-03-05-10:11:12.{number // 1000:03d}.{number % 1000:03d} [a.cc:1]5 F:{number}\n"


class World:
    """A folder with two logs, and a cache that keeps even small ones."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, held: ExitStack) -> None:
        self.logs = folder / "logs"
        self.logs.mkdir()
        for pid in (1, 2):
            (self.logs / f"plog-{pid}_1.log").write_text("".join(line(number, pid) for number in range(1000)))
        self.second = self.logs / "plog-2_1.log"
        self.home = folder / "xdg"
        self.patch = patch
        self.held = held
        patch.setenv("GETRACE_CACHE", "on")
        patch.setenv("XDG_CACHE_HOME", str(self.home))
        patch.setattr("getrace.ingest.cache.SMALLEST", 0)
        patch.setattr(Cache.__init__, "__defaults__", (8 << 30, 0))

    def while_read(self, harm: Callable[[], object]) -> None:
        """Do something when the first block of a log is read."""
        done: list[bool] = []

        def scanner(names: Names) -> Scan:
            if not done:
                done.append(True)
                harm()
            return numpy_scanner(names)

        self.patch.setattr("getrace.replay.chosen_scanner", lambda: scanner)


def nothing(_world: World) -> None:
    """Let all be well."""


def vanishes(world: World) -> None:
    world.while_read(world.second.unlink)


def shrinks(world: World) -> None:
    def cut() -> None:
        os.truncate(world.logs / "plog-1_1.log", 21_500)

    world.while_read(cut)


def is_closed(world: World) -> None:
    really = os.open

    def forbidding(name: str, *rest: int) -> int:
        if str(name) == str(world.second):
            raise PermissionError(13, "Permission denied", name)
        return really(name, *rest)

    world.patch.setattr("os.open", forbidding)


def no_room(world: World) -> None:
    usage = shutil.disk_usage(world.logs)
    world.patch.setattr("shutil.disk_usage", lambda _folder: usage._replace(free=1000))


def no_right(world: World) -> None:
    world.home.write_text("a file where a folder should be")


def no_home(world: World) -> None:
    world.patch.delenv("XDG_CACHE_HOME")
    world.patch.setattr("pathlib.Path.home", _nobody)


def _nobody() -> Path:
    raise RuntimeError("nobody's process")


def another_instance(world: World) -> None:
    main(["check", str(world.logs)])
    for entry in [path for path in (world.home / "getrace").iterdir() if path.is_dir()]:
        shutil.rmtree(entry)
        world.held.enter_context(file_lock(entry.with_suffix(".lock")))


def broken_cache(world: World) -> None:
    main(["check", str(world.logs)])
    for facts in world.home.rglob("facts.json"):
        facts.write_text("{}")


@pytest.mark.parametrize(
    ("happens", "records", "told"),
    [
        (nothing, 2000, ""),
        (vanishes, 1000, "plog-2_1.log: no such file"),
        (shrinks, 1366, "plog-1_1.log was cut while it was read: the answer is from its first 21,500 bytes"),
        (is_closed, 1000, "plog-2_1.log cannot be read: Permission denied"),
        (no_room, 2000, "is not kept in"),
        (no_right, 2000, "is not kept in"),
        (no_home, 2000, ""),
        (another_instance, 2000, ""),
        (broken_cache, 2000, "is broken (KeyError: 'body'): the log is read again"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_the_rest_is_answered(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    happens: Callable[[World], object],
    records: int,
    told: str,
) -> None:
    with ExitStack() as held:
        world = World(tmp_path, monkeypatch, held)
        happens(world)
        capsys.readouterr()
        assert main(["stats", str(world.logs), "--by", "module"]) == 0
    out, err = capsys.readouterr()
    assert out.split()[-2:] == ["GE", str(records)]
    assert told in err
    assert bool(told) == bool(err)
