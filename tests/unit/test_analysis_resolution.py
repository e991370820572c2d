"""Kernels of a log to nodes of graphs: which dump, which graph, and why not."""

import json
from pathlib import Path

import pytest

from getrace.analysis.resolution import How, Resolution, Tensor, resolve, tensors
from getrace.cli import main
from getrace.dumps.formats import without_repeats
from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode

Capture = pytest.CaptureFixture[str]


def dump(source: str, **graphs: tuple[str, ...]) -> GraphSnapshot:
    made = {
        name: SnapshotGraph(name, tuple(SnapshotNode(at, node, "T") for at, node in enumerate(nodes)), ())
        for name, nodes in graphs.items()
    }
    return GraphSnapshot("Build", next(iter(made)), made, source)


def place(found: Resolution) -> tuple[str, str, int] | None:
    return None if found.at is None else (found.at.snapshot.source, found.at.graph, found.at.others)


def test_a_name_is_first_a_kernel_then_an_operator() -> None:
    execute = dump("x", main=("InferShape_add_3",))
    compute = dump("c", g=("add", "mul"))
    found = resolve(["InferShape_add_3", "InferShape_mul_4", "SplitRtStreams_5"], [execute, compute])
    assert [(each.op, each.how) for each in found] == [("add", How.KERNEL), ("mul", How.OPERATOR), ("", None)]
    assert [place(each) for each in found] == [("x", "main", 0), ("c", "g", 0), None]
    assert found[2].reason == "a kernel of the executor itself, for no operator"


def test_the_dump_that_knows_most_names_is_asked_first_then_the_later_one() -> None:
    names = ["Free_a_1", "Free_out_2", "Free_b_3"]
    dumps = [dump("other", g=("out",)), dump("early", g=("a", "b", "out")), dump("late", g=("a", "b", "out"))]
    assert [place(each) for each in resolve(names, dumps)] == [("late", "g", 0)] * 3


def test_a_name_of_several_graphs_is_taken_from_the_graph_that_has_most_of_the_log() -> None:
    given = dump("d", one=("out",), two=("a", "b", "out"), three=("out", "a"))
    found = resolve(["Free_a_1", "Free_b_2", "Free_out_3"], [given])
    assert [place(each) for each in found] == [("d", "two", 1), ("d", "two", 0), ("d", "two", 2)]


@pytest.mark.parametrize(
    ("dumps", "reason"),
    [([], "there is no graph dump beside the log"), ([dump("d", g=("b",))], "no dump has a node 'a'")],
)
def test_what_is_not_found_has_a_reason(dumps: list[GraphSnapshot], reason: str) -> None:
    assert resolve(["Free_a_1"], dumps) == [Resolution("Free_a_1", "a", reason=reason)]


def test_what_a_descriptor_leaves_out_is_the_default_of_ge() -> None:
    node = SnapshotNode(0, "n", "T", 2, 1, {"input_desc_shape:1": (3, -1), "output_desc_dtype:0": "DT_BF16"})
    assert tensors(node, "input") == [Tensor("DT_FLOAT", (), "ND"), Tensor("DT_FLOAT", (3, -1), "ND")]
    assert tensors(node, "output") == [Tensor("DT_BF16", (), "ND")]


def test_of_one_graph_and_stage_the_format_that_says_most_is_kept() -> None:
    names = [
        "a/ge_onnx_00000001_graph_2_Build.pbtxt",
        "a/ge_onnx_00000001_graph_3_Build.pbtxt",
        "a/ge_proto_00000007_graph_2_Build.txt",
        "a/ge_readable_00000007_graph_3_Build.txt",
        "b/ge_onnx_00000001_graph_2_Build.pbtxt",
        "b/whatever.txt",
    ]
    kept = without_repeats([Path(name) for name in names])
    assert [path.as_posix() for path in kept] == [names[1], names[2], names[4], names[5]]


def test_kernels_of_a_simulated_bundle_are_nodes_of_its_execute_graphs(tmp_path: Path, capsys: Capture) -> None:
    assert main(["run", "add_example", "--no-tui", "--out", str(tmp_path / "b")]) == 0
    capsys.readouterr()
    main(["check", str(tmp_path / "b"), "--json"])
    data = json.loads(capsys.readouterr().out)["data"]["graph_nodes"]
    assert data["unresolved"] == []
    assert data["kernels"] == data["resolved"] > 0
    assert {each["how"] for each in data["operators"]} == {"kernel"}
