"""Shapes in public cases: what a log tells of gears, of sizes that do not fit, and of why a graph is dynamic."""

import json
from pathlib import Path
from typing import Any

import pytest

from getrace.cli import main

pytestmark = pytest.mark.real

Capture = pytest.CaptureFixture[str]
Json = dict[str, Any]


def told(cases: Path, number: str, capsys: Capture, *more: str) -> Json:
    (path,) = (cases / "real").glob(f"{number}-*")
    main(["diagnose", "--json", *more, str(path)])
    data: Json = json.loads(capsys.readouterr().out)["data"]
    return data


def test_an_output_that_is_given_less_memory_than_its_shape_needs(cases: Path, capsys: Capture) -> None:
    shapes = told(cases, "73", capsys)["shapes"]
    found = shapes["mismatch"]
    assert (found["op"], found["op_type"], found["side"], found["index"]) == ("add2", "Add", "output", 0)
    assert (found["expected_bytes"], found["given_bytes"], found["shape"]) == (128, 2, [50])
    assert [each["line"] for each in found["evidence"]] == [2, 1]
    (other,) = shapes["other_mismatches"]
    assert (other["expected_bytes"], other["evidence"][0]["line"]) == (None, 5)
    assert other["note"].startswith("the expected size is -1, printed as unsigned")


def test_an_input_whose_size_does_not_fit_says_what_is_missing_to_go_upstream(cases: Path, capsys: Capture) -> None:
    found = told(cases, "138", capsys)["shapes"]["mismatch"]
    assert (found["op"], found["side"], found["index"]) == ("PartitionedCall_14", "input", 40)
    assert (found["expected_bytes"], found["given_bytes"], found["produced_by"]) == (768032, 32, None)
    assert found["cannot_tell"]["because"] == "there is no graph dump, and no line prints inferred shapes"
    assert found["cannot_tell"]["switch"].startswith("DUMP_GE_GRAPH=2 DUMP_GRAPH_LEVEL=1")


def test_an_output_of_the_model_that_the_user_gave_too_small(cases: Path, capsys: Capture) -> None:
    found = told(cases, "110", capsys, "--text")["shapes"]["mismatch"]
    assert (found["op"], found["index"], found["expected_bytes"], found["given_bytes"]) == ("NetOutput", 0, 16416, 8192)
    assert found["evidence"][0]["line"] == 11


def test_shapes_that_do_not_broadcast_differ_in_one_dimension(cases: Path, capsys: Capture) -> None:
    found = told(cases, "92", capsys)["shapes"]["mismatch"]
    assert (found["op"], found["note"]) == (
        "BroadcastTo",
        "[5041, 8192] to [5042, 8192]: dimension 0 is 5041 against 5042",
    )


@pytest.mark.parametrize(
    ("number", "kinds"),
    [
        ("177", [("graph id 0", "static", 1), ("graph id 0", "dynamic", 2), ("graph id 0", "static", 3)]),
        ("82", [("hybrid_root", "dynamic", 2), ("While0_body", "static", 4)]),
        ("149", [("graph_a", "dynamic", 1), ("graph_b", "dynamic", 3)]),
    ],
)
def test_a_log_says_which_graphs_are_dynamic(
    number: str, kinds: list[tuple[str, str, int]], cases: Path, capsys: Capture
) -> None:
    graphs = told(cases, number, capsys)["shapes"]["graphs"]
    assert [(each["graph"], each["kind"], each["evidence"][0]["line"]) for each in graphs] == kinds


def test_the_operator_of_a_branch_is_told_with_the_values_of_its_gear(cases: Path, capsys: Capture) -> None:
    (gears,) = told(cases, "154", capsys, "--text")["shapes"]["gears"]
    assert gears["gears"][5] == [4, 2052, 4, 2048]
    assert gears["inputs"] == ["input_ids", "attention_mask", "position_ids", "past_key_values"]
    assert gears["note"].startswith("/model/layers.4/self_attn/Slice is of gear 5 (4,2052,4,2048); ")


def test_a_model_that_was_compiled_without_gears_says_so(cases: Path, capsys: Capture) -> None:
    (gears,) = told(cases, "60", capsys, "--text")["shapes"]["gears"]
    assert (gears["gears"], gears["evidence"][0]["line"]) == ([], 6)
    assert gears["note"].startswith("the model was compiled without gears")


def test_a_whole_run_tells_its_dynamic_graph_the_operator_the_shapes_and_what_ge_measured(
    cases: Path, capsys: Capture
) -> None:
    shapes = told(cases, "01", capsys)["shapes"]
    dynamic = [each["graph"] for each in shapes["graphs"] if each["kind"] == "dynamic"]
    assert dynamic == ["ge_default_20230713074125_sub_2_unknow"]
    (reason,) = shapes["dynamic"]
    assert (reason["name"], reason["type"], reason["shape_class"], reason["first"]) == ("Unique", "Unique", 3, True)
    (step,) = shapes["steps"]
    assert [(each["op"], each["inputs"], each["outputs"]) for each in step["changed"]] == [
        ("Unique", None, [[64], [64]]),
        ("GatherV2", [[64], [2], []], [[2]]),
    ]
    longest = max(shapes["compiled"], key=lambda each: int(each["cost"]["ns"]))
    assert (longest["what"], longest["cost"]) == (
        "FlowModelBuild",
        {"ns": 75_225_287_000, "provenance": "measured"},
    )
    assert shapes["new_shapes"] == []


def test_a_dump_beside_that_run_names_the_operator_that_opens_the_shape_with_its_line(
    cases: Path, tmp_path: Path, capsys: Capture
) -> None:
    for number, name in (("01", "plog-370_20230713074107861.log"), ("06", "ge_proto_00000001_Build.txt")):
        (path,) = (cases / "real").glob(f"{number}-*")
        (tmp_path / name).symlink_to(path)
    main(["diagnose", "--json", str(tmp_path)])
    data = json.loads(capsys.readouterr().out)["data"]
    (reason,) = data["shapes"]["dynamic"]
    assert (reason["name"], reason["shape"], reason["shape_class"]) == ("Unique", [-1], 3)
    assert reason["graph"] == "ge_default_20230713074125_sub_2_unknow"
    assert [each["line"] for each in reason["evidence"]] == [4489]
    assert data["shapes"]["cannot_tell"] == []
    assert (data["failure"]["graph"], data["failure"]["model"]) == ("ge_default_20230713074125_sub_2_unknow", "2")


def test_the_card_of_a_whole_run_names_graph_model_inputs_and_outputs(cases: Path, capsys: Capture) -> None:
    failure = told(cases, "01", capsys)["failure"]
    assert (failure["graph"], failure["graph_evidence"]["line"]) == ("ge_default_20230713074125_11", 8240)
    assert (failure["model"], failure["stage"], failure["iteration"]) == ("2", "main", 1)
    assert [(each["place"], each["address"], each["producer"]) for each in failure["addresses"]] == [
        ("input 0", "0x124080044000", "AllocMemHbm_Unique_150"),
        (
            "input 1",
            "0x124080024000",
            "CopyH2D_ge_default_20230713074125_sub_0_input_PartitionedCall_0_181",
        ),
        (
            "input 2",
            "0x124080034000",
            "CopyH2D_ge_default_20230713074125_sub_0_input_PartitionedCall_0_194",
        ),
        ("output 0", "0x124080054000", "AllocMemHbm_GatherV2_292"),
    ]
    assert (failure["tiling"]["data_bytes"], failure["tiling"]["line"]) == (224, 8337)


@pytest.mark.parametrize(
    ("name", "iteration", "before", "after"),
    [
        ("TruthMultiStream.chain3_wander_4steps", 3, [2048], [512]),
        ("TruthMultiStream.reuse_pool_small_after_big", 2, [1000000], [64]),
    ],
)
def test_ge_itself_run_with_other_shapes_shows_them_by_step(
    name: str, iteration: int, before: list[int], after: list[int], cases: Path, capsys: Capture
) -> None:
    main(["diagnose", "--json", str(cases / "truth" / "logs" / f"{name}.log.gz")])
    shapes = json.loads(capsys.readouterr().out)["data"]["shapes"]
    by_step = {step["iteration"]: step["inputs"]["data1"] for step in shapes["steps"]}
    assert (by_step[iteration - 1], by_step[iteration]) == (before, after)
    fresh = [new for new in shapes["new_shapes"] if new["iteration"] == iteration]
    assert {new["cost"]["infer_shape"]["provenance"] for new in fresh} == {"inferred"}
