"""The section ``shapes`` of diagnose and the graph, inputs and outputs of its card, over simulated runs and files."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compute_snapshots import graph, node, snapshot
from simulated_runs import OpenProcess, add_model, open_process

from getrace.cli.command import main
from getrace.dumps.ge_proto import ge_proto_file_name, write_ge_proto
from getrace.dumps.snapshot import AttrValue
from getrace.events import Origin
from getrace.plog.writer import PlogWriter
from runtime.graph.builder import GE_LOCAL
from runtime.graph.compute_graph import ComputeGraph, OpDesc, nd_desc
from runtime.values import DType

Capture = pytest.CaptureFixture[str]


def bundle(root: Path, model: str, *more: str) -> Path:
    main(["run", model, "--no-tui", "--out", str(root), "--quiet", *more])
    return root


def written(process: OpenProcess, root: Path) -> None:
    """Write what a process said as its plog."""
    with PlogWriter(root) as writer:
        for heard in process.recorder.heard:
            writer(heard.time_ns, Origin(1, "test", 1, heard.stage), heard.level, heard.kernel, heard.event)


def asked(root: Path, capsys: Capture) -> dict[str, Any]:
    capsys.readouterr()
    main(["diagnose", str(root), "--json"])
    data: dict[str, Any] = json.loads(capsys.readouterr().out)["data"]
    return data


def section(root: Path, capsys: Capture) -> list[str]:
    capsys.readouterr()
    main(["diagnose", str(root)])
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("shapes")
    return lines[start : lines.index("", start)] if "" in lines[start:] else lines[start:]


def test_a_bundle_says_which_inputs_are_open_with_the_line_of_the_dump(tmp_path: Path, capsys: Capture) -> None:
    root = bundle(tmp_path / "b", "add_example", "--input", "x1=4x8", "--input", "x2=4x8", "--steps", "3")
    shapes = asked(root, capsys)["shapes"]
    assert [(each["name"], each["dims"], each["shape"], each["first"]) for each in shapes["dynamic"]] == [
        ("x1", [0, 1], [-1, -1], True),
        ("x2", [0, 1], [-1, -1], True),
    ]
    (evidence,) = shapes["dynamic"][1]["evidence"]
    text = Path(evidence["file"]).read_text(encoding="utf-8").splitlines()
    assert text[evidence["line"] - 1].strip() == 'name: "x2"'
    assert text[evidence["line"] - 2].strip() == "op {"
    assert [each["inputs"] for each in shapes["steps"]] == [{"x1": [4, 8], "x2": [4, 8]}] * 3
    assert (shapes["new_shapes"], shapes["mismatch"], shapes["cannot_tell"]) == ([], None, [])


def test_an_infer_shape_that_refuses_its_inputs_leads_to_who_gave_them(tmp_path: Path, capsys: Capture) -> None:
    root = bundle(tmp_path / "b", "add_example", "--input", "x1=4x8", "--input", "x2=8")
    data = asked(root, capsys)
    mismatch = data["shapes"]["mismatch"]
    assert (mismatch["op"], mismatch["op_type"], mismatch["note"]) == (
        "add",
        "AddExample",
        "its inputs are [4, 8], [8]",
    )
    assert [(each["op"], each["how"], each["shape_in_log"]) for each in mismatch["upstream"]] == [
        ("x1", "gives input 0 of add", [4, 8]),
        ("x2", "gives input 1 of add", [8]),
    ]
    lines = section(root, capsys)
    assert lines[1].startswith("  does not fit  add: an infer-shape function refused its inputs (its inputs are")
    assert lines[3].startswith("                x2 [8] gives input 1 of add  :")


def test_the_card_names_graph_iteration_inputs_and_outputs(tmp_path: Path, capsys: Capture) -> None:
    root = bundle(tmp_path / "b", "add_example", "--steps", "3", "--fault", "aicore@add#2")
    failure = asked(root, capsys)["failure"]
    assert (failure["graph"], failure["stage"], failure["iteration"]) == ("add_example", "main", 2)
    assert [each["place"] for each in failure["addresses"]] == ["input 0", "input 1", "output 0"]
    assert failure["owner_unknown"]["because"] == "no line of the failing thread names its model"
    main(["diagnose", str(root)])
    text = capsys.readouterr().out
    told = next(line for line in text.splitlines() if line.startswith("  graph "))
    assert told.endswith("ComputeGraphBeforeLowering.txt, main, iteration 2")
    assert "  input 0         0x12c0413d0000 from CopyFlowLaunch_To_LaunchKernelWithHandle_add_" in text
    assert "  output 0        0x12c0413f0000 from AllocMemHbm_add_" in text


def test_a_text_is_asked_for_gears_too(tmp_path: Path, capsys: Capture) -> None:
    page = tmp_path / "out.txt"
    page.write_text('atc --dynamic_dims "4,8;16,16"\nFailed to compile Op [cut_ascend_mbatch_batch_1]\n', "utf-8")
    main(["diagnose", "--text", str(page)])
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("shapes")
    assert lines[start + 1 : start + 3] == [
        "  gears  4,8; 16,16 of the option of the compiler  :1",
        "         cut is of gear 1 (16,16)",
    ]


def test_a_static_log_has_no_section(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "plog-1_1.log"
    log.write_text("[INFO] GE(1,app):2026-03-05-10:11:12.000.001 [a.cc:1]1 Run:all is well\n", "utf-8")
    main(["diagnose", str(log)])
    assert "shapes" not in capsys.readouterr().out.splitlines()


def test_an_output_buffer_that_is_too_small_names_the_operator_that_fills_it(tmp_path: Path, capsys: Capture) -> None:
    process = open_process(add_model())
    assert process.executor.load(process.arg) == 0
    small = np.zeros(4, np.float32)
    status, _ = process.outputs([np.zeros(64, np.float32), np.ones(64, np.float32)], 1, [small])
    assert status == 4294967295
    written(process, tmp_path)
    found = asked(tmp_path, capsys)["shapes"]["mismatch"]
    assert (found["expected_bytes"], found["given_bytes"]) == (256, 64)
    assert (found["produced_by"], found["produced_by_confidence"]) == ("add", "low")
    assert "                no dump tells; perhaps produced by add" in section(tmp_path, capsys)


def gear_model() -> ComputeGraph:
    """A model whose only output is the value that chooses a gear: the first dimension of x."""
    model, open_vector, number = ComputeGraph("g"), nd_desc((-1,)), nd_desc((1,), DType.INT32)
    given: dict[str, AttrValue] = {"index": 0, "_dynamic_batch_unknown_dim_index": (0,)}
    x = model.add(OpDesc("x", "Data", (open_vector,), (open_vector,), GE_LOCAL, attrs=given))
    lowered: dict[str, AttrValue] = {
        "_ge_attr_lowering_func": "multi_batch_shape_data",
        "_dynamic_batch_unknown_data_index": (0,),
    }
    told = model.add(OpDesc("told", "DATA", (), (number,), GE_LOCAL, attrs={"index": 1, **lowered}))
    end = model.add(OpDesc("NetOutput", "NetOutput", (number,), (), GE_LOCAL))
    model.order(x, told)
    model.connect(told, 0, end, 0)
    return model


def test_a_run_with_gears_says_the_gear_of_each_step_and_the_nearest_where_none_is_equal(
    tmp_path: Path, capsys: Capture
) -> None:
    process = open_process(gear_model())
    assert process.executor.load(process.arg) == 0
    for size in (4, 3, 9):
        assert process.outputs([np.zeros(size, np.float32)], 1)[0] == 0
    written(process, tmp_path)
    table: dict[str, AttrValue] = {"_batch_num": 3, "_pred_value_0": (1,), "_pred_value_1": (4,), "_pred_value_2": (8,)}
    dump = snapshot(graph("g", [node("ascend_mbatch_shape_case", "Case", attrs=table)]))
    (tmp_path / ge_proto_file_name(0, dump)).write_text(write_ge_proto(dump), "utf-8")
    (gears,) = asked(tmp_path, capsys)["shapes"]["gears"]
    assert gears["gears"] == [[1], [4], [8]]
    fields = ("iteration", "asked", "gear", "nearest", "nearest_covers")
    assert [tuple(use[name] for name in fields) for use in gears["uses"]] == [
        (1, [4], 1, None, None),
        (2, [3], None, 1, True),
        (3, [9], None, 2, False),
    ]
    lines = section(tmp_path, capsys)
    assert any(
        "iteration 2: 3 has no gear; the nearest is 4 (large enough); no gear is equal: where the host does not check, "
        "Case runs its last branch" in line
        for line in lines
    )


def test_steps_with_other_shapes_are_new_shapes_with_their_costs(tmp_path: Path, capsys: Capture) -> None:
    process = open_process(add_model())
    assert process.executor.load(process.arg) == 0
    for size in (4, 4, 6, 4, 9):
        status, _ = process.step(np.zeros(size, np.float32), np.ones(size, np.float32))
        assert status == 0
    written(process, tmp_path)
    shapes = asked(tmp_path, capsys)["shapes"]
    assert [each["inputs"]["x1"] for each in shapes["steps"]] == [[4], [4], [6], [4], [9]]
    assert [len(each["changed"]) for each in shapes["steps"]] == [1, 0, 1, 1, 1]
    fresh = shapes["new_shapes"]
    assert [(each["iteration"], each["op"], each["outputs"], each["tiling_cache"]) for each in fresh] == [
        (3, "add", [[6]], "missed"),
        (5, "add", [[9]], "missed"),
    ]
    for each in fresh:
        assert {name: cost and cost["provenance"] for name, cost in each["cost"].items()} == {
            "infer_shape": "inferred",
            "tiling": "inferred",
            "compile": None,
        }
        assert list(each["unknown"]) == ["compile"]
        assert all(cost["ns"] > 0 for cost in each["cost"].values() if cost)
    assert [(each["what"], each["name"], each["dims"]) for each in shapes["dynamic"]][:2] == [
        ("value", "x1", [0]),
        ("value", "x2", [0]),
    ]
    assert "DUMP_GE_GRAPH=2 DUMP_GRAPH_LEVEL=1" in shapes["cannot_tell"][0]["switch"]
    steps = next(line for line in section(tmp_path, capsys) if line.startswith("  steps"))
    assert steps.endswith(
        "5 steps; x1 [4], x2 [4] in iteration 1 to 2; x1 [6], x2 [6] in iteration 3; "
        "x1 [4], x2 [4] in iteration 4; x1 [9], x2 [9] in iteration 5"
    )
