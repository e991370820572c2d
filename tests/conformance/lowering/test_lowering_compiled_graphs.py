"""Graphs that were compiled as a whole, and operators for two kinds of cores (spec/lowering.md 4.9, 4.10)."""

from collections.abc import Mapping

import pytest
from lowered_kernels import kernels_of, kernels_of_type

from getrace.dumps.snapshot import AttrValue
from runtime.engines.op_library import OpTraits, library_of
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GE_LOCAL, GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, OpDesc, nd_desc
from runtime.graph.execute_graph import ExecuteGraph
from runtime.lowering.graph_converter import lower
from runtime.ops.builtin import builtin_ops
from runtime.values import Placement


def compiled_graph(
    name: str = "inner", operator: str = "Relu", attrs: Mapping[str, AttrValue] | None = None
) -> ComputeGraph:
    """A graph of one operator and one constant, both of whose values leave it, and the input, too."""
    graph = ComputeGraph(name, {"_graph_unknown_flag": False, "memory_size": 1024, **(attrs or {})})
    desc = nd_desc((2,))
    x = graph.add(OpDesc("x", "Data", (desc,), (desc,), attrs={"index": 0, "_parent_node_index": 0}))
    c = graph.add(OpDesc("c", "Const", (), (desc,), attrs={"value": bytes(8)}))
    op = graph.add(OpDesc("inside", operator, (desc,), (desc,)))
    end = graph.add(OpDesc("end", "NetOutput", (desc,) * 3, ()))
    graph.connect(x, 0, op, 0)
    for slot, source in enumerate((op, x, c)):
        graph.connect(source, 0, end, slot)
    return graph


def called(*graphs: ComputeGraph, options: LoweringOptions | None = None) -> ExecuteGraph:
    """Lower a model of calls, one behind the other, named ``call0``, ``call1``, ..."""
    builder = GraphBuilder("g")
    value = builder.data("data", (2,))
    calls = []
    for number, _ in enumerate(graphs):
        outputs = [nd_desc((2,))] * 3
        value = builder.op("PartitionedCall", value, name=f"call{number}", outputs=outputs, engine=GE_LOCAL)
        calls.append(value.node)
    graph = builder.output(*(Output(calls[-1], index) for index in range(3))).build()
    for node, below in zip(calls, graphs, strict=True):
        graph.add_subgraph(node, below)
    return lower(graph, options)


CREATE = (
    "Init DavinciModelCreate(StaticModelRef, GetSessionId, AssignWeightMemory, CreateStepId, 0, GetSpaceRegistries, "
    "GetFileConstantWeightDir, ReusableStreamAllocator, 0, 0, EmptyTensorData, 0, 0, EmptyTensorData, '', (), None)"
)


def test_a_compiled_graph_is_a_model_that_init_creates_and_main_runs() -> None:
    root = called(compiled_graph())
    davinci = [line for line in kernels_of(root, "call0") if "Davinci" in line.split("(")[0]]
    assert davinci == [
        CREATE,
        "Main DavinciModelUpdateWorkspaces(DavinciModelCreate, 2, 2, AllocMemHbm)",
        "Main DavinciModelGetRunAddress(DavinciModelCreate, 0, RunAddress) after DavinciModelUpdateWorkspaces",
        (
            "Main DavinciModelExecute(DavinciModelCreate, SplitRtStreams, 1, 3, MakeSureTensorAtDevice, AllocMemHbm, "
            "MakeSureTensorAtDevice, DavinciModelGetRunAddress) after DavinciModelUpdateWorkspaces"
        ),
        "DeInit DavinciModelFinalizer(DavinciModelCreate)",
    ]


def test_a_compiled_graph_has_its_memory_freed_behind_the_run_and_its_input_behind_each_use() -> None:
    root = called(compiled_graph())
    assert [line for line in kernels_of(root, "call0", "data") if "FreeMemory" in line] == [
        (
            "Main FreeMemory(MakeSureTensorAtDevice) after DavinciModelExecute, DavinciModelExecute, "
            "EnsureTensorAtOutMemory"
        ),
        "Main FreeMemory(AllocMemHbm) after DavinciModelExecute",
        "Main FreeMemory(AllocMemHbm) after DavinciModelExecute, EnsureTensorAtOutMemory",
    ]


def test_no_kernel_belongs_to_an_operator_of_a_compiled_graph() -> None:
    assert kernels_of(called(compiled_graph()), "inside", "c", "x", "end") == []


def test_two_compiled_graphs_share_streams_and_finalizer_and_read_the_session_each() -> None:
    root = called(compiled_graph("one"), compiled_graph("two"))
    assert len(kernels_of_type(root, "DavinciModelCreate")) == 2
    assert len(kernels_of_type(root, "ReusableStreamAllocator")) == 1
    assert len(kernels_of_type(root, "GetSessionId")) == 6
    assert len(kernels_of_type(root, "EmptyTensorData")) == 2
    assert kernels_of_type(root, "DavinciModelFinalizer") == [
        "DeInit DavinciModelFinalizer(DavinciModelCreate, DavinciModelCreate)"
    ]


@pytest.mark.parametrize(
    ("attrs", "kinds"),
    [
        ({"memory_size": 0}, []),
        ({"session_scope_memory_size": 64}, ["2", "4294967298"]),
        ({"p2p_memory_size": 64}, ["2", "17"]),
        ({"sub_memory_infos": (512, 512)}, ["2", "2"]),
    ],
)
def test_the_memory_a_model_works_in_comes_by_kind(attrs: dict[str, AttrValue], kinds: list[str]) -> None:
    updates = kernels_of_type(called(compiled_graph(attrs=attrs)), "DavinciModelUpdateWorkspaces")
    told = [f"{kind}, AllocMemHbm" for kind in kinds]
    wanted = f"Main DavinciModelUpdateWorkspaces(DavinciModelCreate, {len(told) * 2}, {', '.join(told)})"
    assert updates == ([wanted] if kinds else [])


def test_a_model_whose_addresses_are_fixed_gets_its_memory_on_init() -> None:
    root = called(compiled_graph(), options=LoweringOptions(static_model_addr_fixed=True))
    created = kernels_of_type(root, "DavinciModelCreateV2", "DavinciModelCreate", "DavinciModelUpdateWorkspaces")
    assert created == [
        (
            "Init DavinciModelCreateV2(StaticModelRef, GetSessionId, AssignWeightMemory, CreateStepId, 0, "
            "GetSpaceRegistries, GetFileConstantWeightDir, ReusableStreamAllocator, AllocMemHbm)"
        )
    ]
    assert kernels_of_type(root, "AllocMemHbm")[0] == "Init AllocMemHbm(CreateInitL2Allocator, 1024)"


def test_fixed_memory_of_the_session_goes_after_the_models() -> None:
    options = LoweringOptions(fixed_feature_memory={Placement.DEVICE_HBM: (0, 4096)})
    root = called(compiled_graph(), options=options)
    assert kernels_of_type(root, "AllocFixedFeatureMemory", "EmptyTensorData", "FreeFixedFeatureMemory") == [
        "Init AllocFixedFeatureMemory(GetUserAllocatorOrFixedBaseAllocator, 4096, CreateInitL2Allocator)",
        "Init EmptyTensorData()",
        "DeInit FreeFixedFeatureMemory(AllocFixedFeatureMemory) after DavinciModelFinalizer",
    ]


@pytest.mark.parametrize("attrs", [{"_graph_unknown_flag": True}, {}])
def test_a_graph_that_was_not_compiled_is_lowered_node_by_node(attrs: dict[str, AttrValue]) -> None:
    graph = compiled_graph(operator="Squeeze")
    graph.attrs = dict(attrs)
    root = called(graph)
    assert kernels_of_type(root, "DavinciModelCreate") == []
    assert kernels_of(root, "inside")[-1].startswith("Main InferShape(")


def test_a_compiled_graph_of_constants_alone_has_no_model() -> None:
    graph = ComputeGraph("inner", {"_graph_unknown_flag": False})
    desc = nd_desc((2,))
    constants = [graph.add(OpDesc(f"c{index}", "Const", (), (desc,), attrs={"value": bytes(8)})) for index in range(3)]
    end = graph.add(OpDesc("end", "NetOutput", (desc,) * 3, ()))
    for slot, constant in enumerate(constants):
        graph.connect(constant, 0, end, slot)
    root = called(graph)
    assert kernels_of_type(root, "DavinciModelCreate") == []
    assert len(kernels_of_type(root, "SplitConstTensor")) == 3


MIX: dict[str, AttrValue] = {
    "_ge_attr_lowering_func": "ffts_mix_l2_lower_func",
    "_kernel_names_prefix": ("_mix_aic", "_mix_aiv"),
    "_unknown_shape": True,
    "op_para_size": 32,
    "compile_info_json": "{}",
}


def mixed(options: LoweringOptions | None = None, **attrs: AttrValue) -> list[str]:
    """Lower an operator for two kinds of cores; gives its kernels on Main."""
    builder = GraphBuilder("g")
    op = builder.op("Conv", builder.data("x", (-1,)), name="op", attrs={**MIX, **attrs})
    return [line for line in kernels_of(lower(builder.output(op).build(), options), "op") if line.startswith("Main")]


FILLED = [
    "Main FFTSTaskAndArgsCopy(SplitRtStreams, AllocMemHbm, AllocMemHost, MemorySlice, 1) after MixL2UpdateContext",
    (
        "Main LaunchFFTSPlusTaskNoCopy(SplitRtStreams, NodeMemParaAssign, 1, DfxExeArg, AllocBatchHbm) "
        "after FFTSTaskAndArgsCopy"
    ),
    "Main FreeBatchHbm(AllocBatchHbm) after LaunchFFTSPlusTaskNoCopy",
]


def test_a_mixed_operator_is_filled_copied_and_launched_in_this_order() -> None:
    kernels = mixed()
    assert kernels[-3:] == FILLED
    assert [line for line in kernels if line.split("(")[0].endswith(("Args", "Context", "Legacy", "PrefCnt"))] == [
        "Main RedirectLaunchArgs(NodeMemParaAssign)",
        (
            "Main TilingLegacy(SplitDataTensor, InferShape, TilingParse, AppendCoreTypeToPlatform, FindTilingFunc) "
            "after RedirectLaunchArgs"
        ),
        (
            "Main GetMixAddrAndPrefCnt(2, 1, TilingLegacy, TilingLegacy, '_mix_aic', SinkMixDyNodeBin, '_mix_aiv', "
            "SinkMixDyNodeBin)"
        ),
        (
            "Main FFTSUpdateMixL2Args(AllocBatchHbm, 0, GetMixAddrAndPrefCnt, None, 0, 2, SplitDataTensor, InferShape, "
            "MakeSureTensorAtDevice, AllocMemHbm) after NodeMemParaAssign"
        ),
        "Main MixL2UpdateContext(FFTSUpdateMixL2Args, TilingLegacy.1, TilingLegacy.6, FftsTaskInfoPreProc, 0, False)",
    ]


def test_a_static_mixed_operator_is_not_tiled_and_its_kernels_are_found_by_name() -> None:
    kernels = mixed(_unknown_shape=False)
    assert not [line for line in kernels if "Tiling" in line]
    assert [line for line in kernels if "SinkMix" in line.split("(")[0]] == [
        (
            "Main SinkMixStaticNodeBin(2, 0, '', '_mix_aic', '_mix_aicop', '', KernelBinary, '', '_mix_aiv', "
            "'_mix_aivop', '', KernelBinary)"
        )
    ]


def test_a_static_mixed_operator_may_bring_the_tiling_of_a_dynamic_kernel() -> None:
    kernels = mixed(_unknown_shape=False, _tiling_data_str="666")
    assert "Main CopyTilingdata(NodeMemParaAssign, '666', 3) after RedirectLaunchArgs" in kernels
    assert len([line for line in kernels if "SinkMixDyNodeBin" in line.split("(")[0]]) == 2


def test_a_mixed_operator_that_takes_its_mode_has_one_kernel_for_all_tilings() -> None:
    kernels = mixed(_need_mode_addr=1)
    assert [line for line in kernels if "SinkMix" in line.split("(")[0]] == [
        (
            "Main SinkMixStaticNodeBin(2, 0, '', '_mix_aic', '_mix_aicop', '', KernelBinary, '', '_mix_aiv', "
            "'_mix_aivop', '', KernelBinary)"
        )
    ]


def test_a_mixed_operator_tells_its_dump_what_it_reads_before_its_context_is_filled() -> None:
    kernels = mixed(LoweringOptions(data_dump=True))
    assert "Main MixL2UpdateDataDumpInfo(0, 1, 1, MakeSureTensorAtDevice, AllocMemHbm)" in kernels
    assert next(line for line in kernels if "MixL2UpdateContext(" in line).endswith("after MixL2UpdateDataDumpInfo")
    assert not [line for line in mixed() if "DumpInfo" in line]


def test_a_library_knows_what_authors_registered() -> None:
    library = library_of(builtin_ops())
    assert library.traits("Reshape").data_dependency == {1}
    assert library.traits("Unheard") == OpTraits("Unheard")
