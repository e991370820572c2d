"""The worked example executed, and its variants (spec/lowering.md 10.4, 10.5)."""

from dataclasses import replace
from pathlib import Path

import pytest
from lowered_kernels import kernels_of_type
from one_operator import KNOWN, UNKNOWN, model_of
from rebuilt_graphs import traced_runs
from simulated_runs import run
from worked_example import FORMS

from getrace.events import Level
from getrace.events.markers import ExecutorSelected
from runtime.api.simulate import RunOptions
from runtime.engines.options import LoweringOptions
from runtime.executors.order import execution_order
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import KERNEL, ComputeGraph, nd_desc
from runtime.graph.execute_graph import ExecuteGraph
from runtime.lowering.graph_converter import lower
from runtime.lowering.pipeline import lower_model
from runtime.values import Placement

INIT = """
GetPlatformInfo SplitRtStreams CreateL1Allocator GetSpaceRegistry AppendCoreTypeToPlatform GetSpaceRegistry
SelectL1Allocator FindInferShapeFunc FindTilingFunc CreateL2Allocators CreateInitL2Allocator NoOp AllocLaunchArg
TilingParse SinkNodeBinWithHandle PrepareCacheableTilingFwkData
"""
MAIN_A = """
SplitDataTensor SplitDataTensor SplitRtStreams CalcTensorSizeFromStorage CalcTensorSizeFromStorage InferShape
SelectL1Allocator CacheableTiling CalcTensorSizeFromStorage CalcTensorSizeFromShape SelectL2Allocator
TilingAppendWorkspace AllocModelOutTensor TilingAppendDfxInfo AllocBatchHbm CopyFlowLaunch LaunchKernelWithHandle
FreeBatchHbm EnsureTensorAtOutMemory FreeMemory FreeMemory FreeMemory
"""
MAIN_C = """
SplitDataTensor SplitDataTensor SplitRtStreams CalcTensorSizeFromStorage CalcTensorSizeFromStorage InferShape
SelectL1Allocator CacheableTiling CalcTensorSizeFromShape SelectL2Allocator AllocBatchHbm AllocModelOutTensor
CopyFlowLaunch LaunchKernelWithHandle FreeBatchHbm EnsureTensorAtOutMemory FreeMemory FreeMemory FreeMemory
"""
NOT_RUN = {"Const", "ConstData", "Data", "InnerData", "InnerNetOutput", "NetOutput", "OutputData"}


@pytest.mark.parametrize(("form", "main"), [("A", MAIN_A), ("C", MAIN_C)])
def test_kernels_run_in_the_order_of_the_specification(form: str, main: str) -> None:
    root = FORMS[form].lowered()
    for part, types in (("Init", INIT), ("Main", main), ("DeInit", "")):
        order = [node.type for node in execution_order(root.owned_by(part)) if node.type not in NOT_RUN]
        assert order == types.split()


@pytest.mark.real
@pytest.mark.parametrize("form", ["A", "B"])
def test_kernels_run_in_the_order_of_ges_log_by_name(cases: Path, form: str) -> None:
    root = FORMS[form].lowered()
    runs = traced_runs(cases, FORMS[form].case)[:2]
    for part, traced in zip(("Init", "Main"), runs, strict=True):
        order = execution_order(root.owned_by(part))
        assert [node.name for node in order if node.type not in NOT_RUN - {"Const"}] == traced


def test_the_traced_run_of_the_sample_has_a_line_for_each_kernel_in_this_order() -> None:
    _, recorder = run(FORMS["C"].model(), level=Level.DEBUG, options=RunOptions(inputs=("x1=4", "x2=4")))
    names: dict[str, list[str]] = {}
    for item in recorder.heard:
        # a kernel may say several lines in a row; what its allocators say names none
        if item.kernel and names.setdefault(item.stage, [""])[-1] != item.kernel:
            names[item.stage].append(item.kernel)
    stages = {stage: [name.partition("_")[0] for name in of_stage[1:]] for stage, of_stage in names.items()}
    assert list(stages) == ["load", "init", "main"]
    # constants of Init come first, with GetPlatformInfo, which has no inputs either, at its place among them
    constants = [at for at, kernel in enumerate(stages["init"]) if kernel == "Const"]
    assert (len(constants), constants[-1], stages["init"].index("GetPlatformInfo")) == (35, 35, 6)
    assert [kernel for kernel in stages["init"] if kernel not in {"Const", "CEM"}] == [
        kernel for kernel in INIT.split() if kernel != "NoOp"
    ]
    assert stages["init"][-5:-4] == ["CEM"]
    # what a pass made in place keeps the name of what was there before
    named = MAIN_C.replace("AllocModelOutTensor", "AllocMemHbm")
    assert stages["main"] == named.split()


# 10.5


MAYBE_EMPTY = replace(nd_desc(UNKNOWN), shape_range=((0, -1),))


def add_example(**attrs: bool) -> ComputeGraph:
    """Form C, but the output may be empty."""
    builder = GraphBuilder("g1")
    x1, x2 = builder.data("x1", UNKNOWN), builder.data("x2", UNKNOWN)
    graph = builder.output(builder.op("AddExample", x1, x2, name="AddExample", outputs=[MAYBE_EMPTY])).build()
    graph.attrs.update(attrs)
    return graph


def in_branches(root: ExecuteGraph) -> dict[str, list[str]]:
    (owner,) = [node for node in root.all_nodes() if node.type == "If"]
    left_out = {"InnerData", "Const"}
    return {
        graph.name.partition("_")[0]: sorted(node.type for node in graph.nodes if node.type not in left_out)
        for graph in owner.subgraphs[1:]
    }


def test_an_output_that_may_be_empty_is_written_to_the_callers_memory_from_both_branches() -> None:
    root = lower_model(add_example()).root
    assert in_branches(root) == {
        "then": ["AllocModelOutTensor", "CalcTensorSizeFromShape", "InnerNetOutput"],
        "else": [
            "AllocBatchHbm",
            "AllocModelOutTensor",
            "CacheableTiling",
            "CalcTensorSizeFromShape",
            "FreeBatchHbm",
            "InnerNetOutput",
            "LaunchKernelWithHandle",
        ],
    }
    assert kernels_of_type(root, "CheckOutputShapesEmpty") == ["Main CheckOutputShapesEmpty(InferShape)"]


def test_the_branch_and_the_launch_in_it_have_the_priority_of_the_operator() -> None:
    root = lower_model(add_example()).root
    wanted = {"If", "LaunchKernelWithHandle"}
    assert {node.type: node.attrs["priority"] for node in root.all_nodes() if node.type in wanted} == {
        "If": 29,
        "LaunchKernelWithHandle": 29,
    }


def test_a_branch_with_one_launch_makes_the_executor_topological() -> None:
    _, recorder = run(add_example(), options=RunOptions(inputs=("x1=4", "x2=4")))
    chosen = [event for event in recorder.events() if isinstance(event, ExecutorSelected)]
    assert [str(event.executor) for event in chosen].count("general-topo-executor") == 1


def test_a_model_of_one_operator_has_no_branch() -> None:
    root = lower_model(add_example(_single_op_scene=True, _fe_single_op_scene=True)).root
    assert kernels_of_type(root, "If", "CheckOutputShapesEmpty") == []
    assert len(kernels_of_type(root, "LaunchKernelWithHandle")) == 1


@pytest.mark.parametrize(("single", "fused"), [(True, 1), (False, 0)])
def test_a_model_of_one_aicpu_operator_has_its_inputs_in_its_arguments(*, single: bool, fused: int) -> None:
    root = lower_model(model_of("Add", "aicpu_tf_kernel"), LoweringOptions(single_op_scene=single)).root
    assert len(kernels_of_type(root, "AicpuFuseHost")) == fused
    assert len(kernels_of_type(root, "MakeSureTensorAtDevice")) == 2 - 2 * fused


def test_a_static_operator_is_launched_by_flag_and_infers_and_tiles_nothing() -> None:
    graph = model_of("AddExample", "AIcoreEngine", (KNOWN, KNOWN), (KNOWN,))
    (op,) = [node for node in graph.nodes if node.type == "AddExample"]
    op.op.tasks = (KERNEL,)
    root = lower(graph)
    assert kernels_of_type(root, "If", "InferShape", "CacheableTiling", "Tiling", "LaunchKernelWithHandle") == []
    assert [line.partition("(")[0] for line in kernels_of_type(root, "LaunchKernelWithFlag")] == [
        "Main LaunchKernelWithFlag"
    ]


def test_inputs_on_the_device_are_launched_where_they_are() -> None:
    options = LoweringOptions(input_placement=Placement.DEVICE_HBM)
    root = lower_model(FORMS["C"].model(), options).root
    assert kernels_of_type(root, "MakeSureTensorAtDevice", "CopyFlowLaunch") == []
    (launch,) = kernels_of_type(root, "LaunchKernelWithHandle")
    tensors = "SplitDataTensor.1, SplitDataTensor.1, AllocModelOutTensor, SplitDataTensor, SplitDataTensor, InferShape)"
    assert launch.endswith(f", {tensors}")
