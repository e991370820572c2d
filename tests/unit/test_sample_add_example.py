"""The sample prints what stands beside it."""

import runpy
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def test_the_sample_prints_what_stands_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(SAMPLES / "add_example.py"), run_name="__main__")
    assert capsys.readouterr().out == (SAMPLES / "add_example.out").read_text()
