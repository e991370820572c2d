"""AI Core operators that decide at run time, clean memory first, were fused, or write into their inputs.

spec/lowering.md 4.1 (2, 3, 6, 10), 2.5, 10.5. GE's dumps confirm the empty output (Case07), the fall-back
(FallibleTiling_*), the clean (BinaryArgs_AtomicClean) and the fused operator (Model_On_UB_fusion_node).
"""

from dataclasses import replace

import pytest
from compiled_operator import BY_FLAG, BY_HANDLE, compiled, registered
from lowered_kernels import kernels_of, kernels_of_type
from one_operator import KNOWN, UNKNOWN

from getrace.dumps.snapshot import AttrValue
from runtime.engines.op_library import OpTraits
from runtime.engines.options import LoweringOptions
from runtime.graph.compute_graph import ALL_KERNEL, KERNEL, nd_desc
from runtime.graph.execute_graph import ExecuteGraph

MAYBE_EMPTY = nd_desc(UNKNOWN, shape_range=[(0, -1)])

_BRINGS = frozenset({"Const", "InnerData", "InnerNetOutput"})


def branches(root: ExecuteGraph) -> dict[str, list[str]]:
    """Types of the kernels of each branch, without what brings values in and out."""
    (owner,) = (node for node in root.owned_by("Main").nodes if node.type == "If")
    return {
        graph.name.split("_")[0]: [
            node.type for node in graph.nodes if node.type not in {"Const", "InnerData", "InnerNetOutput"}
        ]
        for graph in owner.subgraphs
    }


def test_an_output_that_may_be_empty_is_computed_in_a_branch() -> None:
    root = compiled(output=MAYBE_EMPTY)
    assert kernels_of_type(root, "CheckOutputShapesEmpty") == ["Main CheckOutputShapesEmpty(InferShape)"]
    assert branches(root) == {
        "CondGraph": [
            "SwitchNotify",
            "WatcherPlaceholder",
            "WaitAnyone",
            "BranchPivot",
            "BranchDone",
            "BranchPivot",
            "BranchDone",
        ],
        "then": ["CalcTensorSizeFromShape", "AllocMemHbm"],
        "else": [
            "TilingParse",
            "PrepareCacheableTilingFwkData",
            "CacheableTiling",
            "AllocBatchHbm",
            "CalcTensorSizeFromShape",
            "AllocMemHbm",
            "SinkNodeBinWithHandle",
            "LaunchKernelWithHandle",
            "FreeBatchHbm",
        ],
    }


def test_the_branch_hangs_on_its_condition_and_gives_the_address_alone() -> None:
    root = compiled(output=MAYBE_EMPTY)
    (owner,) = (node for node in root.owned_by("Main").nodes if node.type == "If")
    first = owner.inputs[0]
    assert first is not None
    assert (first[0].type, first[1], owner.output_count) == ("CheckOutputShapesEmpty", 0, 1)
    assert kernels_of_type(root, "EnsureTensorAtOutMemory") == [
        ("Main EnsureTensorAtOutMemory(InferShape, If, BuildTensorAttr, SplitRtStreams, OutputData) after If")
    ]


@pytest.mark.parametrize(
    "root",
    [
        compiled(),
        compiled(output=MAYBE_EMPTY, options=LoweringOptions(all_tensor_not_empty=True)),
        compiled(output=MAYBE_EMPTY, model={"_single_op_scene": True, "_fe_single_op_scene": True}),
        compiled(attrs={"_unknown_shape_type": 3}, output=MAYBE_EMPTY),
        compiled(inputs=(KNOWN, KNOWN)),
    ],
    ids=["range from 1", "option", "single op", "third class", "known shapes"],
)
def test_an_output_that_cannot_be_empty_needs_no_branch(root: ExecuteGraph) -> None:
    assert kernels_of_type(root, "CheckOutputShapesEmpty", "If") == []


@pytest.mark.parametrize(
    "output",
    [replace(MAYBE_EMPTY, shape_range=None), replace(MAYBE_EMPTY, shape_range=((1, 4), (0, 4)))],
    ids=["no range", "one dimension from 0"],
)
def test_an_output_without_a_range_may_be_empty_too(output: object) -> None:
    assert isinstance(output, type(MAYBE_EMPTY))
    assert len(kernels_of_type(compiled(output=output), "CheckOutputShapesEmpty")) == 1


FALLS_BACK: dict[str, AttrValue] = {"partially_supported": True}


def test_tiling_that_fails_without_a_task_to_fall_back_to_fails_the_run() -> None:
    root = compiled(attrs=FALLS_BACK)
    (owner,) = (node for node in root.owned_by("Main").nodes if node.type == "If")
    first = owner.inputs[0]
    assert first is not None
    assert (first[0].type, first[1], first[0].output_count) == ("CacheableFallibleTiling", 12, 13)
    taken = branches(root)
    assert taken["then"] == [
        "AllocBatchHbm",
        "CalcTensorSizeFromShape",
        "AllocMemHbm",
        "SinkNodeBinWithHandle",
        "LaunchKernelWithHandle",
        "FreeBatchHbm",
    ]
    assert taken["else"] == ["CalcTensorSizeFromShape", "AllocMemHbm", "ReportRollbackError"]


def test_tiling_that_fails_leaves_the_operator_to_the_ai_cpu() -> None:
    taken = branches(compiled((ALL_KERNEL, "KERNEL_EX"), FALLS_BACK))
    assert taken["else"] == [
        "CalcTensorSizeFromShape",
        "AllocMemHbm",
        "FreeMemory",
        "InferShape",
        "CalcTensorSizeFromShape",
        "AllocMemHbm",
        "UpdateExtShape",
        "UpdateAicpuIoAddr",
        "AicpuLaunchTfKernel",
    ]


def test_tiling_of_an_old_register_can_fail_as_well() -> None:
    root = compiled(attrs=FALLS_BACK, options=registered(OpTraits("Add", tiling=False)))
    (owner,) = (node for node in root.owned_by("Main").nodes if node.type == "If")
    first = owner.inputs[0]
    assert first is not None
    assert (first[0].type, first[1]) == ("FallibleCompatibleTiling", 12)


@pytest.mark.parametrize(
    ("attrs", "tasks", "without"),
    [
        ({}, BY_HANDLE, ()),
        ({**FALLS_BACK, "_unknown_shape_type": 3}, BY_HANDLE, ()),
        (FALLS_BACK, BY_FLAG, ("compile_info_json",)),
    ],
    ids=["fully supported", "third class", "not tiled"],
)
def test_an_operator_whose_tiling_cannot_fail_has_no_branch(
    attrs: dict[str, AttrValue], tasks: tuple[str, ...], without: tuple[str, ...]
) -> None:
    root = compiled(tasks, attrs, without=without)
    assert kernels_of_type(root, "If", "CacheableFallibleTiling", "ReportRollbackError") == []


JSON = '{"_workspace_index_list":[]}'
CLEANED: dict[str, AttrValue] = {"atomic_op_para_size": 64, "_atomic_compile_info_json": "{}"}


def test_memory_is_cleaned_by_an_operator_of_its_own_before_the_launch() -> None:
    root = compiled((KERNEL, KERNEL), {**CLEANED, "atomic_output_index": (0,)})
    assert kernels_of(root, "op_AtomicClean") == [
        "Init GetSpaceRegistry(ConstData, 0)",
        "Init FindTilingFunc('DynamicAtomicAddrClean', GetSpaceRegistry)",
        "Main AllocLaunchArg(NodeDesc, ArgsInfosDesc)",
        f"Main TilingParse({JSON!r}, AppendCoreTypeToPlatform, 'DynamicAtomicAddrClean', None)",
        "Main PrepareTilingFwkData(FindTilingFunc, AllocLaunchArg.1)",
        "Main Tiling(CacheableTiling.4, CalcTensorSizeFromShape, TilingParse, PrepareTilingFwkData, 0, 0)",
        "Main AllocBatchHbm(SelectL2Allocator, Tiling.4)",
        "Main SinkNodeBinWithoutHandle(KernelBinary, 'te_dynamicatomicaddrclean', '', '')",
        (
            "Main AtomicLaunchKernelWithFlag(SplitRtStreams, SinkNodeBinWithoutHandle, Tiling.1, AllocBatchHbm, None, "
            "TaskConfig, 1, Tiling.6, DfxExeArg, Tiling.11, Tiling.7, (), AllocMemHbm, AllocBatchHbm)"
        ),
        "Main FreeBatchHbm(AllocBatchHbm) after AtomicLaunchKernelWithFlag",
    ]
    (launched,) = kernels_of_type(root, "LaunchKernelWithFlag")
    assert launched.endswith(" after AtomicLaunchKernelWithFlag")
    (ensured,) = kernels_of_type(root, "EnsureTensorAtOutMemory")
    assert ensured.endswith(" after LaunchKernelWithFlag, AtomicLaunchKernelWithFlag")


def test_a_clean_by_handle_has_a_key_and_a_mem_set_cleans_workspaces() -> None:
    attrs: dict[str, AttrValue] = {**CLEANED, "tbe_op_atomic_dtypes": (0,), "sub_node_workspace_info": (1, 0)}
    root = compiled((ALL_KERNEL, ALL_KERNEL), attrs)
    assert kernels_of(root, "op_MemSet")[-2:] == [
        (
            "Main AtomicLaunchKernelWithHandle(SplitRtStreams, SinkNodeBinWithHandle, Tiling.1, AllocBatchHbm, None, "
            "TaskConfig, 0, Tiling.6, DfxExeArg, Tiling.11, Tiling.7, Tiling, (1,), AllocBatchHbm)"
        ),
        "Main FreeBatchHbm(AllocBatchHbm) after AtomicLaunchKernelWithHandle",
    ]


def test_a_clean_of_known_shapes_is_launched_as_it_was_compiled() -> None:
    attrs: dict[str, AttrValue] = {"atomic_op_para_size": 64, "atomic_output_index": (0,)}
    assert kernels_of(compiled((KERNEL, KERNEL), attrs, inputs=(KNOWN, KNOWN)), "op_AtomicClean") == [
        "Main AllocLaunchArg(NodeDesc, ArgsInfosDesc)",
        "Main SinkNodeBinWithoutHandle(KernelBinary, 'te_dynamicatomicaddrclean', '', '')",
        (
            "Main AtomicLaunchKernelWithFlag(SplitRtStreams, SinkNodeBinWithoutHandle, 1, (), None, TaskConfig, 1, 0, "
            "DfxExeArg, AllocLaunchArg.1, 0, (), AllocMemHbm, AllocBatchHbm)"
        ),
    ]


@pytest.mark.parametrize(
    ("tasks", "attrs"),
    [
        (BY_FLAG, {**CLEANED, "atomic_output_index": (0,)}),
        ((KERNEL, KERNEL), {"_atomic_compile_info_json": "{}", "atomic_output_index": (0,)}),
        ((KERNEL, "KERNEL_EX"), {**CLEANED, "atomic_output_index": (0,)}),
    ],
    ids=["one task", "no size of arguments", "second task not for a core"],
)
def test_nothing_is_cleaned_without_the_task_or_the_size_of_its_arguments(
    tasks: tuple[str, ...], attrs: dict[str, AttrValue]
) -> None:
    root = compiled(tasks, attrs)
    assert kernels_of_type(root, "AtomicLaunchKernelWithFlag", "AtomicLaunchKernelWithHandle") == []


def op(name: str, kind: str, *inputs: str, parent: int = -1) -> tuple[str, AttrValue]:
    """One operator of a serialised graph, as a dump's attribute carries it."""
    index: tuple[AttrValue, ...] = ()
    if parent >= 0:
        index = (("attr", (("key", "_parent_node_index"), ("value", (("i", parent),)))),)
    outputs: tuple[AttrValue, ...] = () if kind == "_RetVal" else (("output_desc", (("dtype", "DT_FLOAT"),)),)
    return "op", (("name", name), ("type", kind), *(("input", text) for text in inputs), *index, *outputs)


FUSED: AttrValue = (
    (
        "g",
        (
            ("name", "origin"),
            op("mul", "Mul", "add:0", "b:0"),
            op("add", "Add", "a:0", "b:0"),
            op("a", "Data", parent=0),
            op("b", "Data", parent=1),
            op("end", "_RetVal", "mul:0", parent=0),
        ),
    ),
)


def test_shapes_of_a_fused_operator_are_inferred_operator_by_operator() -> None:
    root = compiled(attrs={"_original_fusion_graph": FUSED})
    assert [node.name for node in root.compute_nodes] == ["x0", "x1", "op", "add", "mul", "NetOutput"]
    assert kernels_of(root, "add") == [
        "Init GetSpaceRegistry(ConstData, 0)",
        "Init FindInferShapeFunc('Add', GetSpaceRegistry)",
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
    ]
    assert kernels_of(root, "mul")[-1] == "Main InferShape(InferShape, SplitDataTensor, FindInferShapeFunc)"
    assert "InferShape(" not in "".join(kernels_of(root, "op"))


REFERENCE: dict[str, AttrValue] = {
    "reference": True,
    "_input_name_key": ("x", "y"),
    "_input_name_value": (0, 1),
    "_output_name_key": ("y",),
    "_output_name_value": (0,),
}


def test_an_output_that_is_an_input_uses_its_memory() -> None:
    root = compiled(attrs=REFERENCE)
    assert kernels_of_type(root, "AllocMemHbm") == []
    (launched,) = kernels_of_type(root, "LaunchKernelWithHandle")
    assert "MakeSureTensorAtDevice, MakeSureTensorAtDevice, MakeSureTensorAtDevice, SplitDataTensor" in launched


def test_a_name_in_common_means_nothing_without_the_mark_of_a_reference() -> None:
    root = compiled(attrs={**REFERENCE, "reference": False})
    assert kernels_of_type(root, "AllocMemHbm") == ["Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)"]
