"""The screens on a real terminal: a shell in a pty starts them, resizes, suspends, resumes and ends them."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE = 60.0
SHELL = shutil.which("bash")
LEAVES = "\x1b[?1049l"
"""What takes a terminal back from the other screen."""
TAKES = "\x1b[?1049h"
LOG = "[INFO] GE(1,p):2026-03-05-10:11:12.000.{:03} [a.cc:1]5 F:[KernelTrace][Const_{}]\n"

pytestmark = pytest.mark.skipif(SHELL is None, reason="needs bash, for its job control")


class Terminal:
    """A shell with job control behind a pty, and all that it has written."""

    def __init__(self, folder: Path) -> None:
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            environment = {
                "TERM": "xterm-256color",
                "LANG": "C.UTF-8",
                "PATH": os.environ["PATH"],
                "PYTHONPATH": os.pathsep.join(sys.path),
                "PS1": "ready> ",
                "HOME": str(folder),
            }
            os.execve(str(SHELL), [str(SHELL), "--norc", "--noprofile", "-i"], environment)
        self.shown = ""
        self.resize(80, 24)

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window; the kernel tells the program in front."""
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def send(self, keys: str) -> int:
        """Type, and give the place in ``shown`` from which answers come."""
        before = len(self.shown)
        os.write(self.end, keys.encode())
        return before

    def wait_for(self, pattern: str, since: int = 0) -> re.Match[str]:
        """Read until a pattern was written after a place."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            found = re.compile(pattern).search(self.shown, since)
            if found:
                return found
            if select.select([self.end], [], [], 0.2)[0]:
                self.shown += os.read(self.end, 1 << 16).decode("utf-8", "replace")
        pytest.fail(f"{pattern!r} was not written; the end is {self.shown[-400:]!r}")

    def close(self) -> None:
        """End the shell and what it runs."""
        os.close(self.end)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    (tmp_path / "plog-1_1.log").write_text("".join(LOG.format(n, n) for n in range(50)))
    made = Terminal(tmp_path)
    yield made
    made.close()


def _start(terminal: Terminal, words: str = "open plog-1_1.log") -> int:
    terminal.wait_for("ready> ")
    return terminal.send(f"{sys.executable} -m getrace {words}; echo left $?\r")


def test_a_terminal_is_taken_resized_lent_to_the_shell_and_given_back(terminal: Terminal) -> None:
    since = _start(terminal)
    terminal.wait_for("Overview", terminal.wait_for(re.escape(TAKES), since).end())
    since = len(terminal.shown)
    terminal.resize(59, 14)
    terminal.wait_for("is too small", since)
    since = len(terminal.shown)
    terminal.resize(60, 15)
    terminal.wait_for("Verdict", since)
    since = terminal.send("\x1a")
    terminal.wait_for("Stopped", terminal.wait_for(re.escape(LEAVES), since).end())
    pid = int(terminal.wait_for(r"\r(\d+)\r\n", terminal.send("jobs -p\r"))[1])
    since = terminal.send("fg\r")
    terminal.wait_for("Verdict", terminal.wait_for(re.escape(TAKES), since).end())
    since = len(terminal.shown)
    os.kill(pid, signal.SIGTERM)
    terminal.wait_for("ready> ", since)
    left = terminal.shown[since:]
    assert left.count(LEAVES) == 1
    assert left.rfind("\x1b[?25h") > left.rfind("\x1b[?25l")
    for mouse in ("1000", "1003", "1006"):
        assert f"\x1b[?{mouse}l" in left
    assert "Traceback" not in left
    # The terminal echoes again: what is typed is seen.
    terminal.wait_for("\rheard 5", terminal.send("echo heard $((2+3))\r"))


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("TERM=dumb", "the terminal is dumb: it cannot show screens"),
        ("LANG=C", "the locale C has no signs but ASCII"),
        ("COLUMNS=40", "the terminal has 40x24 cells, the screens need 60x15"),
    ],
)
def test_a_terminal_that_cannot_show_screens_is_told_what_to_do(
    terminal: Terminal, setting: str, sentence: str
) -> None:
    terminal.wait_for("ready> ")
    since = terminal.send(f"export {setting}; {sys.executable} -m getrace open plog-1_1.log; echo left $?\r")
    terminal.wait_for("left 2", since)
    said = terminal.shown[since:]
    assert sentence in re.sub(r"\s+", " ", said)
    assert TAKES not in said
