"""ONNX and offline models on the command line: run, lower, graph, and what is said of models that do not go."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_models import INT64, one

from getrace.cli import main

Capture = pytest.CaptureFixture[str]


def saved(folder: Path, made: onnx.ModelProto, name: str = "m.onnx") -> str:
    path = folder / name
    path.write_bytes(made.SerializeToString())
    return str(path)


def add(opset: int = 17) -> onnx.ModelProto:
    return one("Add", {"x": ["n", 3]}, weights={"w": np.array([1, 2, 3], np.float32)}, opset=opset)


def test_a_model_runs_and_gives_its_numbers(tmp_path: Path, capsys: Capture) -> None:
    np.save(tmp_path / "x.npy", np.array([[1, 1, 1], [0, 0, 0]], np.float32))
    bundle = tmp_path / "bundle"
    arguments = ["run", saved(tmp_path, add()), "--input", f"x={tmp_path / 'x.npy'}", "--out", str(bundle), "--json"]
    assert main(arguments) == 0
    [output] = json.loads(capsys.readouterr().out)["data"]["outputs"]
    assert (output["name"], output["shape"], output["dtype"]) == ("n:0:y0", [2, 3], "float32")
    [array] = (bundle / "outputs").glob("*.npy")
    assert np.load(array).tolist() == [[2, 3, 4], [1, 2, 3]]


def test_a_version_that_ge_refuses_is_taken_with_a_warning(tmp_path: Path, capsys: Capture) -> None:
    path = saved(tmp_path, add(opset=22))
    assert main(["run", path, "--no-tui"]) == 0
    said = capsys.readouterr().err
    assert "GE would refuse this model: ai.onnx::22::Add is not registered (versions 8 to 18 are)" in said
    assert main(["run", path, "--no-tui", "--strict-opset"]) == 3
    assert "GE refuses this model: ai.onnx::22::Add" in capsys.readouterr().err
    assert main(["lower", path]) == 0
    assert "GE would refuse" in capsys.readouterr().err


def test_a_version_that_ge_takes_is_taken_when_strict(tmp_path: Path, capsys: Capture) -> None:
    assert main(["run", saved(tmp_path, add()), "--no-tui", "--strict-opset"]) == 0
    assert capsys.readouterr().err == ""


def test_operators_that_the_device_has_not_are_all_listed(tmp_path: Path, capsys: Capture) -> None:
    made = one("Conv", {"x": [1, 1, 8]}, weights={"w": np.ones((1, 1, 3), np.float32)})
    made.graph.node.append(onnx.helper.make_node("Erf", ["y0"], ["e"], name="second"))
    made.graph.node.append(onnx.helper.make_node("Erf", ["e"], ["z"], name="third"))
    path = saved(tmp_path, made)
    assert main(["run", path, "--no-tui"]) == 3
    said = capsys.readouterr().err
    assert "no implementation of 2 operator types of g" in said
    assert "Conv2D (PartitionedCall_n_Conv2D_2); Erf (second, third)" in said
    assert main(["lower", path]) == 0


def test_a_model_that_ascend_does_not_take_is_drawn_in_its_own_operators(tmp_path: Path, capsys: Capture) -> None:
    path = saved(tmp_path, one("Gelu", {"x": [4]}, opset=20))
    assert main(["graph", path, "-o", str(tmp_path / "g.dot")]) == 0
    assert "drawn in its own operators" in capsys.readouterr().err
    assert "Gelu" in (tmp_path / "g.dot").read_text()
    assert main(["run", path, "--no-tui"]) == 3
    assert "Gelu (no plugin is registered)" in capsys.readouterr().err


def test_the_picture_of_a_model_shows_ascends_operators(tmp_path: Path, capsys: Capture) -> None:
    path = saved(tmp_path, one("Gather", {"x": [4], "i": ([2], INT64)}))
    assert main(["graph", path, "-o", str(tmp_path / "g.dot")]) == 0
    assert "GatherV2" in (tmp_path / "g.dot").read_text()
    assert capsys.readouterr().err == ""


def test_a_model_is_known_by_its_content(tmp_path: Path, capsys: Capture) -> None:
    assert main(["run", saved(tmp_path, add(), "without_ending"), "--no-tui"]) == 0
    capsys.readouterr()
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"this is no model")
    assert main(["run", str(broken), "--no-tui"]) == 3
    assert f"{broken}, offset 0" in capsys.readouterr().err


@pytest.mark.real
def test_offline_models_become_models_with_their_weights(cases: Path, capsys: Capture) -> None:
    path = cases / "om" / "dynamic_and_static_graph_without_unfold.om"
    assert main(["lower", str(path)]) == 0
    assert "init:" in capsys.readouterr().out
    assert main(["run", str(cases / "om" / "autoenc.om"), "--no-tui"]) == 3
    assert "TransData (" in capsys.readouterr().err
