"""Operators that bring their own code: aclnn (4.2), generated (4.3) and custom ones (4.4) of spec/lowering.md.

GE's dumps confirm aclnn (AclnnTwoStagesSt); the others follow the text.
"""

import pytest
from compiled_operator import BY_HANDLE, compiled, registered
from lowered_kernels import kernels_of, kernels_of_type
from one_operator import UNKNOWN

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.engines.op_library import OpTraits
from runtime.graph.builder import GraphBuilder
from runtime.graph.execute_graph import ExecuteGraph
from runtime.lowering.graph_converter import lower

ACLNN: dict[str, AttrValue] = {"_ge_attr_lowering_func": "AclnnLoweringFunc"}
FUSED: dict[str, AttrValue] = {"_ge_attr_lowering_func": "kAutoFuseLoweringFunc", "bin_file_path": "libfused.so"}
SYMBOLS: dict[str, AttrValue] = {"_all_symbol_num": 3}
CUSTOM = "DNN_VM_CUSTOM_OP_STORE"


def test_an_operator_that_computes_in_one_call_gets_the_allocator() -> None:
    root = compiled(attrs=ACLNN, options=registered(OpTraits("Add", execute_phases=1)))
    assert kernels_of(root, "op") == [
        "Init GetSpaceRegistry(ConstData, 0)",
        "Init FindInferShapeFunc('Add', GetSpaceRegistry)",
        "Init FindOpExeFunc('Add', None)",
        "Init GetPlatformInfo()",
        "Init AppendCoreTypeToPlatform(GetPlatformInfo, 'AiCore', -1, -1, GetPlatformInfo.1)",
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after BuildRefTensor, ExecuteOpFunc, EnsureTensorAtOutMemory",
        "Main BuildRefTensor(SplitDataTensor, MakeSureTensorAtDevice, BuildTensorAttr)",
        "Main BuildRefTensor(SplitDataTensor, MakeSureTensorAtDevice, BuildTensorAttr)",
        "Main BuildRefTensor(InferShape, AllocMemHbm, BuildTensorAttr)",
        ("Main BuildSingleStageAclnnOpFwkData(AppendCoreTypeToPlatform.1, DeterministicConfig, DeterministicConfig)"),
        (
            "Main ExecuteOpFunc(BuildRefTensor, BuildRefTensor, BuildRefTensor, SelectL2Allocator, SplitRtStreams, "
            "OpExecuteOptions, FindOpExeFunc, BuildSingleStageAclnnOpFwkData)"
        ),
    ]


def test_one_call_waits_twice_in_front_of_what_frees_its_inputs() -> None:
    root = compiled(attrs=ACLNN, options=registered(OpTraits("Add", execute_phases=1)))
    assert kernels_of_type(root, "FreeMemory")[0] == (
        "Main FreeMemory(MakeSureTensorAtDevice) after BuildRefTensor, ExecuteOpFunc, ExecuteOpFunc"
    )


def test_an_operator_that_prepares_first_says_what_workspaces_it_wants() -> None:
    root = compiled(attrs=ACLNN, options=registered(OpTraits("Add", execute_phases=2)))
    types = ("FindOpExe2PhaseFunc", "BuildDualStageAclnnOpFwkData", "ExecuteOpPrepare", "AllocBatchHbm")
    assert kernels_of_type(root, *types, "FreeBatchHbm", "ExecuteOpLaunch", "ExecuteOpFunc") == [
        "Init FindOpExe2PhaseFunc('Add', None)",
        (
            "Main BuildDualStageAclnnOpFwkData(FindOpExe2PhaseFunc, FindOpExe2PhaseFunc.1, AppendCoreTypeToPlatform, "
            "AppendCoreTypeToPlatform.1, DeterministicConfig, DeterministicConfig)"
        ),
        (
            "Main ExecuteOpPrepare(BuildRefTensor, BuildRefTensor, BuildRefTensor, OpExecuteOptions, "
            "BuildDualStageAclnnOpFwkData, SplitRtStreams)"
        ),
        "Main AllocBatchHbm(SelectL2Allocator, ExecuteOpPrepare.1)",
        "Main FreeBatchHbm(AllocBatchHbm) after ExecuteOpLaunch",
        (
            "Main ExecuteOpLaunch(BuildRefTensor, BuildRefTensor, BuildRefTensor, ExecuteOpPrepare, AllocBatchHbm, "
            "ExecuteOpPrepare.1, SplitRtStreams, BuildDualStageAclnnOpFwkData)"
        ),
    ]


def test_an_input_that_is_read_on_the_host_comes_as_a_host_tensor() -> None:
    root = compiled(attrs=ACLNN, options=registered(OpTraits("Add", execute_phases=2, host_inputs=frozenset({1}))))
    assert kernels_of_type(root, "BuildTensor", "BuildRefTensor") == [
        "Main BuildRefTensor(SplitDataTensor, MakeSureTensorAtDevice, BuildTensorAttr)",
        "Main BuildTensor(SplitDataTensor, MakeSureTensorAtHostWithoutSync, BuildTensorAttr)",
        "Main BuildRefTensor(InferShape, AllocMemHbm, BuildTensorAttr)",
    ]


def test_an_operator_without_the_attribute_is_no_aclnn_operator_whatever_its_author_registered() -> None:
    root = compiled(options=registered(OpTraits("Add", execute_phases=2)))
    assert kernels_of_type(root, "ExecuteOpLaunch", "ExecuteOpFunc", "BuildRefTensor") == []


def test_a_generated_operator_reads_the_inputs_of_the_model() -> None:
    assert kernels_of(compiled(attrs=FUSED, model=SYMBOLS, type_name="AscBackend"), "op")[:-2] == [
        "Init GetAutofuseFuncs('libfused.so')",
        "Init GetPlatformInfo()",
        "Init AppendCoreTypeToPlatform(GetPlatformInfo, 'AiCore', -1, -1, GetPlatformInfo.1)",
        "Main InferShape(2, Data, Data, 3, GetAutofuseFuncs.5, GetAutofuseFuncs.2)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after LaunchKernelWithHandle, EnsureTensorAtOutMemory",
        "Main AllocLaunchArg(NodeDesc, ArgsInfosDesc)",
        "Main SymbolTilingParse(AppendCoreTypeToPlatform, GetAutofuseFuncs.4)",
        "Main GetSymbolTilingCacheKey(2, Data, Data, GetAutofuseFuncs.3, 3)",
        "Main PrepareCacheableTilingFwkData(GetAutofuseFuncs.1, AllocLaunchArg.1, 0, 'BuildSymbolTilingCacheKey')",
        (
            "Main CacheableTiling(2, Data, Data, SymbolTilingParse, GetSymbolTilingCacheKey, "
            "PrepareCacheableTilingFwkData, 0, 0)"
        ),
        "Main AllocBatchHbm(SelectL2Allocator, CacheableTiling.4)",
        "Main SinkNodeBinWithHandle(KernelBinary, 'te_ascbackend')",
    ]


def generated(*keys: str) -> ExecuteGraph:
    """Lower a chain of generated operators; an empty key stands for none."""
    builder = GraphBuilder("g")
    value = builder.data("x", UNKNOWN)
    for number, key in enumerate(keys):
        merged: dict[str, AttrValue] = {"_symbol_infer_shape_cache_key": key} if key else {}
        value = builder.op("AscBackend", value, name=f"fused{number}", attrs={**FUSED, **merged})
    graph = builder.output(value).build()
    graph.attrs.update(SYMBOLS)
    return lower(graph)


@pytest.mark.parametrize(("keys", "inferred"), [(("k", "k"), 1), (("k", "other"), 2), (("", ""), 2)])
def test_generated_operators_of_one_key_infer_their_shapes_once(keys: tuple[str, str], inferred: int) -> None:
    assert len(kernels_of_type(generated(*keys), "InferShape")) == inferred


def test_each_generated_operator_loads_its_own_library() -> None:
    assert len(kernels_of_type(generated("k", "k"), "GetAutofuseFuncs")) == 2


def test_a_custom_operator_allocates_its_outputs_itself() -> None:
    assert kernels_of(compiled((), engine=CUSTOM, type_name="Mine"), "op") == [
        "Init FindCustomOp('Mine', None)",
        "Main BuildRefTensor(SplitDataTensor, MakeSureTensorAtDevice, BuildTensorAttr)",
        "Main BuildRefTensor(SplitDataTensor, MakeSureTensorAtDevice, BuildTensorAttr)",
        "Main ExecuteCustomOp(BuildRefTensor, BuildRefTensor, SelectL2Allocator, SplitRtStreams, FindCustomOp)",
        "Main SplitDataTensor(ExecuteCustomOp, SelectL2Allocator)",
        "Main FreeMemory(SplitDataTensor.1) after EnsureTensorAtOutMemory",
        "Main FreeCustomOpWorkspaces(ExecuteCustomOp.1, SelectL2Allocator)",
        "Main FreeArgsGuarder(ExecuteCustomOp.2)",
    ]


def test_what_frees_an_input_of_a_custom_operator_waits_for_its_outputs_and_for_it() -> None:
    root = compiled((), engine=CUSTOM, type_name="Mine", inputs=(UNKNOWN,))
    assert kernels_of_type(root, "FreeMemory")[0] == (
        "Main FreeMemory(MakeSureTensorAtDevice) after BuildRefTensor, SplitDataTensor, ExecuteCustomOp"
    )


@pytest.mark.parametrize(
    ("attrs", "traits", "kernel"),
    [
        ({}, OpTraits("Mine", custom_infer_shape=True), "ExecuteCustomOpWithInferShape"),
        ({"_inference_rule": "{r}"}, OpTraits("Mine", infer_shape=False), "ExecuteCustomOpWithInferShape"),
        ({}, OpTraits("Mine"), "ExecuteCustomOp"),
    ],
)
def test_a_custom_operator_whose_shapes_are_known_before_is_told_them(
    attrs: dict[str, AttrValue], traits: OpTraits, kernel: str
) -> None:
    root = compiled((), attrs, engine=CUSTOM, type_name="Mine", options=registered(traits))
    found = kernels_of_type(root, "ExecuteCustomOp", "ExecuteCustomOpWithInferShape")
    assert [line.split("(")[0] for line in found] == [f"Main {kernel}"]


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        (ACLNN, "Do not find op execute function of node[op, Add]."),
        ({"_ge_attr_lowering_func": "kAutoFuseLoweringFunc"}, "Get 'bin_file_path' from node op failed."),
        (FUSED, "graph 'g' does not say how many symbols it has"),
    ],
)
def test_an_operator_whose_code_is_missing_is_refused_by_name(attrs: dict[str, AttrValue], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        compiled(BY_HANDLE, attrs)
    assert caught.value.message == message
