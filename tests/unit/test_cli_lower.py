"""The verbs lower and kernels, graph --pass, and the dumps that the environment asks for."""

import json
from pathlib import Path
from typing import Any

import pytest

from getrace.cli import main
from getrace.dumps.formats import FORMATS, read_dump
from getrace.dumps.level import Level
from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode
from getrace.errors import UsageError
from getrace.events.graphs import PassApplied
from runtime.api.lowered import MARK, LoweredModel

Capture = pytest.CaptureFixture[str]

SWITCHES = (
    "DUMP_GE_GRAPH",
    "DUMP_GRAPH_LEVEL",
    "DUMP_GRAPH_FORMAT",
    "DUMP_GRAPH_PATH",
    "NPU_COLLECT_PATH",
    "ASCEND_WORK_PATH",
)


@pytest.fixture(autouse=True)
def _no_switches(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SWITCHES:
        monkeypatch.delenv(name, raising=False)


def answered(capsys: Capture, *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    whole: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert whole["schema"] == f"getrace/{arguments[0]}/1"
    return whole


def refused(capsys: Capture, *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return code, err


def picture(stage: str, *names: str) -> GraphSnapshot:
    nodes = tuple(SnapshotNode(number, name, "T") for number, name in enumerate(names))
    return GraphSnapshot(stage, "g", {"g": SnapshotGraph("g", nodes, ())})


def lowered() -> LoweredModel:
    """Two turns of CEM: the first makes b and removes a, the second rewires b and makes c."""
    stages = (
        picture("ComputeGraphBeforeLowering", "op"),
        picture("ExeGraphBeforeOptimize", "a", "x"),
        picture("AfterCEM", "b", "x"),
        picture("AfterCEM", "b", "c", "x"),
        picture("ExecuteGraphAfterSplit", "b", "c", "x"),
    )
    passes = (
        PassApplied("ConstantExpressionMotion", 1, ("b",), ("a",), ()),
        PassApplied("ConstantExpressionMotion", 2, ("c",), (), ("b", "x")),
    )
    return LoweredModel("m", stages, passes)


def test_lower_lists_the_nodes_of_each_stage(capsys: Capture) -> None:
    stages = answered(capsys, "lower", "add_example")["data"]["stages"]
    assert list(stages) == ["init", "main", "deinit"]
    by_name = {node["name"]: node for node in stages["main"]["nodes"]}
    tensor = by_name["SplitDataTensor_x1_74"]
    assert (tensor["type"], tensor["graph"], tensor["made_by"]) == ("SplitDataTensor", "Main_30", "lowering")
    assert tensor["inputs"][0] == "Data_x1_45:0"
    assert stages["deinit"]["nodes"] == []
    assert {"id", "name", "type", "inputs", "priority"} <= tensor.keys()


def test_lower_prints_a_table_for_each_graph(capsys: Capture) -> None:
    assert main(["lower", "add_example"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("init: ")
    assert lines[2].split() == ["id", "priority", "type", "name", "inputs"]
    assert any(
        line.split()[-4:-2] == ["SplitDataTensor", "SplitDataTensor_x1_74"] for line in lines if len(line.split()) > 4
    )


def test_lower_writes_each_stage_into_a_folder(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "stages"
    data = answered(capsys, "lower", "add_example", "--dump", str(folder))["data"]
    names = [Path(path).name for path in data["dumps"]]
    assert [name[:17] for name in names] == [f"ge_proto_{number:08d}" for number in range(len(names))]
    assert names[0] == "ge_proto_00000000_graph_0_ComputeGraphBeforeLowering.txt"
    assert any(name.endswith("_graph_0_ExeGraphBeforeOptimize.txt") for name in names)
    assert names[-1].endswith("_graph_0_ExecuteGraphAfterSplit.txt")
    final = read_dump(folder / names[-1])
    main_graph = final.owned("Main")
    assert main_graph is not None
    assert len(main_graph.nodes) == len(data["stages"]["main"]["nodes"])


def test_lower_writes_the_formats_that_the_switch_names(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DUMP_GRAPH_FORMAT", "readable|onnx")
    data = answered(capsys, "lower", "add_example", "--dump", str(tmp_path))["data"]
    assert [Path(path).name.partition("_0000")[0] for path in data["dumps"][:3]] == [
        "ge_proto",
        "ge_onnx",
        "ge_readable",
    ]
    assert [path for path in data["dumps"] if read_dump(Path(path)).stage == ""] == []


def test_dumps_that_cannot_be_written_are_a_warning(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    whole = answered(capsys, "lower", "add_example", "--dump", str(tmp_path / "file" / "below"))
    assert whole["warnings"] == [f"cannot write dumps into {tmp_path}/file/below: Not a directory"]
    assert whole["data"]["dumps"] == []


def test_a_dump_of_a_compute_graph_is_a_model(capsys: Capture, tmp_path: Path) -> None:
    answered(capsys, "lower", "add_example", "--dump", str(tmp_path))
    path = tmp_path / "ge_proto_00000000_graph_0_ComputeGraphBeforeLowering.txt"
    nodes = [
        answered(capsys, "lower", source)["data"]["stages"]["main"]["nodes"] for source in ("add_example", str(path))
    ]
    assert [node["type"] for node in nodes[0]] == [node["type"] for node in nodes[1]]


def test_the_history_of_a_node_is_told(capsys: Capture) -> None:
    assert main(["lower", "add_example", "--node", "Main_30"]) == 2
    assert "no stage of add_example has a node 'Main_30'" in capsys.readouterr().err
    assert main(["lower", "add_example", "--node", "SplitDataTensor_x1_74"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "SplitDataTensor_x1_74",
        "  made by the lowering of its operator",
    ]


@pytest.mark.parametrize(
    ("node", "story"),
    [
        ("a", [("made", None), ("removed", 1)]),
        ("b", [("made", 1), ("rewired", 2)]),
        ("c", [("made", 2)]),
        ("x", [("made", None), ("rewired", 2)]),
    ],
)
def test_a_history_names_the_turns_of_the_passes(node: str, story: list[tuple[str, int | None]]) -> None:
    told = [(word, None if applied is None else applied.turn) for word, applied in lowered().history(node)]
    assert told == story


@pytest.mark.parametrize("wanted", ["CEM", "cem", "AfterCEM", "ConstantExpressionMotion"])
def test_a_pass_has_three_names_and_its_last_turn_is_shown_with_marks(wanted: str) -> None:
    nodes = lowered().after(wanted).graphs["g"].nodes
    assert [(node.name, node.attrs.get(MARK)) for node in nodes] == [
        ("b", "made by ConstantExpressionMotion"),
        ("c", "made by ConstantExpressionMotion"),
        ("x", "rewired by ConstantExpressionMotion"),
    ]


def test_a_pass_that_changed_nothing_is_refused_with_what_there_is() -> None:
    with pytest.raises(UsageError) as error:
        lowered().after("ZeroCopy")
    assert error.value.message == "no pass 'ZeroCopy' changed the graph of m"
    assert error.value.hint == (
        "its stages are ComputeGraphBeforeLowering, ExeGraphBeforeOptimize, AfterCEM, ExecuteGraphAfterSplit"
    )


def test_graph_draws_a_stage_by_its_name(capsys: Capture, tmp_path: Path) -> None:
    out = tmp_path / "g.dot"
    answered(capsys, "graph", "add_example", "--pass", "ExeGraphBeforeOptimize", "--stage", "main", "-o", str(out))
    assert "ExeGraphBeforeOptimize: ROOT, main" in out.read_text()


def test_graph_finds_a_stage_in_a_folder_of_dumps(capsys: Capture, tmp_path: Path) -> None:
    row = FORMATS[0]
    for number, stage in enumerate(("ComputeGraphBeforeLowering", "AfterCEM")):
        (tmp_path / row.file_name(number, stage)).write_text(row.write(picture(stage, f"in{stage}"), Level.ALL))
    out = tmp_path / "g.dot"
    answered(capsys, "graph", str(tmp_path), "--pass", "CEM", "-o", str(out))
    assert "inAfterCEM" in out.read_text()
    code, err = refused(capsys, "graph", str(tmp_path), "--pass", "ZeroCopy", "-o", str(out))
    assert code == 2
    assert "its stages are ComputeGraphBeforeLowering, AfterCEM" in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("lower", "nothing"), 3, "nothing is neither a sample nor a Python file"),
        (("lower", "{folder}/gone.om"), 3, "gone.om\n  -> check the path, or give a sample"),
        (("lower", "{folder}"), 3, "is a folder, not a model"),
        (("lower", "{dump}"), 3, "is an execute graph, lowered already"),
        (("lower", "{text}"), 3, "line 1: 'hello' is not a field"),
        (("lower", "{pbtxt}"), 3, "the file is cut or is not a ge_onnx dump"),
        (("lower", "add_example", "--dump", ""), 2, "--dump names no folder"),
        (("lower", "add_example", "--node", "nobody"), 2, "no stage of add_example has a node 'nobody'"),
        (("graph", "add_example", "--pass", "Nonsense", "-o", "{out}"), 2, "no pass 'Nonsense' changed the graph"),
    ],
)
def test_bad_input_gets_a_sentence(
    arguments: tuple[str, ...], code: int, said: str, tmp_path: Path, capsys: Capture
) -> None:
    execute = SnapshotGraph("ROOT", (SnapshotNode(0, "Main_1", "Main", subgraphs=("Main_2",)),), ())
    snapshot = GraphSnapshot("S", "ROOT", {"ROOT": execute, "Main_2": SnapshotGraph("Main_2", (), ())})
    paths = {name: tmp_path / f"{name}.txt" for name in ("dump", "text")} | {"pbtxt": tmp_path / "x.pbtxt"}
    paths["dump"].write_text(FORMATS[0].write(snapshot, Level.ALL))
    paths["text"].write_text("hello\n")
    paths["pbtxt"].write_text("graph {\n")
    places = {name: str(path) for name, path in paths.items()}
    places |= {"out": str(tmp_path / "g.dot"), "folder": str(tmp_path)}
    given = refused(capsys, *(argument.format(**places) for argument in arguments))
    assert given[0] == code
    assert said in given[1]


def test_kernels_lists_every_type_with_family_and_reason(capsys: Capture) -> None:
    data = answered(capsys, "kernels")["data"]
    rows = data["kernels"]
    assert (len(rows), data["types"]) == (280, 280)
    assert len({row["type"] for row in rows}) == 280
    assert sorted({row["family"] for row in rows}) == list("ABCDEFGHIJKLMNOPQRST")
    assert data["running"] == sum(row["runs"] for row in rows) > 50
    assert [row["type"] for row in rows if row["runs"] is (row["reason"] is not None)] == []


def test_kernels_prints_families_with_counts(capsys: Capture) -> None:
    assert main(["kernels"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("A  feed, constants")
    assert lines[-1].endswith(" of 280 types run")
    assert sum(not line.startswith(" ") for line in lines) == 21


def test_run_dumps_what_the_environment_asks_for(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DUMP_GE_GRAPH", "2")
    monkeypatch.setenv("DUMP_GRAPH_PATH", str(tmp_path))
    monkeypatch.setenv("DUMP_GRAPH_FORMAT", "ge_proto|svg")
    whole = answered(capsys, "run", "add_example")
    assert whole["warnings"] == ["DUMP_GRAPH_FORMAT: there is no format 'svg'; known are ge_proto, onnx, readable"]
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("pid_")
    assert folder.name.endswith("_deviceid_0")
    found = sorted(path.name for path in folder.iterdir())
    assert found[0] == "ge_proto_00000000_graph_0_ComputeGraphBeforeLowering.txt"
    assert "value" not in {key for node in read_dump(folder / found[1]).graphs["Init_4"].nodes for key in node.attrs}


@pytest.mark.parametrize("verb", ["run", "lower"])
def test_a_run_goes_on_when_its_dumps_cannot_be_written(
    verb: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DUMP_GE_GRAPH", "1")
    monkeypatch.setenv("NPU_COLLECT_PATH", str(tmp_path / "file"))
    warnings = answered(capsys, verb, "add_example")["warnings"]
    assert len(warnings) == 1
    assert warnings[0].startswith(f"no graph is dumped: cannot write {tmp_path}/file/extra-info/graph/")


def test_without_the_switch_nothing_is_dumped(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUMP_GRAPH_PATH", str(tmp_path))
    monkeypatch.setenv("DUMP_GRAPH_FORMAT", "svg")
    assert answered(capsys, "run", "add_example")["warnings"] == []
    assert list(tmp_path.iterdir()) == []


def test_passes_are_listed_with_what_they_did(capsys: Capture) -> None:
    assert main(["lower", "add_example", "--passes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "ModelOutTensorZeroCopy, turn 1: 0 added, 0 removed, 1 rewired, 0 moved",
        "  ~ AllocMemHbm_add_205",
    ]
    assert "  + CEM_Main_30_InnerData_0" in lines
    assert "  > Const_31" in lines
    passes = answered(capsys, "lower", "add_example")["data"]["passes"]
    assert [(applied["name"], applied["turn"]) for applied in passes][:3] == [
        ("ModelOutTensorZeroCopy", 1),
        ("ConstantExpressionMotion", 1),
        ("CopyFlowLaunchFuse", 1),
    ]
    assert passes[0] | {"name": "", "turn": 0} == {
        "name": "",
        "turn": 0,
        "added": [],
        "removed": [],
        "rewired": ["AllocMemHbm_add_205"],
        "moved": [],
    }


def test_a_node_that_a_pass_made_names_it(capsys: Capture) -> None:
    nodes = answered(capsys, "lower", "add_example")["data"]["stages"]["main"]["nodes"]
    makers = {node["name"]: node["made_by"] for node in nodes}
    assert makers["CEM_Main_30_InnerData_0"] == "ConstantExpressionMotion"
    assert main(["lower", "add_example", "--node", "InnerData_add_174"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "InnerData_add_174",
        "  made by the lowering of its operator",
        "  removed by ConstantExpressionMotion, turn 1",
    ]


def test_the_picture_after_a_pass_marks_what_it_did(capsys: Capture, tmp_path: Path) -> None:
    out = tmp_path / "g.dot"
    data = answered(capsys, "graph", "add_example", "--pass", "ZeroCopy", "--stage", "main", "-o", str(out))["data"]
    assert data["nodes"] == 61
    marked = [line for line in out.read_text().splitlines() if "rewired by ModelOutTensorZeroCopy" in line]
    assert len(marked) == 1
    assert "AllocMemHbm_add_205" in marked[0]
