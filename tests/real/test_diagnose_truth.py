"""Failures that GE's own code printed: each is found, and no log of a run that went well is accused."""

import json
from pathlib import Path
from typing import Any

import pytest

from getrace.cli import main

pytestmark = pytest.mark.real

Capture = pytest.CaptureFixture[str]


def answered(path: Path, verb: str, capsys: Capture) -> tuple[int, dict[str, Any]]:
    code = main([verb, str(path), "--json"])
    data: dict[str, Any] = json.loads(capsys.readouterr().out)["data"]
    return code, data


@pytest.mark.parametrize(
    ("case", "kernel", "phase", "line"),
    [
        ("TruthMultiStream.fail_infershape_on_aux_stream_step1", "InferShape_sigmoid2_305", "infer_shape", 1493),
        ("TruthMultiStream.fail_launch_on_aux_stream_step1", "LaunchKernelWithHandle_relu1_394", "launch", 1532),
        ("TruthMultiStream.fail_waitevents_step1", "WaitEvents_relu1_528", "stream", 1564),
        ("TruthMultiStream.fail_sendevents_step1", "SendEvents_exp0_276", "stream", 1531),
        ("TruthMultiStream.fail_wander_step1_topological", "AccessMemCrossStream_relu1_408", "stream", 1517),
        ("TruthSingleStream.fail_alloc_step1", "AllocMemHbm_Relu_0_210", "alloc", 1217),
        ("TruthSingleStream.fail_launch_step1_then_ok", "LaunchKernelWithHandle_Sigmoid_1_342", "launch", 1277),
        ("TruthSingleStream.fail_multithread", "LaunchKernelWithHandle_Sigmoid_1_342", "launch", 1315),
    ],
)
def test_the_kernel_that_failed_is_found(
    case: str, kernel: str, phase: str, line: int, cases: Path, capsys: Capture
) -> None:
    code, data = answered(cases / "truth" / "logs" / f"{case}.log.gz", "diagnose", capsys)
    failure = data["failure"]
    assert (code, failure["kernel"], failure["phase"], failure["line"]) == (1, kernel, phase, line)
    assert failure["how"] == "error_line"


@pytest.mark.parametrize(
    "case",
    [
        "TruthSingleStream.chain4_5steps_vary_shape",
        "TruthMultiStream.diamond_3streams_4steps",
        "TruthMultiStream.oom_random60_8streams",
        "TruthSingleStream.oom_random30",
        "TruthCtrl.if_toggle_4steps",
    ],
)
def test_a_run_that_went_well_is_clean_and_leaks_nothing(case: str, cases: Path, capsys: Capture) -> None:
    path = cases / "truth" / "logs" / f"{case}.log.gz"
    assert answered(path, "diagnose", capsys)[0] == 0
    memory = answered(path, "memory", capsys)[1]
    assert (memory["live_at_end"], memory["leaks"]) == (0, [])
    assert [block["addr"] for block in memory["blocks"] if block["recycle"] is None] == []
