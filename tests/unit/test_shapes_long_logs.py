"""A long log is read by what is new: on small files, with small limits."""

from pathlib import Path

import pytest
from stepping_log import write_steps

from getrace.analysis.shapes import observed, report, shapes_of
from getrace.replay import open_store


def told(path: Path) -> tuple[list[tuple[int, int]], dict[str, int]]:
    shapes = shapes_of(open_store([str(path)]))
    steps = [(step.iteration, step.inputs["x"][0]) for step in shapes.steps if "x" in step.inputs]
    return steps, shapes.left_out


def test_a_record_whose_length_is_new_is_read_however_late_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observed, "ROWS", 6)
    path = tmp_path / "plog-77_1.log"
    write_steps(path, 30, 1, lambda at: 1000 if at == 28 else 8)
    assert told(path) == ([(1, 8), (29, 1000)], {"steps": 28, "shape_records": 84})


def test_all_records_of_a_short_log_are_read(tmp_path: Path) -> None:
    path = tmp_path / "plog-77_1.log"
    write_steps(path, 5, 2, lambda at: 8 + at % 2)
    assert told(path) == ([(1, 8), (2, 9), (3, 8), (4, 9), (5, 8)], {})


def test_different_records_beyond_the_limit_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observed, "PARSED", 6)
    path = tmp_path / "plog-77_1.log"
    write_steps(path, 5, 1, lambda at: 8 + at)
    steps, left = told(path)
    assert steps == [(1, 8), (2, 9)]
    assert left == {"steps": 3, "shape_records": 9}


def test_steps_and_new_shapes_beyond_the_limit_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "STEPS", 2)
    monkeypatch.setattr(report, "NEW", 3)
    path = tmp_path / "plog-77_1.log"
    write_steps(path, 5, 2, lambda at: 8 + at)
    steps, left = told(path)
    assert steps == [(1, 8), (2, 9)]
    assert left == {"steps": 3, "new_shapes": 5}
