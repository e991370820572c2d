"""AI CPU operators that tell their results late, log, keep lists or leave inputs out (spec/lowering.md 4.5)."""

import pytest
from lowered_kernels import kernels_of, kernels_of_type
from one_operator import KNOWN, UNKNOWN, lowered, model_of, named

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.graph.builder import GraphBuilder, Output
from runtime.graph.compute_graph import KERNEL, KERNEL_EX
from runtime.graph.execute_graph import ExecuteGraph
from runtime.lowering.graph_converter import lower

TF, CC = "aicpu_tf_kernel", "aicpu_ascend_kernel"


def test_a_fourth_class_operator_leaves_summaries_and_a_second_task_copies_the_results() -> None:
    root = lowered("Unique", TF, attrs={"_unknown_shape_type": 4})
    assert kernels_of(root, "op")[7:] == [
        "Init GetSessionId(ConstData)",
        "Init AllocMemHbm(CreateInitL2Allocator, 16)",
        "Init AllocMemHbm(CreateInitL2Allocator, 16)",
        "Init AllocMemHbm(CreateInitL2Allocator, 16)",
        "Init AllocMemHbm(CreateInitL2Allocator, 16)",
        "Main IncreaseStepId(CreateStepId, CreateStepId.1, SplitRtStreams) after OutputData, EnsureTensorAtOutMemory",
        "Main AllocMemHbm(SelectL2Allocator, 32)",
        "Main FreeMemory(AllocMemHbm) after UpdateAicpuIoAddr, AicpuLaunchTfKernel, GetHostSummary",
        "Main UpdateExtShape(BuildExtInfoHandle, 2, 0, SplitRtStreams, SplitDataTensor, SplitDataTensor)",
        (
            "Main UpdateAicpuIoAddr(BuildTfArgs, MakeSureTensorAtDevice, MakeSureTensorAtDevice, AllocMemHbm) "
            "after UpdateExtShape"
        ),
        "Main AicpuLaunchTfKernel(BuildTfArgs, SplitRtStreams, BuildTfArgsBinHandle, 'Unique') after UpdateAicpuIoAddr",
        "Main SyncStream(SplitRtStreams) after AicpuLaunchTfKernel",
        "DeInit FreeMemory(AllocMemHbm)",
        "DeInit FreeMemory(AllocMemHbm)",
        "DeInit FreeMemory(AllocMemHbm)",
        "DeInit FreeMemory(AllocMemHbm)",
    ]


def test_the_copy_task_belongs_to_an_operator_of_its_own() -> None:
    root = lowered("Unique", CC, attrs={"_unknown_shape_type": 4})
    assert kernels_of(root, "op_FakeMemCpy") == [
        "Init BuildCCArgsBinHandle(OpDescPointer, 'Unique')",
        (
            "Init BuildCCArgs(4, 'op', False, 44 bytes, 44, 257, False, None, -1, 'RunCpuKernel', 13, "
            "'libaicpu_kernels.so', 20)"
        ),
        "Init GetExtInfoAddrFromArgs(BuildCCArgs)",
        (
            "Init BuildExtInfoHandle(257 bytes, 257, 'op', 2, 1, 4, GetExtInfoAddrFromArgs, GetExtInfoAddrFromArgs.1, "
            "GetSessionId, False, 0)"
        ),
        "Main UpdateAicpuIoAddr(BuildCCArgs, AllocMemHbm, AllocMemHbm, AllocMemHbm, AllocMemHbm)",
        "Main GetHostSummary(AllocMemHbm) after SyncStream",
        "Main GetSummaryDataSizes(GetHostSummary)",
        "Main GetSummaryShapeSizes(GetHostSummary)",
        "Main AllocMemHbm(SelectL2Allocator, GetSummaryDataSizes)",
        "Main FreeMemory(AllocMemHbm) after PrepareCopyInputs, AicpuLaunchCCKernel, EnsureTensorAtOutMemory",
        "Main AllocMemHbm(SelectL2Allocator, GetSummaryShapeSizes)",
        "Main FreeMemory(AllocMemHbm) after PrepareCopyInputs, GetOutputShapeFromHbmBuffer",
        (
            "Main PrepareCopyInputs(1, AllocMemHbm, AllocMemHbm, AllocMemHbm, AllocMemHbm, "
            "GetHostSummary, AllocMemHbm, "
            "AllocMemHbm, SplitRtStreams)"
        ),
        "Main GetOutputShapeFromHbmBuffer(GetHostSummary, AllocMemHbm) after SyncStream",
        (
            "Main AicpuLaunchCCKernel(BuildCCArgs, SplitRtStreams, 1, 6, BuildExtInfoHandle, BuildCCArgsBinHandle, "
            "'Unique') after UpdateAicpuIoAddr, PrepareCopyInputs"
        ),
        "Main SyncStream(SplitRtStreams) after AicpuLaunchCCKernel",
    ]


def test_a_copy_task_has_an_entry_for_shape_and_data_of_each_output() -> None:
    root = lowered("Unique", TF, outputs=(UNKNOWN, UNKNOWN), attrs={"_unknown_shape_type": 4})
    assert kernels_of_type(root, "AllocMemHbm")[:2] == ["Init AllocMemHbm(CreateInitL2Allocator, 32)"] * 2
    assert kernels_of_type(root, "GetHostSummary") == [
        "Main GetHostSummary(AllocMemHbm, AllocMemHbm) after SyncStream, SyncStream"
    ]


@pytest.mark.parametrize("engine", [TF, CC])
def test_a_fourth_class_operator_of_known_shapes_is_an_ordinary_one(engine: str) -> None:
    root = lowered("Unique", engine, (KNOWN,), (KNOWN,), {"_unknown_shape_type": 4})
    assert kernels_of_type(root, "SyncStream", "GetHostSummary", "PrepareCopyInputs") == []


def test_the_log_of_a_users_kernel_is_told_before_the_shapes_and_freed_behind_the_launch() -> None:
    root = lowered("Mine", CC, attrs={"_aicpu_workspace_type": (1, 0), "workspace_bytes": (8, 64)})
    assert kernels_of_type(root, "UpdateExtWorkSpaceInfo", "UpdateExtShape") == [
        "Main UpdateExtWorkSpaceInfo(64, AllocMemHbm, BuildExtInfoHandle) after AllocMemHbm",
        (
            "Main UpdateExtShape(BuildExtInfoHandle, 2, 1, SplitRtStreams, SplitDataTensor, "
            "SplitDataTensor, InferShape) "
            "after UpdateExtWorkSpaceInfo"
        ),
    ]
    assert "Main FreeMemory(AllocMemHbm) after UpdateExtWorkSpaceInfo, AicpuLaunchCCKernel" in kernels_of(root, "op")


@pytest.mark.parametrize(
    "attrs",
    [
        {"workspace_bytes": (64,)},
        {"_aicpu_workspace_type": (1,), "workspace_bytes": (64,)},
        {"_aicpu_workspace_type": (0,), "workspace_bytes": (0,)},
        {"_aicpu_workspace_type": (0,), "workspace_bytes": (64, 64)},
    ],
)
def test_there_is_no_log_without_a_workspace_that_is_one(attrs: dict[str, AttrValue]) -> None:
    assert kernels_of_type(lowered("Mine", CC, attrs=attrs), "UpdateExtWorkSpaceInfo") == []


@pytest.mark.parametrize(
    ("type_name", "expected"),
    [
        (
            "TensorListPushBack",
            [
                (
                    "Main TensorListOp(SplitRtStreams, MakeSureTensorAtDevice, MakeSureTensorAtDevice, AllocMemHbm) "
                    "after AicpuLaunchTfKernel"
                )
            ],
        ),
        (
            "TensorListPopBack",
            [
                (
                    "Main TensorListOp(SplitRtStreams, MakeSureTensorAtDevice, MakeSureTensorAtDevice, AllocMemHbm) "
                    "after AicpuLaunchTfKernel"
                )
            ],
        ),
        ("EmptyTensorList", []),
    ],
)
def test_operators_on_tensor_lists_keep_book_behind_the_launch(type_name: str, expected: list[str]) -> None:
    assert kernels_of_type(lowered(type_name, TF), "TensorListOp") == expected


def with_missing_input(engine: str, attrs: dict[str, AttrValue]) -> ExecuteGraph:
    builder = GraphBuilder("g")
    fed = [builder.data("x0", UNKNOWN), builder.data("x1", UNKNOWN)]
    node = builder.op("Pad", *fed, name="op", engine=engine, attrs=attrs).node
    ir: dict[str, AttrValue] = {"_ir_inputs_key": ("a", "b", "c"), "_ir_inputs_value": (0, 1, 0)}
    node.op.inputs = (named(UNKNOWN, "a"), named(KNOWN, "b"), named(UNKNOWN, "c"))
    node.op.attrs.update(ir)
    node.inputs = [node.inputs[0], None, node.inputs[1]]
    return lower(builder.output(Output(node)).build())


def test_places_of_missing_inputs_are_filled_for_a_kernel_that_counts_them() -> None:
    root = with_missing_input(CC, {"optional_input_placeholder": True})
    kernels = ("BuildCCArgs", "ExpandAicpuOptionalInputAddrs", "UpdateExtShape", "UpdateAicpuIoAddr")
    assert kernels_of_type(root, *kernels) == [
        (
            "Init BuildCCArgs(4, 'op', False, 52 bytes, 52, 325, False, None, -1, 'RunCpuKernel', 13, "
            "'libaicpu_kernels.so', 20)"
        ),
        "Main ExpandAicpuOptionalInputAddrs(MakeSureTensorAtDevice, MakeSureTensorAtDevice, DEVICE_HBM)",
        (
            "Main UpdateExtShape(BuildExtInfoHandle, 3, 1, SplitRtStreams, SplitDataTensor, [2], SplitDataTensor, "
            "InferShape) after SplitDataTensor"
        ),
        (
            "Main UpdateAicpuIoAddr(BuildCCArgs, ExpandAicpuOptionalInputAddrs, ExpandAicpuOptionalInputAddrs.1, "
            "ExpandAicpuOptionalInputAddrs.2, AllocMemHbm) after ExpandAicpuOptionalInputAddrs, UpdateExtShape"
        ),
    ]


def test_missing_inputs_do_not_count_for_other_kernels() -> None:
    root = with_missing_input(CC, {})
    assert kernels_of_type(root, "ExpandAicpuOptionalInputAddrs", "UpdateAicpuIoAddr") == [
        (
            "Main UpdateAicpuIoAddr(BuildCCArgs, MakeSureTensorAtDevice, MakeSureTensorAtDevice, AllocMemHbm) "
            "after UpdateExtShape"
        )
    ]


def test_a_kernel_that_counts_inputs_needs_nothing_when_all_are_fed() -> None:
    root = lowered("Pad", CC, attrs={"optional_input_placeholder": True})
    assert kernels_of_type(root, "ExpandAicpuOptionalInputAddrs") == []


@pytest.mark.parametrize(("reference", "allocated"), [(True, 0), (False, 1)])
def test_an_output_with_the_name_of_an_input_is_that_input(reference: bool, allocated: int) -> None:
    model = model_of("Assign", CC, attrs={"reference": reference})
    op = model.node("op").op
    op.inputs, op.outputs = (named(UNKNOWN, "ref"), named(UNKNOWN, "value")), (named(UNKNOWN, "ref"),)
    root = lower(model)
    assert len(kernels_of_type(root, "AllocMemHbm")) == allocated
    last = "MakeSureTensorAtDevice" if reference else "AllocMemHbm"
    assert kernels_of_type(root, "UpdateAicpuIoAddr") == [
        (
            f"Main UpdateAicpuIoAddr(BuildCCArgs, MakeSureTensorAtDevice, MakeSureTensorAtDevice, {last}) "
            "after UpdateExtShape"
        )
    ]


@pytest.mark.parametrize(
    ("engine", "tasks", "attrs", "message"),
    [
        (TF, (), {}, "Can not find compile result for node op type Unique"),
        (TF, (KERNEL,), {}, "Cannot find AI cpu Tf taskdef."),
        (CC, (KERNEL_EX,), {}, "Cannot find AI cpu CC taskdef."),
        (
            CC,
            (KERNEL,),
            {"_unknown_shape_type": 4},
            "Op op type Unique is 4th op, unexpected task defs count 1",
        ),
        (CC, (KERNEL,), {"aicpu_kernel_type": 3}, "attribute 'aicpu_kernel_type' of node op is 3"),
        (CC, (KERNEL,), {"aicpu_args": "x"}, "attribute 'aicpu_args' of node op holds no bytes"),
    ],
)
def test_a_broken_compile_result_is_refused_in_ges_words(
    engine: str, tasks: tuple[str, ...], attrs: dict[str, AttrValue], message: str
) -> None:
    model = model_of("Unique", engine, attrs=attrs)
    model.node("op").op.tasks = tasks
    with pytest.raises(ModelError, match=message.replace(".", r"\.")):
        lower(model)
