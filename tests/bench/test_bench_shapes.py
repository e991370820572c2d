"""Shapes of a long log against opening it, in one run: a log that changes its shape in each step is the worst one."""

import time
from pathlib import Path

import pytest
from stepping_log import write_steps

from getrace.analysis.shapes import shapes_of
from getrace.replay import open_store

pytestmark = pytest.mark.bench

STEPS, OPERATORS, QUIET = 1500, 20, 9
"""Three million lines, 0.3 GB; every tenth line is of the trace."""


def test_a_thousand_shapes_cost_little_beside_opening(tmp_path: Path) -> None:
    path = tmp_path / "plog-77_1.log"
    lines = write_steps(path, STEPS, OPERATORS, lambda at: 4 + at, QUIET)
    start = time.process_time()
    store = open_store([str(path)])
    opened = time.process_time() - start
    assert store.rows == lines
    start = time.process_time()
    shapes = shapes_of(store)
    spent = time.process_time() - start
    print(f"{lines:,} lines: opened in {opened:.2f} s, shapes in {spent:.2f} s, {spent / opened:.1%}")
    path.unlink()
    assert shapes.left_out["steps"] == STEPS - 200
    assert len(shapes.fresh) == 100
    assert spent / opened < 0.15
