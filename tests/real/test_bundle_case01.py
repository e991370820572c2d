"""A real folder of logs and dumps opens as one: kernels of the trace are nodes of its graphs."""

import json
from pathlib import Path
from typing import Any

import pytest

from getrace.analysis.resolution import How, node_of, resolve_store
from getrace.cli import main
from getrace.replay import open_store

pytestmark = pytest.mark.real

Capture = pytest.CaptureFixture[str]

NAMES = {
    "01": "plog-370_20230713074107861.log",
    "02": "plog-370_20230713074109952.log",
    "03": "ge_onnx_00000000_graph_1_Build.pbtxt",
    "04": "ge_onnx_00000001_graph_11_Build.pbtxt",
    "05": "ge_proto_00000000_Build.txt",
    "06": "ge_proto_00000001_Build.txt",
}
SUB = "ge_default_20230713074125_sub"
OPERATORS = {
    "GatherV2": (f"{SUB}_2_unknow", "GatherV2", 40),
    "GatherV2/axis": (f"{SUB}_0_input", "Constant", 2),
    "GatherV2/indices": (f"{SUB}_0_input", "Constant", 2),
    "Node_Output": ("ge_default_20230713074125_11", "NetOutput", 2),
    "Unique": (f"{SUB}_2_unknow", "Unique", 49),
    "Variable": (f"{SUB}_1_unknow", "Variable", 2),
    f"{SUB}_0_input_PartitionedCall_0": ("ge_default_20230713074125_11", "PartitionedCall", 10),
    "ge_global_step": (f"{SUB}_3_unknow", "Variable", 2),
}


def bundle(cases: Path, folder: Path, *numbers: str) -> Path:
    """Make a folder as the machine had it, of some of its files."""
    for number in numbers:
        (file,) = (cases / "real").glob(f"{number}-*")
        (folder / NAMES[number]).symlink_to(file)
    return folder


@pytest.mark.parametrize("dumps", [("03", "04", "05", "06"), ("03", "04"), ("05", "06"), ("04",), ("06",)])
def test_every_kernel_is_a_node_of_the_failing_model(cases: Path, tmp_path: Path, dumps: tuple[str, ...]) -> None:
    store = open_store([str(bundle(cases, tmp_path, "01", "02", *dumps))])
    assert len(store.graphs) == len(dumps)
    found = resolve_store(store)
    assert (len(found), {each.how for each in found}, [each for each in found if each.at is None]) == (
        109,
        {How.OPERATOR},
        [],
    )
    nodes = {each.op: (each.at.graph, each.at.node.type) for each in found if each.at is not None}
    assert nodes == {op: (graph, kind) for op, (graph, kind, _) in OPERATORS.items()}


def test_gather_is_found_in_the_ge_onnx_dump_that_is_named_beside_the_log(case_01: Path, cases: Path) -> None:
    (dump,) = (cases / "real").glob("04-*")
    at = node_of(open_store([str(case_01), str(dump)]), "GatherV2")
    assert at is not None
    assert (at.snapshot.source, at.graph, at.node.name, at.node.type, at.node.inputs, at.others) == (
        str(dump),
        f"{SUB}_2_unknow",
        "GatherV2",
        "GatherV2",
        3,
        0,
    )


def test_a_model_that_did_not_run_has_names_in_common_and_the_others_get_a_reason(cases: Path, tmp_path: Path) -> None:
    found = resolve_store(open_store([str(bundle(cases, tmp_path, "01", "05"))]))
    assert sorted({each.op for each in found if each.at is not None}) == ["Node_Output", "Variable", "ge_global_step"]
    assert {each.reason for each in found if each.op == "GatherV2"} == {"no dump has a node 'GatherV2'"}


def test_check_lists_the_operators_of_the_log_with_their_nodes(cases: Path, tmp_path: Path, capsys: Capture) -> None:
    main(["check", str(bundle(cases, tmp_path, *NAMES)), "--json"])
    data: dict[str, Any] = json.loads(capsys.readouterr().out)["data"]["graph_nodes"]
    assert [Path(graph["file"]).name for graph in data["graphs"]] == [
        NAMES[number] for number in ("03", "04", "05", "06")
    ]
    assert (data["kernels"], data["resolved"], data["of_no_operator"], data["unresolved"]) == (109, 109, 0, [])
    assert {
        each["op"]: (each["node"]["graph"], each["node"]["type"], each["kernels"]) for each in data["operators"]
    } == (OPERATORS)


def test_the_card_of_a_failure_shows_what_the_operator_takes_and_gives(
    cases: Path, tmp_path: Path, capsys: Capture
) -> None:
    folder = str(bundle(cases, tmp_path, *NAMES))
    assert main(["diagnose", folder, "--json"]) == 1
    node = json.loads(capsys.readouterr().out)["data"]["failure"]["op_node"]
    assert node["inputs"] == [
        {"dtype": "DT_FLOAT", "shape": [-1], "layout": "ND"},
        {"dtype": "DT_INT32", "shape": [2], "layout": "ND"},
        {"dtype": "DT_INT32", "shape": [], "layout": "ND"},
    ]
    assert node["outputs"] == [{"dtype": "DT_FLOAT", "shape": [2], "layout": "ND"}]
    main(["diagnose", folder])
    assert "GatherV2 in graph ge_default_20230713074125_sub_2_unknow of ge_proto_00000001_Build.txt" in (
        capsys.readouterr().out
    )


def test_a_log_alone_has_no_graphs(case_01: Path, capsys: Capture) -> None:
    main(["check", str(case_01), "--json"])
    assert json.loads(capsys.readouterr().out)["data"]["graph_nodes"] is None
