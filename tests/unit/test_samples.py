"""The samples: what each prints, what a run of it computes, and that its log is whole and repeats byte for byte."""

import json
import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from getrace.bus import Bus
from getrace.cli import main
from runtime.api.models import Model, load_model
from runtime.api.simulate import RunOptions, RunResult, run_model

SAMPLES = Path(__file__).resolve().parents[2] / "samples"

Capture = pytest.CaptureFixture[str]
Array = npt.NDArray[Any]
Inputs = Mapping[str, Array]


def test_the_samples_are_these() -> None:
    assert sorted(path.stem for path in SAMPLES.glob("*.py")) == [
        "acl_add",
        "add_example",
        "conditional",
        "loop",
        "mixed_engines",
        "onnx_mlp",
        "two_streams",
        "weights",
    ]


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_a_sample_prints_what_stands_beside_it(sample: Path, capsys: Capture) -> None:
    runpy.run_path(str(sample), run_name="__main__")
    assert capsys.readouterr().out == sample.with_suffix(".out").read_text()


def simulated(name: str, options: RunOptions) -> RunResult:
    found: Model = load_model(name, SAMPLES)
    return run_model(found, options, Bus(now=lambda: 0))


def _branch(x: Inputs) -> Array:
    return np.asarray(-x["x"] if x["x"].sum() < 0 else np.maximum(x["x"] * 2, 0))


def _scaled(x: Inputs) -> Array:
    scale, shift = np.array([1, 2, 4, 8], np.float32), np.array([0, 1, 0, -1], np.float32)
    return np.asarray(np.maximum(x["x"] * scale + shift, 0))


@pytest.mark.parametrize(
    ("name", "seed", "expected"),
    [
        ("conditional", 0, _branch),
        ("conditional", 3, _branch),
        ("loop", 0, lambda x: x["x"] * 8),
        ("mixed_engines", 0, lambda x: -(x["x1"] + x["x2"]).reshape(-1)),
        ("weights", 0, _scaled),
    ],
)
def test_a_sample_computes_what_it_says_and_loses_nothing(
    name: str, seed: int, expected: Callable[[Inputs], Array]
) -> None:
    result = simulated(name, RunOptions(seed=seed, steps=2))
    [output] = result.outputs.values()
    np.testing.assert_array_equal(output, expected(result.inputs))
    assert (result.status, result.steps, result.leaked_bytes, result.fault) == (0, 2, 0, "")


def test_seeds_0_and_3_take_different_branches() -> None:
    sums = [float(simulated("conditional", RunOptions(seed=seed)).inputs["x"].sum()) for seed in (0, 3)]
    assert [value < 0 for value in sums] == [True, False]


def bundled(name: str, root: Path) -> dict[str, bytes]:
    assert main(["run", name, "--no-tui", "--quiet", "--out", str(root)]) == 0
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", ["conditional", "loop", "mixed_engines", "two_streams", "weights"])
def test_the_log_of_a_sample_is_whole_clean_and_the_same_each_time(name: str, tmp_path: Path, capsys: Capture) -> None:
    first = bundled(name, tmp_path / "first")
    assert bundled(name, tmp_path / "second") == first
    capsys.readouterr()
    assert main(["check", str(tmp_path / "first"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["unclaimed"] == 0
    assert main(["diagnose", str(tmp_path / "first"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["verdict"] == "clean"
    assert main(["memory", str(tmp_path / "first"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["leaks"] == []


@pytest.mark.parametrize(
    ("name", "stage", "owners"),
    [
        ("conditional", "compute", 1),
        ("conditional", "main", 2),
        ("conditional", "all", 2),
        ("loop", "compute", 1),
        ("loop", "main", 2),
        ("loop", "all", 2),
        ("two_streams", "all", 0),
    ],
)
def test_a_sample_is_drawn_with_the_graphs_that_its_nodes_own(
    name: str, stage: str, owners: int, tmp_path: Path, capsys: Capture
) -> None:
    picture = tmp_path / "g.svg"
    assert main(["graph", name, "--stage", stage, "-o", str(picture), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["collapsed"] is False
    assert picture.read_text().count("sub graph 0 of ") == owners
