"""What the command line says when the machine gives it no place to write, or no memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import getrace
from getrace.cli import command, main

Capture = pytest.CaptureFixture[str]

ROOT = Path(getrace.__file__).parents[1]


def ended(shell: str) -> tuple[int, str, str]:
    """Run ``getrace`` as a shell does, with the redirections of ``shell``; its code, output and errors."""
    command_line = f'exec "$0" -c "import sys; from getrace.cli import main; sys.exit(main())" {shell}'
    done = subprocess.run(
        ["/bin/sh", "-c", command_line, sys.executable],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("verb", ["--version", "run add_example --no-tui", "run add_example --json"])
def test_a_full_disk_is_a_sentence(verb: str) -> None:
    code, _, err = ended(f"{verb} > /dev/full")
    assert (code, err.splitlines()) == (
        2,
        [
            "getrace: cannot write to standard output: No space left on device",
            "  -> send it where there is room, or to a file with > FILE",
        ],
    )


def test_a_closed_output_is_a_sentence() -> None:
    code, _, err = ended("--version >&-")
    assert (code, err.splitlines()[0]) == (2, "getrace: standard output is closed")


def test_closed_errors_change_neither_answer_nor_code() -> None:
    assert ended("--version 2>&-")[:2] == (0, f"getrace {getrace.__version__}\n")
    assert ended("nonsense 2>&-")[:2] == (2, "")


def test_too_little_memory_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(command, "_run", full)
    assert main(["check", "x"]) == 3
    assert capsys.readouterr().err.splitlines()[0] == "getrace: this machine has not enough memory for that"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--seed", "-1"], "--seed -1 is less than nothing"),
        (["--out", ""], "--out names no folder"),
        (["--input", "x1=2", "--input", "x1=3"], "input x1 is given twice"),
        (["--steps", "x"], "run: argument --steps: invalid int value: 'x'"),
        (
            ["--input", "x1=99999999999"],
            "the inputs have 400000008188 bytes (x1 alone 399999999996), the device has 68719476736",
        ),
    ],
)
def test_a_wrong_option_of_a_run_is_a_sentence_and_a_hint(words: list[str], sentence: str, capsys: Capture) -> None:
    assert main(["run", "add_example", "--no-tui", *words]) == 2
    said, hint = capsys.readouterr().err.splitlines()
    assert said == f"getrace: {sentence}"
    assert hint.startswith("  -> ")


def test_too_many_dimensions_come_with_a_hint(capsys: Capture) -> None:
    assert main(["run", "add_example", "--no-tui", "--input", f"x1={'x'.join('1' * 36)}"]) == 3
    assert capsys.readouterr().err.splitlines() == [
        "getrace: a shape has 36 dimensions, GE holds at most 25",
        "  -> merge some, so that 25 or fewer are left",
    ]
