"""GE's dump switches: what each value means, and what is said of a value that means nothing."""

from pathlib import Path

import pytest

from getrace.dumps.level import Level
from getrace.dumps.switches import read_switches


@pytest.mark.parametrize(
    ("text", "level", "warns"),
    [
        (None, Level.NONE, False),
        ("", Level.NONE, False),
        ("0", Level.NONE, False),
        ("1", Level.ALL, False),
        (" 2 ", Level.NO_DATA, False),
        ("3", Level.STRUCTURE, False),
        ("4", Level.NONE, True),
        ("yes", Level.NONE, True),
        ("-1", Level.NONE, True),
    ],
)
def test_dump_ge_graph(text: str | None, level: Level, *, warns: bool) -> None:
    switches = read_switches({} if text is None else {"DUMP_GE_GRAPH": text})
    assert switches.level is level
    assert bool(switches.warnings) is warns


STAGES = (
    "PreRunBegin",
    "Build",
    "ComputeGraphBeforeLowering",
    "ExeGraphBeforeOptimize",
    "ExeGraphBeforeOptimize_sub_graph_0",
    "AfterCEM",
    "AfterAicpuFuseHostInputs",
    "RunCustomPassBeforeInfershape",
    "partition0_rank0",
    "AIcoreEngine_OptimizeSubGraphBefore",
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", {0, 1, 2, 3, 7}),
        ("2", {0, 1, 2, 3, 7}),
        ("1", {0, 1, 2, 3, 5, 7}),
        ("3", {1}),
        ("4", {0}),
        ("AfterCEM", {5}),
        ("CEM|BeforeOptimize||", {3, 4, 5}),
        ("5", set[int]()),
    ],
)
def test_dump_graph_level_chooses_stages(text: str, wanted: set[int]) -> None:
    switches = read_switches({"DUMP_GE_GRAPH": "1", "DUMP_GRAPH_LEVEL": text})
    assert {number for number, stage in enumerate(STAGES) if switches.wants(stage)} == wanted


def test_without_dump_ge_graph_no_stage_is_wanted() -> None:
    assert not any(map(read_switches({"DUMP_GRAPH_LEVEL": "1"}).wants, STAGES))


@pytest.mark.parametrize(
    ("text", "formats", "warnings"),
    [
        ("", ("ge_proto", "onnx"), 0),
        ("READABLE", ("readable",), 0),
        ("onnx|Ge_Proto", ("ge_proto", "onnx"), 0),
        ("readable|svg", ("readable",), 1),
        ("svg", (), 1),
    ],
)
def test_dump_graph_format(text: str, formats: tuple[str, ...], warnings: int) -> None:
    switches = read_switches({"DUMP_GE_GRAPH": "1", "DUMP_GRAPH_FORMAT": text})
    assert switches.formats == formats
    assert len(switches.warnings) == warnings


def test_an_unknown_format_is_not_complained_of_when_nothing_is_dumped() -> None:
    assert read_switches({"DUMP_GRAPH_FORMAT": "svg"}).warnings == ()


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({}, "."),
        ({"ASCEND_WORK_PATH": "/w"}, "/w"),
        ({"ASCEND_WORK_PATH": "/w", "DUMP_GRAPH_PATH": "/d"}, "/d/pid_7_deviceid_1"),
        ({"DUMP_GRAPH_PATH": "/d", "NPU_COLLECT_PATH": "/n"}, "/n/extra-info/graph/7_1"),
    ],
)
def test_the_folder(environment: dict[str, str], folder: str) -> None:
    assert read_switches(environment).folder(7, 1) == Path(folder)


def test_limits_are_options_of_the_session() -> None:
    switches = read_switches({}, {"ge.maxDumpFileNum": "5", "ge.maxDumpFileSize": "many"})
    assert (switches.max_files, switches.max_bytes) == (5, 0)
    assert switches.warnings == ("ge.maxDumpFileSize=many is no number: there is no limit",)
