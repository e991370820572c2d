"""AI Core operators (spec/lowering.md 4.1): the forms of lowering, their kernels, edges and home graphs.

Each paragraph has a row where it applies and one where it must not. Complete forms are those of GE's own dumps
(GraphExecutorWithKernelUnitTest, LowerCompatibleUnitTest, PriorityExecutionST); mix launches follow the text.
"""

import pytest
from compiled_operator import BY_FLAG, BY_HANDLE, compiled, model_of_compiled, registered
from lowered_kernels import kernels_of, kernels_of_type
from one_operator import KNOWN, UNKNOWN

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.engines.op_library import OpTraits
from runtime.engines.options import LoweringOptions
from runtime.graph.compute_graph import ALL_KERNEL, KERNEL, nd_desc
from runtime.lowering.graph_converter import lower

HEAD = (
    "SplitRtStreams, {bin}, CacheableTiling.1, AllocBatchHbm, {buffer}, TaskConfig, 3, CacheableTiling.6, DfxExeArg, "
)
HEAD += "CacheableTiling.11, CacheableTiling.7"
TENSORS = "MakeSureTensorAtDevice, MakeSureTensorAtDevice, AllocMemHbm, SplitDataTensor, SplitDataTensor"
BY_KEY = "CacheableTiling, 'op/'"


def test_an_operator_launched_by_handle_has_these_kernels() -> None:
    head = HEAD.format(bin="SinkNodeBinWithHandle", buffer=None)
    assert kernels_of(compiled(), "op") == [
        "Init GetSpaceRegistry(ConstData, 0)",
        "Init FindInferShapeFunc('Add', GetSpaceRegistry)",
        "Init GetPlatformInfo()",
        "Init AppendCoreTypeToPlatform(GetPlatformInfo, 'AiCore', -1, -1, GetPlatformInfo.1)",
        "Init GetSpaceRegistry(ConstData, 0)",
        "Init FindTilingFunc('Add', GetSpaceRegistry)",
        "Main AllocLaunchArg(NodeDesc, ArgsInfosDesc)",
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main TilingParse('{}', AppendCoreTypeToPlatform, 'Add', None)",
        "Main PrepareCacheableTilingFwkData(FindTilingFunc, AllocLaunchArg.1, 0, 'BuildGeneralTilingCacheKey')",
        (
            "Main CacheableTiling(SplitDataTensor, SplitDataTensor, InferShape, TilingParse, AppendCoreTypeToPlatform, "
            "PrepareCacheableTilingFwkData, 0, 0)"
        ),
        "Main AllocBatchHbm(SelectL2Allocator, CacheableTiling.4)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after LaunchKernelWithHandle, EnsureTensorAtOutMemory",
        "Main SinkNodeBinWithHandle(KernelBinary, 'te_add')",
        f"Main LaunchKernelWithHandle({head}, {BY_KEY}, {TENSORS}, InferShape)",
        "Main FreeBatchHbm(AllocBatchHbm) after LaunchKernelWithHandle",
    ]


def test_an_operator_launched_by_flag_names_one_function_and_needs_no_key() -> None:
    root = compiled(BY_FLAG, {"tvm_metadata": "meta", "op_kernelname": "add_kernel"})
    head = HEAD.format(bin="SinkNodeBinWithoutHandle", buffer=None)
    assert kernels_of_type(root, "SinkNodeBinWithoutHandle", "LaunchKernelWithFlag", "LaunchKernelWithHandle") == [
        "Main SinkNodeBinWithoutHandle(KernelBinary, 'te_add', 'meta', 'add_kernel')",
        f"Main LaunchKernelWithFlag({head}, {TENSORS}, InferShape)",
    ]


def test_an_operator_by_flag_without_compile_information_is_launched_as_it_was_compiled() -> None:
    attrs: dict[str, AttrValue] = {"tvm_blockdim": 4, "workspace_bytes": (16,)}
    root = compiled(BY_FLAG, attrs, without=["compile_info_json"])
    assert kernels_of_type(root, "CacheableTiling", "TilingParse", "FindTilingFunc", "AllocBatchHbm", "InferShape") == [
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main AllocBatchHbm(SelectL2Allocator, (16,))",
    ]
    assert kernels_of_type(root, "LaunchKernelWithFlag") == [
        (
            "Main LaunchKernelWithFlag(SplitRtStreams, SinkNodeBinWithoutHandle, 4, AllocBatchHbm, None, TaskConfig, "
            f"3, 0, DfxExeArg, AllocLaunchArg.1, 0, {TENSORS}, InferShape)"
        )
    ]


def test_an_operator_of_known_shapes_by_flag_infers_and_tiles_nothing() -> None:
    attrs: dict[str, AttrValue] = {"tvm_blockdim": 4, "workspace_bytes": (16,)}
    assert kernels_of(compiled(BY_FLAG, attrs, inputs=(KNOWN, KNOWN)), "op") == [
        "Main AllocLaunchArg(NodeDesc, ArgsInfosDesc)",
        "Main CalcTensorSizeFromShape(FLOAT, [2])",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after LaunchKernelWithFlag, EnsureTensorAtOutMemory",
        "Main SinkNodeBinWithoutHandle(KernelBinary, 'te_add', '', '')",
        "Main AllocBatchHbm(SelectL2Allocator, (16,))",
        (
            "Main LaunchKernelWithFlag(SplitRtStreams, SinkNodeBinWithoutHandle, 4, AllocBatchHbm, None, TaskConfig, "
            f"3, 0, DfxExeArg, AllocLaunchArg.1, 0, {TENSORS}, [2])"
        ),
        "Main FreeBatchHbm(AllocBatchHbm) after LaunchKernelWithFlag",
    ]


@pytest.mark.parametrize("attribute", ["_dynamic_tiling_depend_op", "_static_to_dynamic_softsync_op", "op_run_info"])
def test_an_operator_of_known_shapes_by_flag_is_tiled_when_it_depends_on_the_cores_or_was_tiled_before(
    attribute: str,
) -> None:
    root = compiled(BY_FLAG, {attribute: True}, inputs=(KNOWN, KNOWN))
    assert kernels_of_type(root, "InferShape", "AllocBatchHbm", "CacheableTiling") == [
        (
            "Main CacheableTiling(SplitDataTensor, SplitDataTensor, [2], TilingParse, AppendCoreTypeToPlatform, "
            "PrepareCacheableTilingFwkData, 0, 0)"
        ),
        "Main AllocBatchHbm(SelectL2Allocator, CacheableTiling.4)",
    ]


def test_an_operator_without_a_task_of_its_own_only_hands_its_inputs_on() -> None:
    root = compiled((), {"_no_task": True})
    assert kernels_of(root, "op") == []
    assert kernels_of_type(root, "EnsureTensorAtOutMemory") == [
        (
            "Main EnsureTensorAtOutMemory(SplitDataTensor, MakeSureTensorAtDevice, BuildTensorAttr, SplitRtStreams, "
            "OutputData)"
        )
    ]


def test_an_operator_of_the_third_class_tells_its_shapes_after_it_ran() -> None:
    root = compiled(attrs={"_unknown_shape_type": 3}, options=registered(OpTraits("Add", infer_shape_range=True)))
    assert kernels_of_type(
        root,
        "CreateTensorRangesAndShapeRanges",
        "FindInferShapeRangeFunc",
        "InferShapeRange",
        "InferShape",
        "SyncStream",
        "SetOutputShape",
        "FreeMemHbm",
        "AllocMemHbm",
    ) == [
        "Main CreateTensorRangesAndShapeRanges(SplitDataTensor, SplitDataTensor)",
        "Main FindInferShapeRangeFunc('Add', GetSpaceRegistry)",
        (
            "Main InferShapeRange(CreateTensorRangesAndShapeRanges, CreateTensorRangesAndShapeRanges.1, "
            "FindInferShapeRangeFunc)"
        ),
        "Main AllocMemHbm(SelectL2Allocator, 72)",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main SyncStream(SplitRtStreams) after LaunchKernelWithHandle",
        "Main SetOutputShape(AllocMemHbm) after SyncStream",
        "Main FreeMemHbm(AllocMemHbm) after SetOutputShape",
    ]


def test_shapes_told_after_the_run_overwrite_the_largest_ones() -> None:
    root = compiled(attrs={"_unknown_shape_type": 3}, options=registered(OpTraits("Add", infer_shape_range=True)))
    (told,) = (node for node in root.owned_by("Main").nodes if node.type == "SetOutputShape")
    ((output, (name, index)),) = told.output_refs.items()
    assert (output, name.split("_")[0], index) == (0, "InferShapeRange", 2)


def test_ranges_come_from_the_old_register_where_today_s_has_none() -> None:
    root = compiled(attrs={"_unknown_shape_type": 3})
    assert kernels_of_type(root, "FindCompatibleInferShapeRangeFunc", "CompatibleInferShapeRange") == [
        "Main FindCompatibleInferShapeRangeFunc('Add')",
        (
            "Main CompatibleInferShapeRange(CreateOpFromBuffer, FindCompatibleInferShapeRangeFunc, "
            "CreateTensorRangesAndShapeRanges, CreateTensorRangesAndShapeRanges.1)"
        ),
    ]


OLD_SHAPES = registered(OpTraits("Add", infer_shape=False))
INFERENCE = (
    "InferShape",
    "InferShapeByRule",
    "CompatibleInferShape",
    "LoadShapeRuleFromJson",
    "LoadShapeRuleFromBinary",
    "FindCompatibleInferShapeFunc",
    "FindInferShapeFunc",
)


@pytest.mark.parametrize(
    ("attrs", "options", "kernels"),
    [
        (
            {"_inference_rule": "{r}"},
            OLD_SHAPES,
            [
                "Init LoadShapeRuleFromJson('{r}')",
                "Main InferShapeByRule(SplitDataTensor, SplitDataTensor, LoadShapeRuleFromJson)",
            ],
        ),
        (
            {"_inference_rule": "{r}", "_inference_rule_binary": b"12"},
            OLD_SHAPES,
            [
                "Init LoadShapeRuleFromBinary(2 bytes, 2, '{r}')",
                "Main InferShapeByRule(SplitDataTensor, SplitDataTensor, LoadShapeRuleFromBinary)",
            ],
        ),
        (
            {},
            OLD_SHAPES,
            [
                "Init FindCompatibleInferShapeFunc('Add')",
                (
                    "Main CompatibleInferShape(CreateOpFromBuffer, FindCompatibleInferShapeFunc, SplitDataTensor, "
                    "SplitDataTensor)"
                ),
            ],
        ),
        (
            {"_inference_rule": "{r}"},
            LoweringOptions(),
            [
                "Init FindInferShapeFunc('Add', GetSpaceRegistry)",
                "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
            ],
        ),
    ],
)
def test_shapes_are_inferred_by_the_function_of_today_or_a_rule_or_the_old_one(
    attrs: dict[str, AttrValue], options: LoweringOptions, kernels: list[str]
) -> None:
    assert kernels_of_type(compiled(attrs=attrs, options=options), *INFERENCE) == kernels


def test_tiling_of_the_old_registers_takes_an_operator_and_appends_nothing() -> None:
    root = compiled(
        attrs={"compile_info_key": "key", "workspace_bytes": (16,), "_memcheck": True},
        options=registered(OpTraits("Add", tiling=False)),
    )
    types = (
        "FindTilingFunc",
        "FindCompatibleTilingFunc",
        "PrepareTilingFwkData",
        "CompatibleTilingParse",
        "CompatibleTiling",
        "TilingAppendWorkspace",
        "TilingAppendDfxInfo",
        "AllocBatchHbm",
    )
    assert kernels_of_type(root, *types) == [
        "Main FindCompatibleTilingFunc('Add')",
        "Main PrepareTilingFwkData(FindCompatibleTilingFunc.2, AllocLaunchArg.1)",
        (
            "Main CompatibleTilingParse(CreateOpFromBuffer, '{}', 'key', FindCompatibleTilingFunc, "
            "FindCompatibleTilingFunc.1)"
        ),
        (
            "Main CompatibleTiling(CreateOpFromBuffer, CompatibleTilingParse, FindCompatibleTilingFunc, "
            "PrepareTilingFwkData, SplitDataTensor, SplitDataTensor, InferShape)"
        ),
        "Main AllocBatchHbm(SelectL2Allocator, CompatibleTiling.4)",
    ]


@pytest.mark.parametrize(("count", "kernel"), [(63, "CacheableTiling"), (64, "Tiling")])
def test_tiling_that_reads_elements_has_a_cache_only_while_its_inputs_fit_into_the_mask(
    count: int, kernel: str
) -> None:
    root = compiled(inputs=(UNKNOWN,) * count, options=registered(OpTraits("Add", tiling_dependency=frozenset({1}))))
    assert [node.type for node in root.owned_by("Main").nodes if node.type.endswith("Tiling")] == [kernel]


def test_the_mask_of_the_cache_has_a_bit_for_each_input_whose_elements_are_read() -> None:
    root = compiled(options=registered(OpTraits("Add", tiling_dependency=frozenset({1}))))
    assert kernels_of_type(root, "PrepareCacheableTilingFwkData") == [
        "Main PrepareCacheableTilingFwkData(FindTilingFunc, AllocLaunchArg.1, 2, 'BuildGeneralTilingCacheKey')"
    ]


def test_known_workspaces_then_dfx_then_the_print_buffer_are_added_to_what_tiling_wants() -> None:
    root = compiled(attrs={"_op_dfx_buffer_size": 100, "workspace_bytes": (16,), "_memcheck": True})
    types = ("TilingAppendWorkspace", "TilingAppendDfxInfo", "ExpandDfxWorkspaceSize", "AllocBatchHbm")
    assert kernels_of_type(root, *types) == [
        "Main TilingAppendWorkspace(CacheableTiling.4, (16,))",
        (
            "Main TilingAppendDfxInfo(SplitDataTensor, SplitDataTensor, InferShape, CalcTensorSizeFromStorage, "
            "CacheableTiling.11, TilingAppendWorkspace, 0, True, False, (0, 0, 0), (0, 1, 2))"
        ),
        "Main ExpandDfxWorkspaceSize(TilingAppendDfxInfo, 100)",
        "Main AllocBatchHbm(SelectL2Allocator, TilingAppendDfxInfo) after ExpandDfxWorkspaceSize",
    ]


def test_an_operator_may_ask_for_cores_of_its_own() -> None:
    root = compiled(attrs={"_op_aicore_num": "8", "_op_vectorcore_num": "16"})
    assert kernels_of_type(root, "AppendCoreTypeToPlatform") == [
        "Init AppendCoreTypeToPlatform(GetPlatformInfo, 'AiCore', 8, 16, GetPlatformInfo.1)"
    ]


MIXED: dict[str, AttrValue] = {
    "_cube_vector_core_type": "MIX_AICORE",
    "_mix_core_num_vec": (40, 20, 20),
    "_attached_stream_id": 1,
    "_recv_notify_id": (0, 1),
}
STREAMS: dict[str, AttrValue] = {"stream_num": 3, "_attached_stream_num": 1, "notify_num": 2}


@pytest.mark.parametrize(
    ("attrs", "model", "tail"),
    [
        (
            MIXED,
            STREAMS,
            "MixKernelWithHandle InferShape, MixCoreArgs, SplitRtStreams.1, CreateNotifies, CreateNotifies.1",
        ),
        (MIXED, {}, "KernelWithHandle SplitDataTensor, SplitDataTensor, InferShape, MixCoreArgs"),
        ({**MIXED, "_disable_mix_vector_core": True}, STREAMS, "KernelWithHandle SplitDataTensor, InferShape"),
        ({**MIXED, "_mix_core_num_vec": (40, 0, 20)}, STREAMS, "KernelWithHandle SplitDataTensor, InferShape"),
        ({**MIXED, "_attached_stream_id": -1}, STREAMS, "KernelWithHandle InferShape, MixCoreArgs"),
    ],
)
def test_an_operator_on_both_kinds_of_cores_takes_a_second_stream_if_there_is_one(
    attrs: dict[str, AttrValue], model: dict[str, AttrValue], tail: str
) -> None:
    kernel, inputs = tail.split(" ", 1)
    (launched,) = kernels_of_type(
        compiled(attrs=attrs, model=model), "LaunchMixKernelWithHandle", "LaunchKernelWithHandle"
    )
    assert launched.startswith(f"Main Launch{kernel}(")
    assert launched.removesuffix(")").endswith(inputs)


@pytest.mark.parametrize(
    ("tasks", "attrs", "without", "message"),
    [
        ((), {}, (), "Can not find compile result for node op type Add"),
        (("KERNEL_EX",), {}, (), "Not find AI core taskdef of node op"),
        (
            (KERNEL, KERNEL, ALL_KERNEL),
            {},
            (),
            "[NodeConverter][GetTaskDef][op(Add)] At most 2 task was supported, but got 3",
        ),
        (BY_HANDLE, {}, ("op_para_size",), "Invalid max tiling size of node op"),
        (BY_HANDLE, {}, ("compile_info_json",), "Op[op] does not have attr[compile_info_json]."),
        (BY_HANDLE, {"_op_aicore_num": "many"}, (), "attribute '_op_aicore_num' of node op is no number of cores"),
        ((KERNEL, KERNEL), {"atomic_op_para_size": 8}, (), "Op[op] does not have attr[_atomic_compile_info_json]."),
        (
            (KERNEL, KERNEL),
            {"atomic_op_para_size": 8, "_atomic_compile_info_json": "no"},
            (),
            "Failed to set compile_info_value to json of op[op_AtomicClean]. op_compile_info_json:no",
        ),
        (
            (KERNEL, KERNEL),
            {"atomic_output_index": (1,)},
            (),
            "attribute 'atomic_output_index' of node op names output 1",
        ),
    ],
)
def test_a_broken_compile_result_is_refused_in_ge_s_words(
    tasks: tuple[str, ...], attrs: dict[str, AttrValue], without: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ModelError) as caught:
        lower(model_of_compiled(tasks, attrs, without=without))
    assert caught.value.message.startswith(message)


def test_memory_of_an_output_that_is_a_variable_comes_from_the_session() -> None:
    desc = nd_desc(UNKNOWN)
    root = compiled(output=type(desc)(desc.shape, desc.dtype, desc.format, "y", None, desc.shape_range, "weights"))
    assert kernels_of_type(root, "SplitVariable", "AllocMemHbm") == [
        "Init SplitVariable(ConstData, 'weights', CreateInitL2Allocator)"
    ]
