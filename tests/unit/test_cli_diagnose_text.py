"""``getrace diagnose --text``: console output has words, no records."""

import bz2
import gzip
import json
import lzma
from pathlib import Path

import pytest
import zstandard

from getrace.cli import main

Capture = pytest.CaptureFixture[str]


def test_the_line_that_tells_the_cause_is_answered(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "out.txt"
    path.write_text("step 1\nEE1001: [PID: 41] invalid device, set device=9, valid range [0, 8)\n", encoding="utf-8")
    assert main(["diagnose", "--text", str(path), "--json"]) == 1
    failure = json.loads(capsys.readouterr().out)["data"]["failure"]
    assert (failure["phase"], failure["error"]["line"], failure["confidence"]) == ("init", 2, "low")
    assert failure["cause"] == {"what": "device_number", "line": 2, "facts": {"device": "9", "code": "EE1001"}}


def test_a_text_that_tells_nothing_cannot_be_judged(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "out.txt"
    path.write_text("step 1\nstep 2\n", encoding="utf-8")
    assert main(["diagnose", "--text", str(path), "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["data"]["verdict"] == "unknown"


def test_one_file_is_read(tmp_path: Path, capsys: Capture) -> None:
    assert main(["diagnose", "--text", str(tmp_path / "a"), str(tmp_path / "b")]) == 2
    assert main(["diagnose", "--text", str(tmp_path / "a")]) == 3
    assert "cannot be read" in capsys.readouterr().err


_WORDS = "step 1\r\n\x1b[31mEE1001: [PID: 41] invalid device, set device=9, valid range [0, 8)\x1b[0m\r\n"


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(_WORDS.encode()),
        bz2.compress(_WORDS.encode()),
        lzma.compress(_WORDS.encode()),
        zstandard.compress(_WORDS.encode()),
        _WORDS.encode("utf-16"),
        _WORDS.encode("utf-8-sig"),
    ],
    ids=["gz", "bz2", "xz", "zst", "utf-16", "utf-8-sig"],
)
def test_a_text_is_read_as_people_save_it(data: bytes, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "page"
    path.write_bytes(data)
    assert main(["diagnose", "--text", str(path), "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["data"]["failure"]["error"]
    assert (error["line"], error["text"]) == (2, "EE1001: [PID: 41] invalid device, set device=9, valid range [0, 8)")


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "is empty"), (bytes(range(256)) * 9, "is a binary file"), (gzip.compress(b"a" * 99)[:-9], "cannot be read")],
    ids=["empty", "binary", "cut"],
)
def test_what_is_no_text_is_refused(data: bytes, said: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "page"
    path.write_bytes(data)
    assert main(["diagnose", "--text", str(path)]) == 3
    assert said in capsys.readouterr().err


def test_a_page_that_is_no_log_is_refused_with_the_way_to_ask_its_words(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "my page.txt"
    path.write_text("EE1001: [PID: 41] invalid device\n", encoding="utf-8")
    assert main(["diagnose", str(path)]) == 3
    assert f"getrace diagnose --text '{path}'" in capsys.readouterr().err
    path.write_bytes(bytes(range(256)) * 9)
    assert main(["diagnose", str(path)]) == 3
    assert "--text" not in capsys.readouterr().err
