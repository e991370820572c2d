"""The worked example after each pass and sorted, node for node and edge for edge (spec/lowering.md 10.2, 10.3).

GE dumped forms A, B and D stage by stage; of D there is no last stage. Form C stands in no dump: its lists are written
out, and one row of the sorted list differs from the specification's in what that says itself: CEM_NoOp has one control
edge for each exported output, so GetPlatformInfo and AppendCoreTypeToPlatform stand twice.
"""

from pathlib import Path

import pytest
from worked_example import FORMS, part, spelled, structure

from getrace.dumps.ge_proto import read_ge_proto
from getrace.dumps.snapshot import GraphSnapshot

STAGES = [
    "ExeGraphBeforeOptimize",
    "AfterZeroCopy",
    "AfterCEM",
    "AfterCopyFlowLaunch",
    "AfterCEM",
    "ExecuteGraphAfterSplit",
]
PARTS = ("Init", "Main", "DeInit")
UNSET = (1 << 63) - 1
"""The priority of a node that nothing orders: INT64_MAX."""

COUNTS = {
    "A": [(32, 71, 0), (32, 71, 0), (64, 60, 0), (64, 61, 0), (66, 61, 0), (66, 61, 0)],
    "B": [(32, 69, 0), (32, 69, 0), (63, 58, 0), (63, 59, 0), (65, 59, 0), (65, 59, 0)],
    "C": [(32, 61, 0), (32, 61, 0), (57, 50, 0), (57, 51, 0), (59, 51, 0), (59, 51, 0)],
    "D": [(32, 72, 0), (32, 72, 0), (65, 59, 0), (65, 60, 0), (67, 60, 0), (67, 60, 0)],
}


@pytest.mark.parametrize("form", sorted(COUNTS))
def test_each_stage_has_as_many_nodes_as_the_specification_counts(form: str) -> None:
    stages = FORMS[form].stages()
    assert [stage.stage for stage in stages] == STAGES
    assert [tuple(len(part(stage, name).nodes) for name in PARTS) for stage in stages] == COUNTS[form]


@pytest.mark.real
@pytest.mark.parametrize(("form", "dumped"), [("A", 6), ("B", 6), ("D", 5)])
def test_each_stage_is_the_graph_that_ge_dumped_name_for_name(cases: Path, form: str, dumped: int) -> None:
    files = sorted((cases / "truth" / "dumps" / FORMS[form].case).glob("ge_proto_*.txt.gz"))
    theirs = [read_ge_proto(file) for file in files if file.name.partition("_graph_0_")[2][:-7] in STAGES]
    assert [stage.stage for stage in theirs] == STAGES[:dumped]
    for mine, ge in zip(FORMS[form].stages(), theirs, strict=False):
        assert structure(mine) == structure(ge), mine.stage


MOVED = """
Const Const Const Const Const Const Const Const Const Const Const Const Const Const Const Const Const Const Const Const
AllocLaunchArg TilingParse PrepareCacheableTilingFwkData SinkNodeBinWithHandle NoOp
"""


def test_what_moves_to_init_comes_behind_what_was_there() -> None:
    _, _, first, fused, second, _ = FORMS["C"].stages()
    assert [node.type for node in part(first, "Init").nodes[32:]] == MOVED.split()
    assert [node.type for node in part(second, "Init").nodes[57:]] == ["Const", "Const"]
    assert [node.type for node in part(fused, "Main").nodes[-5:]] == [
        "CopyFlowLaunch", "Const", "Const", "FreeMemory", "FreeMemory",
    ]  # fmt: skip
    names = [node.name for node in part(first, "Main").nodes if node.name.startswith("CEM_")]
    assert [name.rpartition("_")[2] for name in names] == [str(number) for number in range(len(names))]
    assert {name.rpartition("_")[0] for name in names} == {"CEM_Main_30_InnerData"}


def test_an_allocation_that_takes_the_callers_memory_keeps_its_name() -> None:
    before, after = FORMS["C"].stages()[:2]
    assert [spelled(part(stage, "Main"))[46] for stage in (before, after)] == [
        "AllocMemHbm 15.0 45.0",
        "AllocModelOutTensor 15.0 45.0 57.0",
    ]
    names = {part(stage, "Main").nodes[46].name for stage in (before, after)}
    assert len(names) == 1
    assert names.pop().startswith("AllocMemHbm_AddExample_")


# 10.3, form C: inputs as "<position>.<output>", control edges in as "<-<position>".
INIT = """
Data | Data | Data | Data | ConstData | ConstData | ConstData | Const | SplitRtStreams 0.0 7.0 | Const | Const
Const | CreateL1Allocator 11.0 | SelectL1Allocator 11.0 1.0 12.0 8.0 | CreateL2Allocators 9.0 10.0 <-13
CreateInitL2Allocator 13.0 14.0 8.0 | Const | Const | GetSpaceRegistry 6.0 17.0 | FindInferShapeFunc 16.0 18.0
GetPlatformInfo | Const | Const | Const | AppendCoreTypeToPlatform 20.0 21.0 22.0 23.0 20.1 | Const | Const
GetSpaceRegistry 6.0 26.0 | FindTilingFunc 25.0 27.0
NoOp <-2 <-3 <-12 <-13 <-14 <-15 <-18 <-19 <-20 <-20 <-24 <-24 <-27 <-28 | Const | Const | Const | Const | Const
Const | Const | Const | AllocLaunchArg 36.0 37.0 <-29 | Const | Const | Const | TilingParse 39.0 24.0 40.0 41.0 <-29
Const | Const | PrepareCacheableTilingFwkData 28.0 38.1 43.0 44.0 | Const | Const | Const | Const
SinkNodeBinWithHandle 48.0 49.0 <-29 | Const | Const | Const | Const | Const | Const | Const
"""
EXPORTS = """
InnerNetOutput 4.0 5.0 6.0 12.0 11.0 13.0 14.0 15.0 18.0 19.0 20.0 20.1 21.0 24.0 24.1 27.0 28.0 30.0 31.0 32.0 33.0
34.0 35.0 46.0 47.0 51.0 52.0 53.0 54.0 55.0 42.0 45.0 50.0 56.0 57.0
"""
MAIN = """
Data | Data | Data | Data | Data | Data | InnerData | InnerData | InnerData | SplitDataTensor 5.0 8.0
SplitDataTensor 4.0 8.0 | InnerData | InnerData | InferShape 10.0 9.0 12.0 | InnerData | InnerData | InnerData
OutputData | InnerData | SplitRtStreams 0.0 18.0 | SelectL1Allocator 6.0 1.0 7.0 19.0 | InnerData
SelectL2Allocator 21.0 19.0 20.0 11.0 | InnerData | CalcTensorSizeFromStorage 23.0 10.0 | InnerData
CalcTensorSizeFromStorage 25.0 9.0 | InnerData | InnerData | CalcTensorSizeFromShape 28.0 13.0
AllocModelOutTensor 22.0 29.0 17.0 | InnerData | InnerData | InnerData | InnerData | InnerData | InnerData
InnerData | CacheableTiling 10.0 9.0 13.0 36.0 14.0 37.0 15.0 16.0 | AllocBatchHbm 22.0 38.4 | InnerData | InnerData
InnerData | CopyFlowLaunch 41.0 42.0 38.11 19.0 22.0 10.1 24.0 10.0 23.0 9.1 26.0 9.0 25.0
LaunchKernelWithHandle 19.0 40.0 38.1 39.0 27.0 31.0 34.0 38.6 33.0 38.11 38.7 38.0 32.0 43.0 43.1 30.0 10.0 9.0 13.0
FreeMemory 43.1 <-44 | FreeMemory 43.0 <-44 | EnsureTensorAtOutMemory 13.0 30.0 35.0 19.0 17.0 <-44
NetOutput 17.0 <-47 | FreeMemory 30.0 <-44 <-47 | FreeBatchHbm 39.0 <-44
"""
ROOT = "Init | Main 0.4 0.3 0.7 0.6 0.9 0.13 0.17"
ROOT += "".join(f" 0.{output}" for output in range(18, 35)) + " | DeInit"


def rows(text: str) -> list[str]:
    """A row ends with a bar or a line; one that begins with a blank goes on with the row before."""
    joined = text.strip().replace("\n  ", " ")
    return [row.strip() for line in joined.splitlines() for row in line.split("|")]


@pytest.fixture(scope="module")
def final() -> GraphSnapshot:
    return FORMS["C"].stages()[-1]


def test_init_is_sorted_as_the_specification_lists_it(final: GraphSnapshot) -> None:
    assert spelled(part(final, "Init")) == [*rows(INIT), " ".join(EXPORTS.split())]


def test_main_is_sorted_as_the_specification_lists_it(final: GraphSnapshot) -> None:
    assert spelled(part(final, "Main")) == rows(MAIN)
    assert [node.attrs["index"] for node in part(final, "Main").nodes if node.type == "InnerData"] == list(range(24))


def test_main_is_fed_from_init_as_the_specification_lists_it(final: GraphSnapshot) -> None:
    assert spelled(final.graphs["ROOT"]) == rows(ROOT)


@pytest.mark.parametrize(("form", "ids"), [("A", [0, 67, 129]), ("C", [0, 60, 112])])
def test_nodes_are_numbered_through_all_graphs(form: str, ids: list[int]) -> None:
    root = FORMS[form].lowered()
    assert [node.id for node in root.nodes] == ids
    assert [node.id for node in root.all_nodes()] == list(range(ids[-1] + 1))


@pytest.mark.parametrize("form", ["A", "C"])
def test_priorities_are_those_of_the_one_operator(form: str) -> None:
    root = FORMS[form].lowered()
    main = root.owned_by("Main")
    unset = [(node.type, node.attrs.get("index")) for node in main.nodes if node.attrs["priority"] == UNSET]
    assert unset == [("Data", -3), ("Data", -4), ("NetOutput", None)]
    assert {node.attrs["priority"] for node in main.nodes} == {29, UNSET}
    assert [node.name for node in root.owned_by("Init").nodes if "priority" in node.attrs] == []


def test_form_a_has_seven_more_values_on_init_and_hands_them_all_to_main() -> None:
    snapshot = FORMS["A"].stages()[-1]
    ends = [node for node in part(snapshot, "Init").nodes if node.type == "InnerNetOutput"]
    assert [node.inputs for node in ends] == [42]
    (main,) = [text for text in spelled(snapshot.graphs["ROOT"]) if text.startswith("Main")]
    fed = [4, 3, 7, 6, 9, 13, 17, 18, *range(19, 42)]
    assert main == "Main " + " ".join(f"0.{output}" for output in fed)
    texts = spelled(part(snapshot, "Main"))
    types = [text.split()[0] for text in texts]
    at = types.index("TilingAppendWorkspace")
    assert types[at + 1] == "TilingAppendDfxInfo"
    assert f"AllocBatchHbm {types.index('SelectL2Allocator')}.0 {at + 1}.0" in texts
    assert f"<-{at + 1}" in texts[types.index("CopyFlowLaunch")]
