"""Operators that the host computes (spec/lowering.md 4.6): all kernels of each form, their edges and their graph."""

import pytest
from lowered_kernels import kernels_of, kernels_of_type
from one_operator import KNOWN, UNKNOWN, lowered, model_of, named

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.engines.op_library import OpTraits, builtin_library
from runtime.engines.options import LoweringOptions
from runtime.lowering.graph_converter import lower

HOST = "DNN_VM_HOST_CPU_OP_STORE"
FUSED: dict[str, AttrValue] = {"_host_cpu_fusion_register_name": "FusedHostCpu_1", "_host_cpu_fusion_so_key": "so_1"}

ON_INIT = [
    "Init GetSessionId(ConstData)",
    "Init BuildHostCCArgs(3, 'op', False, 44 bytes, 44, 257)",
    "Init GetExtInfoAddrFromArgs(BuildHostCCArgs)",
    (
        "Init BuildExtInfoHandle(257 bytes, 257, 'op', 2, 1, 0, GetExtInfoAddrFromArgs, GetExtInfoAddrFromArgs.1, "
        "GetSessionId, False, 0)"
    ),
]


def test_a_function_of_the_host_gives_the_shapes_and_addresses_made_before_it() -> None:
    root = lowered("Add", HOST)
    assert kernels_of(root, "op") == [
        *ON_INIT,
        "Init GetSpaceRegistry(ConstData, 0)",
        "Init FindInferShapeFunc('Add', GetSpaceRegistry)",
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main AllocMemHost(CreateHostL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHost) after IdentityAddr",
        (
            "Main AicpuHostExecFunc(SplitDataTensor, SplitDataTensor, MakeSureTensorAtHostWithoutSync, "
            "MakeSureTensorAtHostWithoutSync, HostFunction) after InferShape, AllocMemHost"
        ),
        "Main IdentityAddr(AllocMemHost) after AicpuHostExecFunc",
    ]
    (call,) = (node for node in root.owned_by("Main").nodes if node.type == "AicpuHostExecFunc")
    referred = [(name.split("_")[0], output) for name, output in call.output_refs.values()]
    assert referred == [("InferShape", 0), ("AllocMemHost", 0)]


def test_an_operator_without_a_function_goes_through_the_kernel_of_the_aicpu_library() -> None:
    assert kernels_of(lowered("MapIndex", HOST), "op")[6:] == [
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main AllocMemHost(CreateHostL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHost) after AicpuHostCompute, IdentityAddr",
        "Main UpdateExtShape(BuildExtInfoHandle, 2, 1, SplitRtStreams, SplitDataTensor, SplitDataTensor, InferShape)",
        (
            "Main AicpuHostCompute(BuildHostCCArgs, MakeSureTensorAtHostWithoutSync, MakeSureTensorAtHostWithoutSync, "
            "AllocMemHost) after UpdateExtShape"
        ),
        "Main IdentityAddr(AllocMemHost) after AicpuHostCompute",
    ]


def test_a_kernel_of_the_library_on_known_shapes_needs_no_shapes_written() -> None:
    root = lowered("MapIndex", HOST, (KNOWN, KNOWN), (KNOWN,))
    assert kernels_of_type(root, "UpdateExtShape", "InferShape", "AicpuHostCompute") == [
        (
            "Main AicpuHostCompute(BuildHostCCArgs, MakeSureTensorAtHostWithoutSync, MakeSureTensorAtHostWithoutSync, "
            "AllocMemHost)"
        )
    ]


def test_consumers_wait_for_the_inputs_and_not_for_the_computation() -> None:
    assert kernels_of_type(lowered("Add", HOST), "EnsureTensorAtOutMemory") == [
        (
            "Main EnsureTensorAtOutMemory(InferShape, IdentityAddr, BuildTensorAttr, SplitRtStreams, OutputData) after "
            "MakeSureTensorAtHostWithoutSync, MakeSureTensorAtHostWithoutSync"
        )
    ]


def test_small_tensors_get_memory_that_goes_where_the_computation_goes() -> None:
    root = lowered("Add", HOST, attrs={"SmallShapeHostcpu": True})
    assert kernels_of_type(root, "AllocHostCpuOutputMemory", "AllocMemHost", "IdentityAddr") == [
        (
            "Main AllocHostCpuOutputMemory(CalcTensorSizeFromShape, CreateHostL2Allocator, SplitDataTensor, "
            "SplitDataTensor, MakeSureTensorAtHostWithoutSync, MakeSureTensorAtHostWithoutSync)"
        ),
        "Main IdentityAddr(AllocHostCpuOutputMemory) after AicpuHostExecFunc",
    ]
    assert "FreeMemory" not in [line.split("(")[0].split()[1] for line in kernels_of(root, "op")]


@pytest.mark.parametrize("small", [True, False])
def test_an_output_that_is_an_input_gets_no_memory(*, small: bool) -> None:
    model = model_of("Assign", HOST, attrs={"reference": True, "SmallShapeHostcpu": small})
    op = model.node("op").op
    op.inputs, op.outputs = (named(UNKNOWN, "ref"), named(UNKNOWN, "value")), (named(UNKNOWN, "ref"),)
    assert kernels_of_type(lower(model), "AllocMemHost", "AllocHostCpuOutputMemory", "IdentityAddr") == [
        "Main IdentityAddr(MakeSureTensorAtHost) after AicpuHostCompute"
    ]


def test_a_third_class_operator_of_the_host_reads_back_as_many_shapes_as_it_has_inputs() -> None:
    options = LoweringOptions(library=builtin_library().extended([OpTraits("Find", infer_shape_range=True)]))
    root = lowered("Find", HOST, attrs={"_unknown_shape_type": 3}, options=options)
    kernels = ("UpdateExtShape", "SyncStream", "GetExtOutputShapes", "EnsureTensorAtOutMemory")
    assert kernels_of_type(root, *kernels) == [
        (
            "Main UpdateExtShape(BuildExtInfoHandle, 2, 1, SplitRtStreams, SplitDataTensor, SplitDataTensor, "
            "InferShapeRange.2)"
        ),
        (
            "Main GetExtOutputShapes(BuildExtInfoHandle, 'DNN_VM_HOST_CPU_OP_STORE') after AicpuHostCompute, "
            "AicpuHostCompute"
        ),
        (
            "Main EnsureTensorAtOutMemory(InferShapeRange.2, IdentityAddr, BuildTensorAttr, "
            "SplitRtStreams, OutputData) "
            "after MakeSureTensorAtHostWithoutSync, MakeSureTensorAtHostWithoutSync"
        ),
    ]
    (read_back,) = (node for node in root.owned_by("Main").nodes if node.type == "GetExtOutputShapes")
    assert read_back.output_count == 2


def test_a_fused_group_computes_by_its_own_library_and_deinit_releases_state_then_library() -> None:
    model = model_of("FusedHostCpu", HOST, attrs=FUSED)
    model.attrs["so_1"] = b"library"
    assert kernels_of(lower(model), "op") == [
        *ON_INIT,
        "Init GetSpaceRegistry(ConstData, 0)",
        "Init FindInferShapeFunc('FusedHostCpu', GetSpaceRegistry)",
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main AllocMemHost(CreateHostL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHost) after FusedHostCpuCompute",
        (
            "Main FusedHostCpuCompute(FusedHostCpuState, SplitDataTensor, SplitDataTensor, "
            "MakeSureTensorAtHostWithoutSync, MakeSureTensorAtHostWithoutSync, InferShape, AllocMemHost)"
        ),
        "DeInit ReleaseFusedHostCpuKernelState(FusedHostCpuState)",
        "DeInit ReleaseFusedHostCpuSo('FusedHostCpu_1')",
    ]


def test_an_ordinary_operator_releases_no_fused_library() -> None:
    assert kernels_of_type(lowered("Add", HOST, attrs=FUSED), "FusedHostCpuCompute", "ReleaseFusedHostCpuSo") == []


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({}, "Load fused HostCPU kernel failed for node op: register name is missing"),
        ({"_host_cpu_fusion_register_name": "f"}, "Load fused HostCPU kernel failed for node op: so key is missing"),
        (FUSED, r"so key\[so_1\] was not found in root graph\[g\], owner graph\[g\]"),
    ],
)
def test_a_fused_group_without_its_library_is_refused_in_ges_words(attrs: dict[str, AttrValue], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        lower(model_of("FusedHostCpu", HOST, attrs=attrs))


def test_a_host_operator_without_a_task_is_refused_in_ges_words() -> None:
    model = model_of("Add", HOST)
    model.node("op").op.tasks = ("ALL_KERNEL",)
    with pytest.raises(ModelError, match=r"Cannot find host AI cpu taskdef\."):
        lower(model)
