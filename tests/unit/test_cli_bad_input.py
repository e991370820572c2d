"""Bad input gets a sentence and exit 2 or 3, never a traceback."""

import gzip
import io
import json
import lzma
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from getrace.cli import main

Capture = pytest.CaptureFixture[str]
Maker = Callable[[Path], Path]

LINE = b"[INFO] GE(370,python3):2023-07-13-07:42:40.488.655 [executor_tracer.cc:40]1432 OnExecuteEvent:hello\n"


def file_of(content: bytes, name: str = "plog-1_20230713074107907.log") -> Maker:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    return make


def missing(folder: Path) -> Path:
    return folder / "nothing.log"


def empty_folder(folder: Path) -> Path:
    path = folder / "logs"
    path.mkdir()
    return path


def truncated_gzip(folder: Path) -> Path:
    path = folder / "plog-1_20230713074107907.log.gz"
    path.write_bytes(gzip.compress(LINE * 10_000)[:-40])
    return path


UNREADABLE: dict[str, Maker] = {
    "no such file": missing,
    "a folder without logs": empty_folder,
    "a binary file": file_of(bytes(range(256)) * 40),
    "an empty file": file_of(b""),
    "a gzip without its data": file_of(gzip.compress(LINE)[:10]),
    "a text that is no log": file_of(b"hello\nworld\n"),
    "a name that is too long": lambda folder: folder / ("a" * 300),
    "a gzip in a gzip": file_of(gzip.compress(gzip.compress(LINE))),
}


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.parametrize("verb", [("check",), ("diagnose",), ("stats",), ("memory",), ("convert", "-o", "{out}")])
def test_what_is_no_log_is_refused_with_its_name(
    name: str, verb: tuple[str, ...], tmp_path: Path, capsys: Capture
) -> None:
    path = UNREADABLE[name](tmp_path)
    rest = [part.format(out=tmp_path / "out.log") for part in verb[1:]]
    assert main([verb[0], str(path), *rest]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert path.name in err
    assert "Traceback" not in err


@pytest.mark.parametrize("verb", ["check", "diagnose", "stats", "memory"])
def test_a_truncated_gzip_is_answered_from_what_came_before_and_ends_with_3(
    verb: str, tmp_path: Path, capsys: Capture
) -> None:
    path = truncated_gzip(tmp_path)
    assert main([verb, str(path)]) == 3
    out, err = capsys.readouterr()
    assert out
    assert re.search(r"getrace: \S+log\.gz: the gzip data breaks off after [1-9][\d,]+ bytes of log", err)
    assert "Traceback" not in err


def test_a_gzip_whose_checksum_is_wrong_is_answered_to_its_last_line(tmp_path: Path, capsys: Capture) -> None:
    path = file_of(gzip.compress(LINE * 10_000)[:-8] + bytes(8), "app.log.gz")(tmp_path)
    assert main(["check", "--json", str(path)]) == 3
    assert json.loads(capsys.readouterr().out)["data"]["lines"] == 10_000


def test_a_file_that_pzstd_wrote_is_read(tmp_path: Path, capsys: Capture) -> None:
    packed = b"\x50\x2a\x4d\x18\x04\0\0\0size" + zstandard.compress(LINE)
    assert main(["check", "--json", str(file_of(packed, "app.log.zst")(tmp_path))]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["lines"] == 1


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (gzip.compress(gzip.compress(LINE)), "packed data that was packed once more"),
        (lzma.compress(LINE, format=lzma.FORMAT_ALONE), "packed in a way that is not read (lz4, compress or lzma)"),
    ],
)
def test_what_is_packed_otherwise_is_refused_by_name(packed: bytes, said: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["check", str(file_of(packed, "app.log")(tmp_path))]) == 3
    assert said in capsys.readouterr().err


def test_a_path_through_a_closed_folder_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def forbidding(*_: object, **__: object) -> object:
        raise PermissionError(13, "Permission denied")

    path = file_of(LINE)(tmp_path)
    monkeypatch.setattr(Path, "stat", forbidding)
    monkeypatch.setattr(Path, "open", forbidding)
    assert main(["check", str(path)]) == 3
    assert f"{path} cannot be read: Permission denied" in capsys.readouterr().err


@pytest.mark.parametrize(
    "verb", [("lower",), ("run", "--no-tui"), ("graph", "-o", "g.svg"), ("open", "--linear", "events")]
)
def test_a_model_or_log_whose_name_is_too_long_is_a_sentence(verb: tuple[str, ...], capsys: Capture) -> None:
    assert main([verb[0], "a" * 300, *verb[1:]]) == 3
    assert "File name too long" in capsys.readouterr().err


def test_an_empty_name_is_a_sentence(capsys: Capture) -> None:
    assert main(["check", ""]) == 3
    assert "the name of a log is empty" in capsys.readouterr().err


def test_standard_input_that_is_closed_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["check", "-"]) == 3
    assert "standard input is closed" in capsys.readouterr().err


def test_standard_input_that_is_named_twice_is_read_once(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LINE)))
    assert main(["check", "-", "-"]) == 0
    assert "standard input was given twice and read once" in capsys.readouterr().err


def test_an_interrupt_before_the_command_is_there_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> object:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("builtins.__import__", interrupted)
        code = main(["--version"])
    assert code == 130


@pytest.mark.parametrize("end", [b"\r", b" "])
def test_check_calls_no_log_whole_that_has_lost_its_line_ends(end: bytes, tmp_path: Path, capsys: Capture) -> None:
    path = file_of((LINE * 1_000).replace(b"\n", end) + b"\n" + LINE)(tmp_path)
    assert main(["check", str(path)]) == 1
    assert capsys.readouterr().out.startswith("INCOMPLETE  1 lines too long for a record\n")


def test_of_many_warnings_the_first_are_printed_and_the_rest_counted(tmp_path: Path, capsys: Capture) -> None:
    file_of(LINE)(tmp_path)
    for number in range(50):
        file_of(b"", f"plog-2_{number}.log")(tmp_path)
    assert main(["check", str(tmp_path)]) == 0
    err = capsys.readouterr().err.splitlines()
    assert len(err) == 21
    assert err[-1] == "getrace: warning: 30 more warnings like these: --json has all of them"


def test_check_names_a_broken_file(tmp_path: Path, capsys: Capture) -> None:
    path = truncated_gzip(tmp_path)
    assert main(["check", str(path), "--json"]) == 3
    (broken,) = json.loads(capsys.readouterr().out)["data"]["broken"]
    assert broken.startswith(f"{path}: the gzip data breaks off")


def test_one_line_of_fifty_megabytes_is_read_or_refused(tmp_path: Path, capsys: Capture) -> None:
    path = file_of(LINE[:-1] + b"x" * 50_000_000 + b"\n")(tmp_path)
    assert main(["diagnose", str(path)]) == 3
    assert "Traceback" not in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_a_wrong_usage(tmp_path: Path, capsys: Capture) -> None:
    log = file_of(LINE)(tmp_path)
    assert main(["convert", str(log), "-o", str(tmp_path / "no" / "such" / "folder.log")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_a_log_is_not_converted_onto_itself(tmp_path: Path, capsys: Capture) -> None:
    log = file_of(LINE)(tmp_path)
    assert main(["convert", str(log), "-o", str(log)]) == 2
    assert log.read_bytes() == LINE


def not_python(folder: Path) -> Path:
    return file_of(b"def build(:\n", "broken.py")(folder)


def no_build(folder: Path) -> Path:
    return file_of(b"x = 1\n", "empty.py")(folder)


def wrong_build(folder: Path) -> Path:
    return file_of(b"def build():\n    return 7\n", "seven.py")(folder)


MODELS: dict[str, Maker] = {
    "no such file": lambda folder: folder / "nothing.py",
    "not Python": not_python,
    "no build": no_build,
    "build gives a number": wrong_build,
    "a file that ends the program": file_of(b"import sys\nsys.exit(0)\n", "leaver.py"),
    "build ends the program": file_of(b"def build():\n    raise SystemExit(7)\n", "later.py"),
    "an onnx file": file_of(b"\x08\x07", "model.onnx"),
    "an om file": file_of(b"IMOD", "model.om"),
    "a log": file_of(LINE),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("verb", [("run",), ("graph", "-o", "{out}")])
def test_what_is_no_model_is_refused_with_its_name(
    name: str, verb: tuple[str, ...], tmp_path: Path, capsys: Capture
) -> None:
    path = MODELS[name](tmp_path)
    rest = [part.format(out=tmp_path / "out.svg") for part in verb[1:]]
    assert main([verb[0], str(path), *rest]) == 3
    err = capsys.readouterr().err
    assert path.name in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--input", "x9=2x4"), "no input 'x9'"),
        (("--input", "x1=2xq"), "'x1=2xq'"),
        (("--input", "x1=2x4:float99"), "'float99'"),
        (("--input", "x1"), "'x1'"),
        (("--device", "nosuch"), "ascend910b"),
        (("--steps", "-1"), "--steps -1"),
        (("--steps", "many"), "invalid int value: 'many'"),
        (("--start-time", "noon"), "'noon' is no time"),
        (("--out", "/proc/nowhere"), "cannot write /proc/nowhere"),
        (("--tui", "--no-tui"), "not allowed with"),
        (("--tui",), "--tui needs a terminal"),
        (("--executor", "fastest"), "invalid choice: 'fastest'"),
    ],
)
def test_a_wrong_option_of_run_gets_a_sentence_and_exit_2(options: tuple[str, ...], said: str, capsys: Capture) -> None:
    assert main(["run", "add_example", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err


def test_a_missing_file_of_numbers_is_unreadable(capsys: Capture) -> None:
    assert main(["run", "add_example", "--input", "x1=nothing.npy"]) == 3
    assert "nothing.npy cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "picture.zzz"), ".zzz"),
        (("-o", "/proc/nowhere/g.svg"), "cannot write /proc/nowhere/g.svg"),
        (("-o", "g.dot", "--max-nodes", "0"), "0 nodes"),
        (("-o", "g.dot", "--stage", "sometime"), "invalid choice: 'sometime'"),
        ((), "the following arguments are required: -o/--output"),
    ],
)
def test_a_wrong_option_of_graph_gets_a_sentence_and_exit_2(
    options: tuple[str, ...], said: str, capsys: Capture
) -> None:
    assert main(["graph", "add_example", *options]) == 2
    assert said in capsys.readouterr().err


def test_somebody_elses_folder_is_not_written_into(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    assert main(["run", "add_example", "--out", str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]
