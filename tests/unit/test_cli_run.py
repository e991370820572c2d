"""``run`` and ``graph`` on the sample: the summary, the bundle, the picture."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from getrace.cli import main

Capture = pytest.CaptureFixture[str]


def answered(capsys: Capture, *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    whole: dict[str, Any] = json.loads(capsys.readouterr().out)
    data: dict[str, Any] = whole["data"]
    return data


def test_a_run_sums_itself_up(capsys: Capture) -> None:
    data = answered(capsys, "run", "add_example", "--input", "x1=3x5", "--input", "x2=3x5", "--steps", "2")
    [output] = data["outputs"]
    assert (output["shape"], output["dtype"], len(output["sha256"])) == ([3, 5], "float32", 64)
    assert (data["steps"], data["status"], data["leaked_bytes"], data["bundle"]) == (2, 0, 0, None)
    assert data["nodes"] == {"init": 32, "main": 61, "deinit": 0}
    assert data["device_time"]["provenance"] == "simulated"


def test_the_summary_says_what_a_person_wants_to_know_first(capsys: Capture) -> None:
    assert main(["run", "add_example", "--no-tui"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "OK  add_example  1 step"
    assert err == ""


def test_a_bundle_holds_the_log_the_graphs_the_inputs_and_the_right_outputs(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "B"
    answered(capsys, "run", "add_example", "--out", str(root))
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    logs = [name for name in names if name.startswith("debug/plog/plog-")]
    assert len(logs) == 1
    assert [name for name in names if name not in logs] == [
        "bundle.txt",
        "graphs/ge_proto_00000000_graph_0_ComputeGraphBeforeLowering.txt",
        "graphs/ge_proto_00000001_graph_0_ExeGraphBeforeOptimize.txt",
        "inputs/x1.npy",
        "inputs/x2.npy",
        "outputs/output_0_add_0.npy",
    ]
    x1, x2, y = (np.load(root / name) for name in names[-3:])
    assert np.array_equal(x1 + x2, y)


def test_the_log_of_a_run_is_whole_clean_and_without_a_leak(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "B"
    answered(capsys, "run", "add_example", "--out", str(root), "--steps", "3")
    assert answered(capsys, "check", str(root))["unclaimed"] == 0
    assert answered(capsys, "diagnose", str(root))["verdict"] == "clean"
    memory = answered(capsys, "memory", str(root))
    assert (memory["leaks"], memory["live_at_end"], memory["peak_bytes"]) == ([], 0, 196_608)
    stages = {row["name"] for row in answered(capsys, "stats", str(root), "--by", "iteration")["rows"]}
    assert {"init", "main 1", "main 2", "main 3"} <= stages


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path, capsys: Capture) -> None:
    written = []
    for name, seed in (("a", "4"), ("b", "4"), ("c", "5")):
        root = tmp_path / name
        answered(capsys, "run", "add_example", "--out", str(root), "--seed", seed)
        files = sorted(path for path in root.rglob("*") if path.is_file())
        written.append([(str(path.relative_to(root)), path.read_bytes()) for path in files])
    assert written[0] == written[1]
    assert written[0] != written[2]


def test_a_new_run_replaces_the_bundle_of_an_old_one(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "B"
    for seed in ("4", "5"):
        answered(capsys, "run", "add_example", "--out", str(root), "--seed", seed)
    assert len(list(root.rglob("plog-*.log"))) == 1


def test_the_graphs_of_a_model_and_of_its_bundle_are_the_same_picture(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "B"
    answered(capsys, "run", "add_example", "--out", str(root))
    pictures = []
    for number, source in enumerate(("add_example", str(root))):
        picture = tmp_path / f"{number}.dot"
        data = answered(capsys, "graph", source, "-o", str(picture))
        assert (data["nodes"], data["collapsed"]) == (93, False)
        pictures.append(picture.read_bytes())
    assert pictures[0] == pictures[1]


def test_a_picture_is_valid_xml(tmp_path: Path, capsys: Capture) -> None:
    picture = tmp_path / "g.svg"
    data = answered(capsys, "graph", "add_example", "--stage", "main", "-o", str(picture))
    assert data["edges"] == {"data": 88, "control": 7}
    assert ET.parse(picture).getroot().tag.endswith("svg")


def test_a_run_that_fails_says_which_kernel_and_why(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "B"
    assert main(["run", "add_example", "--input", "x1=2x4x5", "--out", str(root), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["steps"], data["outputs"], data["leaked_bytes"]) == (0, [], 0)
    assert (data["failure"]["phase"], data["failure"]["op"]) == ("infer_shape", "add")
    assert "InferShape failed" in data["failure"]["error"]
    assert main(["diagnose", str(root), "--json"]) == 1
    failure = json.loads(capsys.readouterr().out)["data"]["failure"]
    assert (failure["kernel"], failure["how"]) == (data["failure"]["kernel"], "error_line")
