"""Facts beside the dumps, for cases about operators that GE runs itself, static sub graphs and MixL2."""

from collections.abc import Mapping
from dataclasses import replace

from truth_facts_flow import FAKED
from truth_fakes_local import PLACED, SESSION, SHAPES, VARIABLES
from truth_lowering import Facts, without

from runtime.engines.op_library import OpTraits, builtin_library

_USUAL = Facts()

_COMPILED = {"memory_size": 5120, "session_scope_memory_size": 512}
"""Memory that GE's tests give a compiled graph, in bytes."""

STATIC = Facts(graphs={"*": _COMPILED})
"""Models with a graph that is compiled as a whole."""

IN_PARTS = Facts(graphs={"*": {**_COMPILED, "sub_memory_infos": (2560, 2560)}})
"""The memory of a compiled graph comes in two parts."""

_MIXED = Facts(
    tasks={"Conv2D_Sqrt": ("ALL_KERNEL",)},
    attrs={"Conv2D_Sqrt": {"workspace_bytes": (16,)}},
)
"""One operator for two kinds of cores."""

_FILE = "test_weight_xxxxxx.bin"

FACTS: Mapping[str, Facts] = {
    "AssignWeightMemST.*": STATIC,
    "StaticCompiledGraphTest.*": STATIC,
    "StaticCompiledGraphTest.KnownSubgraph_ExecuteSuccess": without(STATIC, frozen_input_indices="0;1"),
    "StaticCompiledGraphTest.KnownSubgraph_WithGlobalWorkspace_ExecuteSuccess": without(
        _USUAL, static_model_addr_fixed=True
    ),
    "StaticCompiledGraphTest.KnownSubgraph_WithVariable_And_SubMemInfo_ExecuteSuccess": IN_PARTS,
    "BuiltinSubscribersST.ExceptionDump_DumpStaticNode_WithStaticSubGraph": STATIC,
    "KnownShapeGraphUnitTest.*": STATIC,
    "GeLocalTest.StaticSubgraphWithFileConstantLinkNetoutput_FileConstantLoadSuccess": STATIC,
    "GraphExecutorWithKernelUnitTest.OnolineLoadModelWithSameRootGraphTwice": STATIC,
    "MixL2LoweringST.*": _MIXED,
    "BuiltinSubscribersST.DataDumpForMixl2": without(_MIXED, data_dump=True),
    "BuiltinSubscribersST.OverflowDumpForMixl2": without(_MIXED, data_dump=True),
    "CannProfilerST.CannProfiling_test_l2mix_blockdim": _MIXED,
    "PlaceLoweringResultSystemTest.*": without(
        replace(_USUAL, converters=PLACED),
        library=builtin_library().extended([OpTraits("Add", data_dependency=frozenset({1}))]),
    ),
    "RtSessionSystemTest.*": replace(_USUAL, converters=SESSION),
    "GraphExecutorWithKernelUnitTest.LoadExecutorFromModelDataWithRtSession_exec_successfully": replace(
        _USUAL, converters=VARIABLES
    ),
    "BuiltinSubscribersST.DataDump_Ok_WithControlNodeInExegraph": FAKED,
    # GE's test gives this constant fewer bytes than its shape needs, and GE does not look.
    "GeLocalTest.MultiBatchShapesOK": replace(_USUAL, converters=SHAPES, attrs={"const": {"value": bytes(200704)}}),
    "GeLocalTest.FileConstant_LoadWeightOkOffline_UserDeviceMem": without(
        _USUAL, file_constant_memories={_FILE: (0x7FFF4B6E6840, 100)}
    ),
}
