"""Screens on logs that are still being read: which logs, and what is said when they are read."""

from argparse import Namespace
from pathlib import Path

import pytest

from getrace.cli import main
from getrace.cli.growing import WhenRead
from getrace.cli.verbs import open as open_verb
from getrace.replay import follow_store


def line(micros: int, level: str = "INFO", text: str = "x") -> str:
    return f"[{level}] GE(1,p):2026-03-05-10:11:12.000.{micros:03d} [a.cc:1]5 F:{text}\n"


def judged(path: Path, finish: list[int]) -> str:
    store = follow_store([str(path)], grow=False)
    read = WhenRead(store, lambda: finish.append(store.rows))
    assert read.verdict() is None
    while store.behind:
        store.poll()
    read.verdict()
    thread = read._thread
    assert thread is not None
    thread.join()
    said = read.verdict()
    assert said is not None
    return said


def test_a_log_without_a_failure_is_said_to_be_read(tmp_path: Path) -> None:
    path, finished = tmp_path / "a.log", list[int]()
    path.write_text("".join(line(at) for at in range(900)))
    assert judged(path, finished) == "all 900 records are read"
    assert finished == [900]


def test_a_log_with_a_failure_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    text = "[KernelTrace][AllocMemHbm_add1_3] ErrorNo: 4294967295(failed) kernel failed"
    path.write_text(line(1) + line(2, "ERROR", text))
    assert judged(path, []) != ""


def test_a_verdict_that_fails_leaves_the_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_store: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr("getrace.cli.growing.verdict_of", broken)
    path = tmp_path / "a.log"
    path.write_text(line(1))
    assert judged(path, []) == "all 1 records are read; the verdict failed, use diagnose"


@pytest.mark.parametrize(
    ("size", "options", "large"),
    [
        (99, {}, False),
        (100, {}, True),
        (100, {"pid": [1]}, True),
        (100, {"stream": [1]}, False),
        (100, {"paths": 2}, False),
    ],
)
def test_the_screen_does_not_wait_for_one_large_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, options: dict[str, object], *, large: bool
) -> None:
    monkeypatch.setattr("getrace.cli.verbs.open.LARGE", 100)
    path = tmp_path / "a.log"
    path.write_bytes(bytes(size))
    paths = [str(path)] * int(str(options.pop("paths", 1)))
    assert open_verb._is_large(Namespace(paths=paths, **options)) is large


def test_following_needs_a_terminal_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["open", "--follow", str(tmp_path)]) == 2
    assert "open needs a terminal" in capsys.readouterr().err
