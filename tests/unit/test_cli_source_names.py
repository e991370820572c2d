"""What logs and their lines are called in the text of an answer."""

import json
import os
from pathlib import Path

import pytest

from getrace.analysis.places import Place
from getrace.cli import main
from getrace.cli.source_names import SourceNames

Capture = pytest.CaptureFixture[str]

ONE = SourceNames(["/logs/host/a.log"])
MANY = SourceNames(["/logs/x/a.log", "/logs/y/a.log", "/logs/y/b.log"])

GE = "[{level}] GE(370,python3):2023-07-13-07:42:40.{at:03}.000 [executor.cc:61]1432 Execute:{text}\n"


def spot(file: str, line: int) -> Place:
    return Place(line, file, line, 0, "")


def test_the_only_log_is_named_once_and_a_place_is_its_line() -> None:
    assert ONE.heading() == [("log", "/logs/host/a.log")]
    assert ONE.at("/logs/host/a.log", 12) == ":12"
    assert ONE.lines([spot("/logs/host/a.log", line) for line in (3, 9, 12)], 2) == "3, 9 …"


def test_of_many_logs_each_has_the_shortest_name_of_its_own() -> None:
    assert MANY.heading() == [("logs", "3: x/a.log, y/a.log, b.log")]
    assert MANY.at("/logs/y/a.log", 12) == "y/a.log:12"
    places = [spot("/logs/x/a.log", 3), spot("/logs/x/a.log", 9), spot("/logs/y/b.log", 7)]
    assert MANY.lines(places, 5) == "3, 9 of x/a.log; 7 of b.log"


def test_a_place_without_a_line_is_the_name_of_its_run() -> None:
    assert SourceNames(["add_example"]).at("add_example", 0) == "add_example"
    assert SourceNames([]).heading() == []


def test_many_logs_are_counted_and_not_all_listed() -> None:
    [(_, told)] = SourceNames([f"{number}.log" for number in range(9)]).heading()
    assert told == "9: 0.log, 1.log, 2.log, 3.log, …"


def logs(folder: Path) -> list[str]:
    paths = []
    for number in (1, 2):
        path = folder / f"plog-{number}_20230713074107907.log"
        lines = [GE.format(level="ERROR", at=number * 10 + at, text="Execute failed") for at in range(3)]
        path.write_text("".join(lines))
        paths.append(str(path))
    return paths


def test_effects_in_two_logs_say_which(tmp_path: Path, capsys: Capture) -> None:
    paths = logs(tmp_path)
    assert main(["diagnose", *paths, "--json"]) == 1
    count = len(json.loads(capsys.readouterr().out)["data"]["failure"]["consequences"])
    assert main(["diagnose", *paths]) == 1
    out = capsys.readouterr().out
    assert str(tmp_path) not in out
    [effects] = [line for line in out.splitlines() if "only effects" in line]
    assert count == 5
    assert effects.endswith("lines 2, 3 of plog-1_20230713074107907.log; 1, 2, 3 of plog-2_20230713074107907.log")


@pytest.mark.real
@pytest.mark.parametrize("verb", [["diagnose"], ["memory"], ["check"], ["stats", "--by", "kernel"]])
def test_no_line_is_wider_than_the_terminal(
    verb: list[str], case_01: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setitem(os.environ, "NO_COLOR", "1")
    main([verb[0], str(case_01), *verb[1:]])
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []


@pytest.mark.real
def test_a_pipe_gets_whole_lines_and_the_path_once(case_01: Path, capsys: Capture) -> None:
    main(["diagnose", str(case_01)])
    out = capsys.readouterr().out
    named = [line for line in out.splitlines() if str(case_01) in line and "getrace memory " not in line]
    assert [line.split() for line in named] == [["log", str(case_01)]]  # commands to be pasted name it, too
    assert "stream_id=2, task_id=6, flip_num=0, flip_task_id=6\n" in out
