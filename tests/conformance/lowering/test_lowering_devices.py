"""Random numbers, images, overflow flags, prefetching and collectives (spec/lowering.md 4.7, 4.8)."""

import pytest
from lowered_kernels import kernels_of, kernels_of_type
from one_operator import KNOWN, UNKNOWN, lowered, model_of

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, ComputeNode, OpDesc
from runtime.lowering.graph_converter import lower

DSA, DVPP, RTS = "DSAEngine", "dvpp_ops_kernel", "DNN_VM_RTS_OP_STORE"
SEEDED: dict[str, AttrValue] = {"workspace_bytes": (48, 48), "dsa_seed": "7", "dsa_count_by_address": 1}
ONE = (1,)

STATUS = [
    "Main CalcTensorSizeFromShape(FLOAT, [8])",
    "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
]


def test_random_numbers_complete_a_queue_entry_and_launch_it() -> None:
    assert kernels_of(lowered("DSARandomUniform", DSA, (ONE, ONE, ONE), (KNOWN,), SEEDED), "op") == [
        "Init AllocBatchHbm(CreateInitL2Allocator, (48, 48))",
        "Main CalcTensorSizeFromShape(FLOAT, [2])",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after UpdateSqeArg, StarsTaskLaunchKernel, EnsureTensorAtOutMemory",
        (
            "Main UpdateSqeArg(DsaSqe, AllocBatchHbm, (48, 48), SplitRtStreams, 0, 1, '7', '', 0, '', '', 3, 1, "
            "MakeSureTensorAtDevice, MakeSureTensorAtDevice, MakeSureTensorAtDevice, AllocMemHbm)"
        ),
        # The shape is a value: what the operator's author registered has it copied to the host, before the launch.
        "Main StarsTaskLaunchKernel(DsaSqe, 64, SplitRtStreams) after UpdateSqeArg, MakeSureTensorAtHostWithoutSync",
    ]


def test_both_kernels_of_a_random_number_read_one_constant() -> None:
    root = lowered("DSARandomUniform", DSA, (ONE, ONE, ONE), (KNOWN,), SEEDED)
    update, launch = (
        node for node in root.owned_by("Main").nodes if node.type in ("UpdateSqeArg", "StarsTaskLaunchKernel")
    )
    assert update.inputs[0] == launch.inputs[0]


def test_random_numbers_of_an_unknown_shape_are_inferred() -> None:
    root = lowered("DSARandomUniform", DSA, (UNKNOWN, ONE, ONE), (UNKNOWN,), SEEDED)
    assert kernels_of_type(root, "InferShape") == [
        "Main InferShape(BuildTensor, SplitDataTensor, SplitDataTensor, FindInferShapeFunc)"
    ]


@pytest.mark.parametrize(
    ("type_name", "inputs", "outputs", "sizes", "message"),
    [
        ("DSARandomUniform", 3, 1, (48,), "Node op workspace addr size 1 is wrong, expected 2"),
        ("DSAStatelessRandomUniform", 3, 1, (48, 48), "Node op workspace addr size 2 is wrong, expected 1"),
        ("DSARandomUniform", 2, 1, (48, 48), "Node op input addr size 2 is wrong, expected between 3 and 5"),
        ("DSARandomUniform", 6, 1, (48, 48), "Node op input addr size 6 is wrong, expected between 3 and 5"),
        ("DSARandomUniform", 3, 2, (48, 48), "Node op output addr size 2 is wrong, expected 1"),
    ],
)
def test_wrong_numbers_of_a_random_operator_are_refused_in_ges_words(
    type_name: str, inputs: int, outputs: int, sizes: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        lowered(type_name, DSA, (ONE,) * inputs, (KNOWN,) * outputs, {"workspace_bytes": sizes})


def test_an_image_operator_sizes_its_workspace_at_run_time() -> None:
    assert kernels_of(lowered("DecodeJpeg", DVPP), "op")[2:] == [
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after GenerateSqeAndLaunchTask, EnsureTensorAtOutMemory",
        "Main CalcDvppWorkSpaceSize(SplitDataTensor, SplitDataTensor, InferShape)",
        "Main AllocBatchHbm(SelectL2Allocator, CalcDvppWorkSpaceSize)",
        (
            "Main GenerateSqeAndLaunchTask(SplitDataTensor, SplitDataTensor, InferShape, MakeSureTensorAtDevice, "
            "MakeSureTensorAtDevice, AllocMemHbm, AllocBatchHbm, CalcTensorSizeFromShape, CalcDvppWorkSpaceSize, "
            "SplitRtStreams)"
        ),
        "Main FreeBatchHbm(AllocBatchHbm) after GenerateSqeAndLaunchTask",
    ]


@pytest.mark.parametrize("engine", [DSA, DVPP])
def test_an_operator_that_was_not_compiled_is_refused_in_ges_words(engine: str) -> None:
    model = model_of("Anything", engine)
    model.node("op").op.tasks = ()
    with pytest.raises(ModelError, match="Can not find compile result for node op type Anything"):
        lower(model)


@pytest.mark.parametrize(
    ("type_name", "kernel"),
    [
        ("NPUGetFloatStatus", "NpuGetFloatStatus"),
        ("NPUGetFloatStatusV2", "NpuGetFloatStatus"),
        ("NPUGetFloatDebugStatus", "NpuGetFloatDebugStatus"),
    ],
)
def test_overflow_flags_are_read_through_an_argument_on_the_device(type_name: str, kernel: str) -> None:
    assert kernels_of(lowered(type_name, RTS, (UNKNOWN,)), "op") == [
        *STATUS,
        "Main FreeMemory(AllocMemHbm) after NpuGetFloatStatusArgs, EnsureTensorAtOutMemory",
        "Main NpuGetFloatStatusArgs(AllocMemHbm)",
        "Main AllocMemHbm(SelectL2Allocator, 8)",
        f"Main FreeMemory(AllocMemHbm) after {kernel}",
        f"Main {kernel}(AllocMemHbm, NpuGetFloatStatusArgs, SplitRtStreams)",
    ]


@pytest.mark.parametrize(
    ("type_name", "kernel"),
    [
        ("NPUClearFloatStatus", "NpuClearFloatStatus"),
        ("NPUClearFloatDebugStatus", "NpuClearFloatDebugStatus"),
    ],
)
def test_clearing_overflow_flags_gives_a_tensor_nobody_writes(type_name: str, kernel: str) -> None:
    assert kernels_of(lowered(type_name, RTS, (UNKNOWN,)), "op") == [
        *STATUS,
        "Main FreeMemory(AllocMemHbm) after EnsureTensorAtOutMemory",
        f"Main {kernel}(SplitRtStreams)",
    ]


def test_flags_are_cleared_for_an_operator_without_output_too_but_cannot_be_read() -> None:
    builder = GraphBuilder("g")
    model = builder.output(builder.data("x", UNKNOWN)).build()
    model.add(OpDesc("op", "NPUClearFloatDebugStatus", engine=RTS))
    assert kernels_of(lower(model), "op") == ["Main NpuClearFloatDebugStatus(SplitRtStreams)"]
    model.add(OpDesc("read", "NPUGetFloatStatus", engine=RTS))
    with pytest.raises(ModelError, match="node read type NPUGetFloatStatus has no output to read the flags into"):
        lower(model)


def test_the_second_way_to_clear_overflow_flags_has_no_output_and_orders_what_follows() -> None:
    builder = GraphBuilder("g")
    x = builder.data("x", UNKNOWN)
    node = builder.op("Where", x, name="next", engine="aicpu_ascend_kernel")
    model = builder.output(node).build()
    clear = _first(model, OpDesc("op", "NPUClearFloatStatusV2", engine=RTS))
    model.order(clear, node.node)
    root = lower(model)
    assert kernels_of(root, "op") == ["Main NpuClearFloatStatus(SplitRtStreams)"]
    assert kernels_of_type(root, "AicpuLaunchCCKernel")[0].endswith(
        "after UpdateAicpuIoAddr, NpuClearFloatStatus, NpuClearFloatStatus"
    )


def test_an_unknown_operator_of_the_runtime_system_is_refused_in_ges_words() -> None:
    with pytest.raises(ModelError, match=r"Cannot find lowering func for node type:\[Sleep\]"):
        lowered("Sleep", RTS)


@pytest.mark.parametrize(
    ("attrs", "code", "limit", "offset"),
    [({"type": 6, "max_size": 1024, "offset": 8}, 6, 1024, 8), ({}, 0, 125829120, 0)],
)
def test_a_prefetch_fills_its_task_and_launches_it(
    attrs: dict[str, AttrValue], code: int, limit: int, offset: int
) -> None:
    builder = GraphBuilder("g")
    x = builder.data("x", UNKNOWN)
    model = builder.output(x).build()
    cmo = model.add(OpDesc("op", "Cmo", (x.desc,), engine=RTS, attrs=attrs))
    model.connect(x.node, 0, cmo, 0)
    assert kernels_of(lower(model), "op") == [
        f"Main InitCmoArgs({code})",
        f"Main UpdatePrefetchTaskInfo(InitCmoArgs, MakeSureTensorAtDevice, SplitDataTensor, FLOAT, {limit}, {offset})",
        "Main LaunchCmoTask(InitCmoArgs, SplitRtStreams) after UpdatePrefetchTaskInfo",
    ]


def test_a_prefetch_of_nothing_is_refused_in_ges_words() -> None:
    builder = GraphBuilder("g")
    model = builder.output(builder.data("x", UNKNOWN)).build()
    model.add(OpDesc("op", "Cmo", engine=RTS))
    with pytest.raises(ModelError, match=r"Input addrs is empty for node \[op\]"):
        lower(model)


@pytest.mark.parametrize(
    ("type_name", "attrs"),
    [
        ("HcomAllReduce", {"reduction": "sum"}),
        ("HcomAllGather", {"rank_size": 2}),
        ("HcomReduceScatter", {"rank_size": 2, "reduction": "max"}),
        ("HcomReduce", {"root_rank": 0, "reduction": "min"}),
    ],
)
def test_a_collective_is_prepared_and_launched_and_its_group_is_joined_on_init(
    type_name: str, attrs: dict[str, AttrValue]
) -> None:
    assert kernels_of(lowered(type_name, attrs=attrs), "op") == [
        "Init GetSpaceRegistry(ConstData, 0)",
        f"Init FindInferShapeFunc('{type_name}', GetSpaceRegistry)",
        "Init LaunchHcomKernelInitComm()",
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after LaunchHcomKernel, EnsureTensorAtOutMemory",
        "Main PrepareHcomKernel(HcomOpAttr, SplitRtStreams, 2, 1, SplitDataTensor, SplitDataTensor, InferShape)",
        "Main LaunchHcomKernel(PrepareHcomKernel, MakeSureTensorAtDevice, MakeSureTensorAtDevice, AllocMemHbm)",
    ]


@pytest.mark.parametrize(
    ("type_name", "attrs"), [("HcomBroadcast", {"root_rank": 1}), ("HcomSend", {"dest_rank": 1, "sr_tag": 3})]
)
def test_a_collective_in_place_gives_back_its_inputs(type_name: str, attrs: dict[str, AttrValue]) -> None:
    root = lowered(type_name, inputs=(UNKNOWN,), attrs=attrs)
    assert kernels_of(root, "op") == [
        "Main PrepareHcomKernel(HcomOpAttr, SplitRtStreams, 1, 1, SplitDataTensor, SplitDataTensor)",
        "Main LaunchHcomKernel(PrepareHcomKernel, MakeSureTensorAtDevice, MakeSureTensorAtDevice)",
    ]
    assert kernels_of_type(root, "EnsureTensorAtOutMemory") == [
        (
            "Main EnsureTensorAtOutMemory(SplitDataTensor, MakeSureTensorAtDevice, BuildTensorAttr, SplitRtStreams, "
            "OutputData) after LaunchHcomKernel"
        )
    ]


@pytest.mark.parametrize(
    ("type_name", "attrs"),
    [
        ("HcomAllToAll", {}),
        ("HcomAllToAllV", {}),
        ("HcomAllToAllVC", {}),
        ("HcomAllGatherV", {}),
        ("HcomReduceScatterV", {"reduction": "sum"}),
    ],
)
def test_counts_of_a_collective_come_to_the_host_and_are_waited_for(
    type_name: str, attrs: dict[str, AttrValue]
) -> None:
    root = lowered(type_name, attrs=attrs)
    assert kernels_of_type(root, "MakeSureTensorAtHost", "LaunchHcomKernel", "EnsureTensorAtOutMemory") == [
        (
            "Main MakeSureTensorAtHost(SplitRtStreams, CreateHostL2Allocator, MakeSureTensorAtDevice, "
            "CalcTensorSizeFromShape)"
        ),
        "Main LaunchHcomKernel(PrepareHcomKernel, MakeSureTensorAtDevice, MakeSureTensorAtHost, AllocMemHbm)",
        (
            "Main EnsureTensorAtOutMemory(InferShape, AllocMemHbm, BuildTensorAttr, SplitRtStreams, OutputData) "
            "after LaunchHcomKernel, MakeSureTensorAtHost"
        ),
    ]


def test_what_is_received_brings_its_shape_and_its_memory() -> None:
    root = lowered("HcomReceive", inputs=(), attrs={"src_rank": 0, "sr_tag": 3})
    assert kernels_of(root, "op")[-2:] == [
        "Main LaunchRecvKernel(HcomOpAttr, SplitRtStreams, SelectL2Allocator, FLOAT)",
        "Main FreeMemory(LaunchRecvKernel.1) after EnsureTensorAtOutMemory",
    ]
    assert kernels_of_type(root, "EnsureTensorAtOutMemory", "LaunchHcomKernelInitComm") == [
        (
            "Main EnsureTensorAtOutMemory(LaunchRecvKernel, LaunchRecvKernel.1, BuildTensorAttr, SplitRtStreams, "
            "OutputData) after LaunchRecvKernel"
        )
    ]


@pytest.mark.parametrize(
    ("type_name", "attrs", "message"),
    [
        ("HcomAllReduce", {}, "Attribute 'reduction' of node op .* is None"),
        ("HcomAllReduce", {"reduction": "mean"}, "Attribute 'reduction' of node op .* is 'mean'"),
        ("HcomAllGather", {"rank_size": 0}, "Attribute 'rank_size' of node op .* is 0"),
        ("HcomBroadcast", {"root_rank": -1}, "Attribute 'root_rank' of node op .* is -1"),
        ("HcomSend", {"dest_rank": 1}, "Attribute 'sr_tag' of node op .* is None"),
        ("HcomAllToAll", {"group": ""}, "Attribute 'group' of node op .* is ''"),
    ],
)
def test_a_collective_without_its_attributes_is_refused(
    type_name: str, attrs: dict[str, AttrValue], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        lowered(type_name, attrs=attrs)


def _first(model: ComputeGraph, op: OpDesc) -> ComputeNode:
    node = model.add(op)
    model.nodes.insert(0, model.nodes.pop())
    return node
