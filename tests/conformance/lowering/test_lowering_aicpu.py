"""AI CPU operators (spec/lowering.md 4.5): all kernels of each form, their edges and the graph they live in.

Each paragraph has a row where it applies and one where it must not. Complete forms are the ones GE's own dumps confirm
(AicpuE2ESt, GraphExecutorWithKernelUnitTest); the rest follows the text.
"""

import pytest
from lowered_kernels import kernels_of, kernels_of_type
from one_operator import KNOWN, UNKNOWN, lowered, model_of

from getrace.dumps.snapshot import AttrValue
from runtime.engines.op_library import OpTraits, builtin_library
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.lowering.graph_converter import lower

TF, CC = "aicpu_tf_kernel", "aicpu_ascend_kernel"

WITH_RANGES = LoweringOptions(library=builtin_library().extended([OpTraits("Find", infer_shape_range=True)]))


def two(first: str, second: str, engine: str, attrs: dict[str, AttrValue] | None = None) -> ComputeGraph:
    builder = GraphBuilder("g")
    x = builder.data("x", UNKNOWN)
    y = builder.op(first, x, name="a", engine=engine, attrs=attrs)
    return builder.output(builder.op(second, y, name="b", engine=engine, attrs=attrs)).build()


def launches(root: ExecuteGraph) -> list[str]:
    return kernels_of_type(root, "AicpuLaunchTfKernel", "AicpuLaunchCCKernel")


def test_a_tensorflow_operator_has_its_arguments_on_init_and_its_launch_on_main() -> None:
    assert kernels_of(lowered("Where", TF), "op") == [
        "Init GetSessionId(ConstData)",
        "Init BuildTfArgsBinHandle(OpDescPointer, 'Where')",
        "Init CreateStepId()",
        "Init EnsureCreateTfSession(GetSessionId)",
        (
            "Init BuildTfArgs(3, 'op', False, 112 bytes, 112, 257, False, None, -1, 0 bytes, 0, "
            "GetSessionId, CreateStepId)"
        ),
        "Init GetExtInfoAddrFromArgs(BuildTfArgs)",
        (
            "Init BuildExtInfoHandle(257 bytes, 257, 'op', 2, 1, 0, GetExtInfoAddrFromArgs, GetExtInfoAddrFromArgs.1, "
            "GetSessionId, False, 0)"
        ),
        "Init GetSpaceRegistry(ConstData, 0)",
        "Init FindInferShapeFunc('Where', GetSpaceRegistry)",
        "Main IncreaseStepId(CreateStepId, CreateStepId.1, SplitRtStreams) after OutputData, EnsureTensorAtOutMemory",
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after UpdateAicpuIoAddr, AicpuLaunchTfKernel, EnsureTensorAtOutMemory",
        "Main UpdateExtShape(BuildExtInfoHandle, 2, 1, SplitRtStreams, SplitDataTensor, SplitDataTensor, InferShape)",
        (
            "Main UpdateAicpuIoAddr(BuildTfArgs, MakeSureTensorAtDevice, MakeSureTensorAtDevice, AllocMemHbm) "
            "after UpdateExtShape"
        ),
        "Main AicpuLaunchTfKernel(BuildTfArgs, SplitRtStreams, BuildTfArgsBinHandle, 'Where') after UpdateAicpuIoAddr",
    ]


def test_an_operator_of_the_aicpu_library_names_its_function_and_its_library_and_needs_no_step() -> None:
    assert kernels_of(lowered("Unique", CC), "op") == [
        "Init GetSessionId(ConstData)",
        "Init BuildCCArgsBinHandle(OpDescPointer, 'Unique')",
        (
            "Init BuildCCArgs(3, 'op', False, 44 bytes, 44, 257, False, None, -1, 'RunCpuKernel', 13, "
            "'libaicpu_kernels.so', 20)"
        ),
        "Init GetExtInfoAddrFromArgs(BuildCCArgs)",
        (
            "Init BuildExtInfoHandle(257 bytes, 257, 'op', 2, 1, 0, GetExtInfoAddrFromArgs, GetExtInfoAddrFromArgs.1, "
            "GetSessionId, False, 0)"
        ),
        "Init GetSpaceRegistry(ConstData, 0)",
        "Init FindInferShapeFunc('Unique', GetSpaceRegistry)",
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after UpdateAicpuIoAddr, AicpuLaunchCCKernel, EnsureTensorAtOutMemory",
        "Main UpdateExtShape(BuildExtInfoHandle, 2, 1, SplitRtStreams, SplitDataTensor, SplitDataTensor, InferShape)",
        (
            "Main UpdateAicpuIoAddr(BuildCCArgs, MakeSureTensorAtDevice, MakeSureTensorAtDevice, AllocMemHbm) "
            "after UpdateExtShape"
        ),
        (
            "Main AicpuLaunchCCKernel(BuildCCArgs, SplitRtStreams, 1, 6, BuildExtInfoHandle, BuildCCArgsBinHandle, "
            "'Unique') after UpdateAicpuIoAddr"
        ),
    ]


@pytest.mark.parametrize("engine", [TF, CC])
def test_an_operator_whose_shapes_are_known_writes_addresses_only(engine: str) -> None:
    root = lowered("Where", engine, (KNOWN, KNOWN), (KNOWN,))
    assert kernels_of_type(root, "InferShape", "UpdateExtShape", "UpdateAicpuIoAddr", "CalcTensorSizeFromShape") == [
        "Main CalcTensorSizeFromShape(FLOAT, [2])",
        (
            f"Main UpdateAicpuIoAddr({'BuildTfArgs' if engine == TF else 'BuildCCArgs'}, MakeSureTensorAtDevice, "
            "MakeSureTensorAtDevice, AllocMemHbm)"
        ),
    ]


def test_known_outputs_of_unknown_inputs_are_not_inferred_but_all_shapes_are_written() -> None:
    root = lowered("Where", CC, (UNKNOWN, UNKNOWN), (KNOWN,))
    assert kernels_of_type(root, "InferShape", "UpdateExtShape") == [
        "Main UpdateExtShape(BuildExtInfoHandle, 2, 1, SplitRtStreams, SplitDataTensor, SplitDataTensor, [2])"
    ]


def test_a_second_launch_waits_for_the_first_and_both_share_the_step_count() -> None:
    root = lower(two("Where", "Unique", TF))
    assert kernels_of_type(root, "CreateStepId", "IncreaseStepId", "AicpuLaunchTfKernel") == [
        "Init CreateStepId()",
        "Main IncreaseStepId(CreateStepId, CreateStepId.1, SplitRtStreams) after OutputData, EnsureTensorAtOutMemory",
        "Main AicpuLaunchTfKernel(BuildTfArgs, SplitRtStreams, BuildTfArgsBinHandle, 'Where') after UpdateAicpuIoAddr",
        (
            "Main AicpuLaunchTfKernel(BuildTfArgs, SplitRtStreams, BuildTfArgsBinHandle, 'Unique') after "
            "UpdateAicpuIoAddr, AicpuLaunchTfKernel, AicpuLaunchTfKernel"
        ),
    ]


@pytest.mark.parametrize("by_session", [True, False])
def test_a_model_of_a_single_operator_has_no_steps_and_passes_the_number_zero(*, by_session: bool) -> None:
    model = model_of("Where", TF)
    model.attrs["_single_op_scene"] = not by_session
    root = lower(model, LoweringOptions(single_op_scene=by_session))
    assert kernels_of_type(root, "CreateStepId", "IncreaseStepId") == []
    assert kernels_of_type(root, "BuildTfArgs")[0].endswith("GetSessionId, 0)")


def test_an_operator_without_extended_information_gets_a_stand_in() -> None:
    root = lowered("Where", CC, attrs={"aicpu_ext_info": b""})
    assert kernels_of_type(root, "GetExtInfoAddrFromArgs", "BuildExtInfoHandle", "UpdateExtShape") == [
        "Init GetExtInfoAddrFromArgs(BuildCCArgs)",
        "Main UpdateExtShape(TempExtInfo, 2, 1, SplitRtStreams, SplitDataTensor, SplitDataTensor, InferShape)",
    ]


def test_a_blocking_operator_has_an_event_from_init_to_deinit() -> None:
    root = lowered("Dequeue", TF, attrs={"_is_blocking_op": True, "_blocking_op_timeout": 7})
    assert kernels_of_type(root, "CreateEvent", "DestroyEvent", "BuildTfArgs", "BuildExtInfoHandle") == [
        "Init CreateEvent()",
        (
            "Init BuildTfArgs(3, 'op', False, 112 bytes, 112, 257, True, CreateEvent, 7, 0 bytes, 0, GetSessionId, "
            "CreateStepId)"
        ),
        (
            "Init BuildExtInfoHandle(257 bytes, 257, 'op', 2, 1, 0, GetExtInfoAddrFromArgs, GetExtInfoAddrFromArgs.1, "
            "GetSessionId, True, CreateEvent.1)"
        ),
        "DeInit DestroyEvent(CreateEvent)",
    ]


@pytest.mark.parametrize(
    ("attrs", "inputs", "expected"),
    [
        ({"_support_blockdim_flag": True, "_blockdim_index": 1}, UNKNOWN, ["Main CalcBlockDim(1, SplitDataTensor)"]),
        ({"_support_blockdim_flag": True}, UNKNOWN, ["Main CalcBlockDim(-1, SplitDataTensor)"]),
        ({"_support_blockdim_flag": True}, KNOWN, []),
        ({}, UNKNOWN, []),
    ],
)
def test_blocks_are_counted_where_the_kernel_supports_it_and_shapes_are_unknown(
    attrs: dict[str, AttrValue], inputs: tuple[int, ...], expected: list[str]
) -> None:
    root = lowered("Cast", CC, (inputs, inputs), (inputs,), attrs)
    assert kernels_of_type(root, "CalcBlockDim") == expected
    assert ("CalcBlockDim, 6" in launches(root)[0]) == bool(expected)


def test_a_users_library_is_loaded_once_on_init_and_cleared_on_deinit() -> None:
    root = lower(two("Mine", "Other", CC, {"aicpu_kernel_type": 7, "cust_aicpu_kernel": b"so"}))
    assert kernels_of_type(root, "LaunchAicpuCustKernel", "ClearAicpuCustKernel") == [
        "Init LaunchAicpuCustKernel(CustomKernelBinary, 'libcust_aicpu_kernels.so')",
        "DeInit ClearAicpuCustKernel(LaunchAicpuCustKernel)",
    ]
    assert [", 1, 7, BuildExtInfoHandle" in line for line in launches(root)] == [True, True]


@pytest.mark.parametrize("attrs", [{"aicpu_kernel_type": 7}, {"cust_aicpu_kernel": b"so"}])
def test_nothing_is_loaded_without_a_library_or_for_a_built_in_kernel(attrs: dict[str, AttrValue]) -> None:
    assert kernels_of_type(lowered("Mine", CC, attrs=attrs), "LaunchAicpuCustKernel", "ClearAicpuCustKernel") == []


def test_a_third_class_operator_allocates_for_the_greatest_shape_and_reads_the_real_one_back() -> None:
    attrs: dict[str, AttrValue] = {"_unknown_shape_type": 3}
    root = lowered("Find", TF, outputs=(UNKNOWN, UNKNOWN), attrs=attrs, options=WITH_RANGES)
    assert kernels_of(root, "op")[7:] == [
        "Init GetSpaceRegistry(ConstData, 0)",
        (
            "Main IncreaseStepId(CreateStepId, CreateStepId.1, SplitRtStreams) after OutputData, OutputData, "
            "EnsureTensorAtOutMemory, EnsureTensorAtOutMemory"
        ),
        "Main CreateTensorRangesAndShapeRanges(SplitDataTensor, SplitDataTensor)",
        "Main FindInferShapeRangeFunc('Find', GetSpaceRegistry)",
        (
            "Main InferShapeRange(CreateTensorRangesAndShapeRanges, CreateTensorRangesAndShapeRanges.1, "
            "FindInferShapeRangeFunc)"
        ),
        "Main CalcTensorSizeFromShape(FLOAT, InferShapeRange.4)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShapeRange.5)",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after UpdateAicpuIoAddr, AicpuLaunchTfKernel, EnsureTensorAtOutMemory",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after UpdateAicpuIoAddr, AicpuLaunchTfKernel, EnsureTensorAtOutMemory",
        (
            "Main UpdateExtShape(BuildExtInfoHandle, 2, 2, SplitRtStreams, SplitDataTensor, SplitDataTensor, "
            "InferShapeRange.4, InferShapeRange.5)"
        ),
        (
            "Main UpdateAicpuIoAddr(BuildTfArgs, MakeSureTensorAtDevice, MakeSureTensorAtDevice, "
            "AllocMemHbm, AllocMemHbm) "
            "after UpdateExtShape"
        ),
        "Main AicpuLaunchTfKernel(BuildTfArgs, SplitRtStreams, BuildTfArgsBinHandle, 'Find') after UpdateAicpuIoAddr",
        "Main SyncStream(SplitRtStreams) after AicpuLaunchTfKernel",
        "Main GetExtOutputShapes(BuildExtInfoHandle, 'aicpu_tf_kernel') after SyncStream, SyncStream",
    ]
    assert "'op', True, 112 bytes" in kernels_of_type(root, "BuildTfArgs")[0]


def test_a_third_class_operator_of_known_outputs_is_an_ordinary_one() -> None:
    root = lowered("Find", CC, outputs=(KNOWN,), attrs={"_unknown_shape_type": 3}, options=WITH_RANGES)
    assert kernels_of_type(root, "InferShapeRange", "SyncStream", "GetExtOutputShapes") == []
    assert "'op', False, 44 bytes" in kernels_of_type(root, "BuildCCArgs")[0]
