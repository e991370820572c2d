"""The lowering against GE's own dumps and against the worked example (spec/lowering.md 10.1)."""

from dataclasses import replace
from pathlib import Path

import pytest
from worked_example import FORMS, spelled, structure

from getrace.dumps.ge_proto import read_ge_proto
from getrace.dumps.snapshot import GraphSnapshot
from runtime.graph.builder import GraphBuilder
from runtime.graph.to_snapshot import snapshot_of_execute_graph
from runtime.lowering.graph_converter import lower

STAGE = "ExeGraphBeforeOptimize"


def form(name: str) -> GraphSnapshot:
    return snapshot_of_execute_graph(lower(FORMS[name].model(), FORMS[name].options), STAGE)


def dump_of(cases: Path, case: str) -> GraphSnapshot:
    (path,) = (cases / "truth" / "dumps" / case).glob(f"ge_proto_*_{STAGE}.txt.gz")
    return read_ge_proto(path)


@pytest.mark.real
def test_form_a_is_the_graph_that_ge_dumped_name_for_name(cases: Path) -> None:
    truth = dump_of(cases, "GraphExecutorWithKernelUnitTest.SingleNodeAiCore_ExecuteSuccess")
    assert structure(form("A")) == structure(truth)


# Constants that are records, addresses, or texts of the operator compiler in the dump have no bytes of ours to compare.
SAME_BYTES_INIT = (11, 43, 49, 51, 113, 116, 138, 140, 157, 160, 176, 179)
SAME_BYTES_MAIN = (31, 83, 88, 96, 150, 169, 171, 201, 205, 207, 209, 219, 221, 241)


@pytest.mark.real
@pytest.mark.parametrize(("part", "numbers"), [("Init", SAME_BYTES_INIT), ("Main", SAME_BYTES_MAIN)])
def test_numbers_types_and_texts_of_constants_are_the_bytes_that_ge_dumped(
    cases: Path, part: str, numbers: tuple[int, ...]
) -> None:
    truth = dump_of(cases, "GraphExecutorWithKernelUnitTest.SingleNodeAiCore_ExecuteSuccess")
    payloads = []
    for graph in (form("A").owned(part), truth.owned(part)):
        assert graph is not None
        constants = {int(node.name.rpartition("_")[2]): node for node in graph.nodes if node.type == "Const"}
        payloads.append([(constants[n].attrs["value"], constants[n].attrs["is_string"]) for n in numbers])
    assert payloads[0] == payloads[1]


@pytest.mark.real
def test_form_d_is_the_graph_that_ge_dumped_name_for_name(cases: Path) -> None:
    assert structure(form("D")) == structure(dump_of(cases, FORMS["D"].case))


@pytest.mark.real
def test_form_b_is_the_graph_that_ge_dumped_name_for_name(cases: Path) -> None:
    truth = dump_of(cases, "Runtime2GetTensorKernelSystemTest.DeterministicSystemTest")
    assert structure(form("B")) == structure(truth)


@pytest.mark.real
def test_a_graph_with_one_edge_changed_is_not_the_graph_that_ge_dumped(cases: Path) -> None:
    truth = dump_of(cases, "GraphExecutorWithKernelUnitTest.SingleNodeAiCore_ExecuteSuccess")
    snapshot = form("A")
    main = snapshot.graphs["Main_30"]
    moved = replace(main.edges[20], target_input=main.edges[20].target_input + 1)
    broken = replace(main, edges=(*main.edges[:20], moved, *main.edges[21:]))
    assert structure(replace(snapshot, graphs={**snapshot.graphs, "Main_30": broken})) != structure(truth)


# spec/lowering.md 10.1: "<type>{<input>, ...}" with inputs as "<position>.<output>"; "<-" are control edges in.
FORM_C_INIT = """
ConstData | ConstData | ConstData | Const | Data | SplitRtStreams 4.0 3.0 | Data | Data | Data
InnerNetOutput 0.0 1.0 2.0 13.0 12.0 14.0 15.0 16.0 19.0 20.0 21.0 21.1 22.0 25.0 25.1 28.0 29.0 30.0 31.0
Const | Const | Const | CreateL1Allocator 12.0 | SelectL1Allocator 12.0 6.0 13.0 5.0
CreateL2Allocators 10.0 11.0 <-14 | CreateInitL2Allocator 14.0 15.0 5.0
Const | Const | GetSpaceRegistry 2.0 18.0 | FindInferShapeFunc 17.0 19.0 | GetPlatformInfo | Const | Const | Const
AppendCoreTypeToPlatform 21.0 22.0 23.0 24.0 21.1
Const | Const | GetSpaceRegistry 2.0 27.0 | FindTilingFunc 26.0 28.0 | Const | Const
"""

FORM_C_MAIN = """
Const | Data | SplitRtStreams 1.0 0.0 | Data | Data | Data | Data | Data
SelectL1Allocator 9.0 3.0 10.0 2.0 | InnerData | InnerData
SplitDataTensor 6.0 12.0 | InnerData | SplitDataTensor 7.0 12.0
Const | SelectL2Allocator 14.0 2.0 8.0 16.0 | InnerData
Const | CalcTensorSizeFromStorage 17.0 11.0 | MakeSureTensorAtDevice 2.0 15.0 11.1 18.0 11.0 17.0
FreeMemory 19.0 <-55
Const | CalcTensorSizeFromStorage 21.0 13.0 | MakeSureTensorAtDevice 2.0 15.0 13.1 22.0 13.0 21.0
FreeMemory 23.0 <-55
Const | Const | AllocLaunchArg 25.0 26.0 | InferShape 11.0 13.0 29.0 | InnerData
Const | Const | Const | TilingParse 30.0 34.0 31.0 32.0 | InnerData
Const | Const | PrepareCacheableTilingFwkData 38.0 27.1 35.0 36.0 | InnerData
CacheableTiling 11.0 13.0 28.0 33.0 34.0 37.0 40.0 41.0 | InnerData | InnerData
AllocBatchHbm 15.0 39.4 | Const | Const | CalcTensorSizeFromShape 44.0 28.0
AllocMemHbm 15.0 45.0 | FreeMemory 46.0 <-55 <-59
Const | Const | SinkNodeBinWithHandle 48.0 49.0 | Const | Const | Const | Const
LaunchKernelWithHandle 2.0 50.0 39.1 42.0 43.0 51.0 54.0 39.6 53.0 39.11 39.7 39.0 52.0 19.0 23.0 46.0 11.0 13.0 28.0
FreeBatchHbm 42.0 <-55
OutputData | Const | EnsureTensorAtOutMemory 28.0 46.0 58.0 2.0 57.0 <-55
NetOutput 57.0 <-59
"""

FORM_C_ROOT = "Init | DeInit | Main 0.4 0.3 0.7 0.6 0.9 0.13 0.16 0.17 0.18"


def rows(text: str) -> list[str]:
    return [row.strip() for line in text.strip().splitlines() for row in line.split("|")]


@pytest.mark.parametrize(("part", "expected"), [("Init", FORM_C_INIT), ("Main", FORM_C_MAIN), ("DeInit", "")])
def test_form_c_is_the_list_of_the_worked_example(part: str, expected: str) -> None:
    graph = form("C").owned(part)
    assert graph is not None
    assert spelled(graph) == (rows(expected) if expected else [])


def test_form_c_feeds_main_from_init_as_the_worked_example_says() -> None:
    snapshot = form("C")
    assert spelled(snapshot.graphs["ROOT"]) == rows(FORM_C_ROOT)


@pytest.mark.parametrize(
    ("types", "added"),
    [(("AddExample", "AddExample"), (0, 27)), (("AddExample", "Sub"), (8, 29))],
    ids=["same type", "other type"],
)
def test_a_second_operator_adds_what_it_does_not_share(types: tuple[str, str], added: tuple[int, int]) -> None:
    builder = GraphBuilder("two")
    x1, x2 = builder.data("x1", (-1,)), builder.data("x2", (-1,))
    first = builder.op(types[0], x1, x2, name="first")
    second = builder.op(types[1], first, x2, name="second")
    root = lower(builder.output(second).build())
    sizes = [len(root.owned_by(part).nodes) for part in ("Init", "Main")]
    assert (sizes[0] - 32, sizes[1] - 61) == added


def test_the_same_model_gets_the_same_names_from_every_session() -> None:
    assert form("A") == form("A")
