"""``run`` and ``graph`` on the sample: the summary, the bundle, the picture."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from getrace.bus import Bus
from getrace.cli import main
from getrace.cli.bundle import Bundle
from getrace.dumps.snapshot import GraphSnapshot
from getrace.events import Level, Origin
from getrace.events.markers import ModelStart
from views.tui.settings import Settings

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
    assert data["nodes"] == {"init": 59, "main": 51, "deinit": 0}
    assert data["device_time"]["provenance"] == "simulated"


def test_the_summary_says_what_a_person_wants_to_know_first(capsys: Capture) -> None:
    assert main(["run", "add_example", "--no-tui"]) == 0
    out, err = capsys.readouterr()
    head, *rest = out.splitlines()
    assert head == "OK  add_example  1 step"
    assert rest[:2] == ["  input x1               float32 2x1024", "  input x2               float32 2x1024"]
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
        "graphs/ge_proto_00000002_graph_0_ExecuteGraphAfterSplit.txt",
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


def test_the_mark_names_every_file_of_the_bundle(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "B"
    answered(capsys, "run", "add_example", "--out", str(root))
    named = (root / "bundle.txt").read_text().splitlines()[1:]
    files = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    assert sorted([*named, "bundle.txt"]) == sorted(files)


@pytest.mark.parametrize("link", ["debug", "debug/plog", "graphs", "inputs", "outputs"])
def test_a_bundle_with_a_link_to_another_place_is_refused_and_nothing_is_touched(
    link: str, tmp_path: Path, capsys: Capture
) -> None:
    root, victim = tmp_path / "B", tmp_path / "victim"
    answered(capsys, "run", "add_example", "--out", str(root))
    (root / link).rename(victim)
    (root / link).symlink_to(victim, target_is_directory=True)
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    assert main(["run", "add_example", "--out", str(root), "--json"]) == 2
    assert f"getrace: {root / link}" in capsys.readouterr().err
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["debug/plog/plog-1_1.log", "graphs/ge_proto_9_mine.txt", "inputs/mine.npy"])
def test_a_file_that_no_run_wrote_is_neither_deleted_nor_mixed_with_a_new_bundle(
    name: str, tmp_path: Path, capsys: Capture
) -> None:
    root = tmp_path / "B"
    answered(capsys, "run", "add_example", "--out", str(root))
    (root / name).write_text("mine")
    assert main(["run", "add_example", "--out", str(root), "--json"]) == 2
    assert f"{root / name} is not of the bundle" in capsys.readouterr().err
    assert (root / name).read_text() == "mine"
    assert (root / "inputs" / "x1.npy").is_file()


def test_a_mark_that_is_a_link_is_none(tmp_path: Path, capsys: Capture) -> None:
    root, notes = tmp_path / "B", tmp_path / "notes.txt"
    root.mkdir()
    notes.write_text("mine")
    (root / "bundle.txt").symlink_to(notes)
    assert main(["run", "add_example", "--out", str(root), "--json"]) == 2
    assert (notes.read_text(), "no bundle of getrace" in capsys.readouterr().err) == ("mine", True)


def test_two_inputs_never_share_a_file(tmp_path: Path) -> None:
    root = tmp_path / "B"
    arrays = {name: np.array([number]) for number, name in enumerate(("a/b", "a_b", "A_B", "a:b"))}
    Bundle(root).finish((), arrays, {})
    found = {path.name: np.load(path).tolist() for path in (root / "inputs").iterdir()}
    assert found == {"a_b.npy": [1], "A_B-2.npy": [2], "a_b-3.npy": [0], "a_b-4.npy": [3]}


def test_a_run_that_broke_off_leaves_a_bundle_that_the_next_one_replaces(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "B"

    def interrupt(_number: int) -> GraphSnapshot:
        raise KeyboardInterrupt

    bus, bundle = Bus(now=int), Bundle(root)
    bundle.listen(bus)
    bus.publish(Origin(7, "python3", 7), Level.INFO, None, ModelStart())
    with pytest.raises(KeyboardInterrupt):
        bundle.finish(map(interrupt, [0]), {}, {})
    assert len(list(root.rglob("plog-7_*.log"))) == 1
    answered(capsys, "run", "add_example", "--out", str(root))
    assert list(root.rglob("plog-7_*.log")) == []


def test_the_graphs_of_a_model_and_of_its_bundle_are_the_same_picture(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "B"
    answered(capsys, "run", "add_example", "--out", str(root))
    pictures = []
    for number, source in enumerate(("add_example", str(root))):
        picture = tmp_path / f"{number}.dot"
        data = answered(capsys, "graph", source, "-o", str(picture))
        assert (data["nodes"], data["collapsed"]) == (110, False)
        pictures.append(picture.read_bytes())
    assert pictures[0] == pictures[1]


def test_a_picture_is_valid_xml(tmp_path: Path, capsys: Capture) -> None:
    picture = tmp_path / "g.svg"
    data = answered(capsys, "graph", "add_example", "--stage", "main", "-o", str(picture))
    assert data["edges"] == {"data": 78, "control": 7}
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


def test_the_live_screen_takes_the_looks_that_open_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Settings] = []

    def open_app(_store: object, given: Settings) -> int:
        seen.append(given)
        return 0

    monkeypatch.setattr("views.tui.app.open_app", open_app)
    monkeypatch.setattr("getrace.cli.command.shows_screens", lambda *_: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LC_ALL", "C")
    main(["run", "add_example", "--ascii", "--light", "--color", "never"])
    looks = [(given.ascii_only, given.light, given.no_colour, given.live) for given in seen]
    assert looks == [(True, True, True, True)]
