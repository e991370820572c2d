"""What a log holds is shown on a terminal and never obeyed by it."""

import io
from pathlib import Path

import pytest

from getrace.cli import main
from getrace.cli.command import shows_screens
from getrace.cli.layout import Paint
from getrace.whole_file import whole_file

Capture = pytest.CaptureFixture[str]

EVIL = "\x1b]0;owned\x07\x1b[2J\u202e"
LOG = f"""\
[INFO] GE(1,p):2026-03-05-10:11:12.000.001 [executor_tracer.cc:47]5 OnExecuteEvent:[KernelTrace] Start model tracing.
[INFO] GE(1,p):2026-03-05-10:11:12.000.002 [a.cc:1]5 F:[KernelTrace][AllocMemHbm_{EVIL}_63][MEM]Alloc memory at stream \
0, block 0x1, address 0x12c041200000, size 512
[INFO] GE(1,p):2026-03-05-10:11:12.000.003 [a.cc:1]5 F:[KernelTrace][AllocMemHbm_{EVIL}_63]what {EVIL} is this
[ERROR] GE(1,p):2026-03-05-10:11:12.000.004 [a.cc:1]5 F: ErrorNo: 4294967295(failed)[KernelTrace][A_1]{EVIL}
"""


@pytest.mark.parametrize("colour", ["always", "never"])
@pytest.mark.parametrize(
    "verb",
    [
        ("check",),
        ("diagnose",),
        ("memory",),
        ("stats",),
        ("stats", "--by", "op"),
        ("memory", "--addr", "0x12c041200000"),
    ],
)
def test_no_escape_of_a_log_reaches_the_terminal(
    verb: tuple[str, ...], colour: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "plog-1_1.log"
    path.write_text(LOG)
    main([verb[0], str(path), *verb[1:], "--color", colour])
    shown = "".join(capsys.readouterr())
    assert shown
    for char in ("\x1b]", "\x1b[2J", "\x07", "\u202e"):
        assert char not in shown


def test_no_escape_of_a_file_name_reaches_the_terminal(capsys: Capture) -> None:
    assert main(["check", f"no{EVIL}.log"]) == 3
    assert capsys.readouterr().err.startswith("getrace: no\\e]0;owned\\x07\\e[2J\\u202e.log: ")


def test_paint_keeps_its_own_styles_and_no_others() -> None:
    paint = Paint(on=True)
    assert paint.safe(paint("red", "a") + "\x1b[5mb") == "\x1b[31ma\x1b[0m\\e[5mb"
    assert Paint(on=False).safe("\x1b[31ma") == "\\e[31ma"


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")

    def stop() -> None:
        with whole_file(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]
    with whole_file(path) as file:
        file.write(b"after")
    assert path.read_text() == "after"


class _Stream(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def test_screens_need_a_terminal_at_all_three_streams_for_they_are_drawn_on_the_last() -> None:
    there, away = _Stream(terminal=True), _Stream(terminal=False)
    assert shows_screens(there, there, there)
    assert not shows_screens(there, there, away)
    assert not shows_screens(there, away, there)
    assert not shows_screens(None, there, there)
