"""Operators that GE runs itself, each with the kernels it leaves and where they live (spec/lowering.md 4.11)."""

import pytest
from lowered_kernels import kernels_of, kernels_of_type

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GE_LOCAL, GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, OpDesc, nd_desc
from runtime.graph.execute_graph import ExecuteGraph
from runtime.lowering.graph_converter import lower
from runtime.values import DType, Placement

FIND = [
    "Init GetSpaceRegistry(ConstData, 0)",
    "Init FindInferShapeFunc({type}, GetSpaceRegistry)",
]


def found(type_name: str) -> list[str]:
    """What Init looks up before the shape of an operator can be inferred."""
    return [line.replace("{type}", repr(type_name)) for line in FIND]


def local(builder: GraphBuilder, type_name: str, *inputs: Output, outputs: int = 1, **attrs: AttrValue) -> Output:
    """Add an operator of GE's own, named ``op``, all of whose outputs are numbers or lists of them."""
    described = [nd_desc((2,), DType.INT32)] * outputs
    return builder.op(type_name, *inputs, name="op", outputs=described, attrs=attrs, engine=GE_LOCAL)


def lowered(type_name: str, inputs: int = 1, outputs: int = 1, **attrs: AttrValue) -> ExecuteGraph:
    """Lower a model of one operator of GE's own, fed from model inputs."""
    builder = GraphBuilder("g")
    fed = [builder.data(f"x{index}", (-1,)) for index in range(inputs)]
    node = local(builder, type_name, *fed, outputs=outputs, **attrs).node
    return lower(builder.output(*(Output(node, index) for index in range(outputs))).build())


def without_inputs(type_name: str, options: LoweringOptions | None = None, **attrs: AttrValue) -> ExecuteGraph:
    """Lower a model whose only operator brings a tensor from somewhere."""
    builder = GraphBuilder("g")
    op = builder.op(type_name, name="op", outputs=[nd_desc((2,))], attrs=attrs, engine=GE_LOCAL)
    return lower(builder.output(op).build(), options)


@pytest.mark.parametrize(
    "type_name",
    ["Squeeze", "SqueezeV2", "SqueezeV3", "Unsqueeze", "UnsqueezeV2", "UnsqueezeV3", "Flatten", "FlattenV2", "Bitcast"],
)
def test_a_reshape_infers_its_shape_and_passes_its_address_on(type_name: str) -> None:
    root = lowered(type_name)
    assert kernels_of(root, "op") == [*found(type_name), "Main InferShape(SplitDataTensor, FindInferShapeFunc)"]
    assert kernels_of_type(root, "EnsureTensorAtOutMemory") == [
        "Main EnsureTensorAtOutMemory(InferShape, SplitDataTensor.1, BuildTensorAttr, SplitRtStreams, OutputData)"
    ]


@pytest.mark.parametrize("type_name", ["Reshape", "ExpandDims"])
def test_a_reshape_by_a_tensor_reads_its_elements_on_the_host(type_name: str) -> None:
    root = lowered(type_name, inputs=2)
    assert kernels_of(root, "op") == [
        *found(type_name),
        "Main InferShape(SplitDataTensor, BuildTensor, FindInferShapeFunc)",
    ]
    assert kernels_of(root, "x1") == [
        "Init CreateL1Allocator(HOST)",
        "Init SelectL1Allocator(HOST, Data, CreateL1Allocator, SplitRtStreams)",
        "Init CreateHostL2Allocator(SelectL1Allocator)",
        "Main SplitDataTensor(Data, CreateInitL2Allocator)",
        "Main CalcTensorSizeFromStorage(FLOAT, SplitDataTensor)",
        "Main SelectL1Allocator(HOST, Data, CreateL1Allocator, SplitRtStreams)",
        "Main CreateHostL2Allocator(SelectL1Allocator)",
        (
            "Main MakeSureTensorAtHostWithoutSync("
            "SplitRtStreams, CreateHostL2Allocator, SplitDataTensor.1, CalcTensorSizeFromStorage)"
        ),
        "Main BuildTensor(SplitDataTensor, MakeSureTensorAtHostWithoutSync, BuildTensorAttr)",
    ]


def test_shapes_of_several_tensors_are_built_by_one_kernel() -> None:
    assert kernels_of(lowered("ShapeN", inputs=2, outputs=2), "op") == [
        *found("ShapeN"),
        "Main InferShape(SplitDataTensor, SplitDataTensor, FindInferShapeFunc)",
        "Main BuildShapeTensorData(SplitDataTensor, SplitDataTensor)",
    ]


@pytest.mark.parametrize(
    ("type_name", "kernel", "waits"),
    [
        ("Size", "GetShapeSizeKernel", ""),
        ("GatherShapes", "GatherShapesKernel", ""),
        ("Rank", "RankKernel", " after RankKernel"),
    ],
)
def test_a_number_made_of_shapes_needs_no_shape_inference(type_name: str, kernel: str, waits: str) -> None:
    root = lowered(type_name)
    assert kernels_of(root, "op") == [f"Main {kernel}(SplitDataTensor)"]
    assert kernels_of_type(root, "EnsureTensorAtOutMemory") == [
        f"Main EnsureTensorAtOutMemory([2], {kernel}, BuildTensorAttr, SplitRtStreams, OutputData){waits}"
    ]


def test_the_shape_of_a_tensor_is_copied_to_the_device_for_an_operator_there() -> None:
    builder = GraphBuilder("g")
    shape = local(builder, "Shape", builder.data("x", (-1,)))
    relu = builder.op("Relu", shape, name="relu")
    root = lower(builder.output(relu).build())
    assert kernels_of(root, "op")[2:] == [
        "Main InferShape(SplitDataTensor, FindInferShapeFunc)",
        "Main BuildShapeTensorData(SplitDataTensor)",
        "Main SelectL2Allocator(0, SplitRtStreams, SelectL1Allocator, CreateL2Allocators)",
        "Main CalcUnalignedTensorSizeFromStorage(INT32, InferShape)",
        (
            "Main CopyH2D(SplitRtStreams, SelectL2Allocator, BuildShapeTensorData, "
            "CalcUnalignedTensorSizeFromStorage, InferShape, INT32)"
        ),
        "Main FreeMemory(CopyH2D) after LaunchKernelWithHandle",
    ]


@pytest.mark.parametrize("type_name", ["Identity", "IdentityN", "ReadVariableOp", "MemcpyAsync", "MemcpyAddrAsync"])
def test_a_copy_of_what_may_be_on_the_host_only_makes_sure(type_name: str) -> None:
    assert kernels_of(lowered(type_name), "op") == [
        *found(type_name),
        "Main InferShape(SplitDataTensor, FindInferShapeFunc)",
        "Main CalcTensorSizeFromShape(INT32, InferShape)",
        "Main SelectL2Allocator(0, SplitRtStreams, SelectL1Allocator, CreateL2Allocators)",
        (
            "Main MakeSureTensorAtDevice("
            "SplitRtStreams, SelectL2Allocator, SplitDataTensor.1, CalcTensorSizeFromShape, SplitDataTensor, INT32)"
        ),
        "Main FreeMemory(MakeSureTensorAtDevice) after EnsureTensorAtOutMemory",
    ]


def test_a_copy_of_a_tensor_on_the_device_is_one_there() -> None:
    root = lower_input_on_device("Identity")
    assert kernels_of(root, "op")[3:] == [
        "Main CalcTensorSizeFromShape(FLOAT, InferShape)",
        "Main SelectL2Allocator(0, SplitRtStreams, SelectL1Allocator, CreateL2Allocators)",
        "Main AllocMemHbm(SelectL2Allocator, CalcTensorSizeFromShape)",
        "Main FreeMemory(AllocMemHbm) after CopyD2D, EnsureTensorAtOutMemory",
        "Main CopyD2D(SplitDataTensor.1, AllocMemHbm, CalcTensorSizeFromShape, SplitRtStreams)",
    ]


def lower_input_on_device(type_name: str) -> ExecuteGraph:
    builder = GraphBuilder("g")
    op = builder.op(type_name, builder.data("x", (-1,)), name="op", engine=GE_LOCAL)
    return lower(builder.output(op).build(), LoweringOptions(input_placement=Placement.DEVICE_HBM))


def test_a_copy_of_a_tensor_on_the_host_takes_memory_of_init() -> None:
    builder = GraphBuilder("g")
    shape = builder.op("Shape", builder.data("x", (-1,)), name="shape", engine=GE_LOCAL)
    root = lower(builder.output(local(builder, "Identity", shape)).build())
    assert [line for line in kernels_of(root, "op") if "Host" in line or "H2H" in line] == [
        "Init CreateHostL2Allocator(SelectL1Allocator)",
        "Main CopyTensorDataH2H(BuildShapeTensorData, InferShape, INT32, CreateHostL2Allocator)",
        "Main FreeMemory(CopyTensorDataH2H) after EnsureTensorAtOutMemory",
    ]


@pytest.mark.parametrize("type_name", ["NoOp", "ControlTrigger", "Send", "Recv", "StreamActive"])
def test_an_operator_that_only_orders_leaves_no_kernel_and_hands_its_order_on(type_name: str) -> None:
    builder = GraphBuilder("g")
    first = builder.op("Relu", builder.data("x", (-1,)), name="first")
    second = builder.op("Rank", builder.data("y", (-1,)), name="second", outputs=[nd_desc(())], engine=GE_LOCAL)
    graph = builder.output(first, second).build()
    between = graph.add(OpDesc("op", type_name, engine=GE_LOCAL))
    graph.nodes.insert(graph.nodes.index(second.node), graph.nodes.pop())
    graph.order(first.node, between)
    graph.order(between, second.node)
    root = lower(graph)
    assert kernels_of(root, "op") == []
    assert kernels_of(root, "second") == ["Main RankKernel(SplitDataTensor) after LaunchKernelWithHandle"]


@pytest.mark.parametrize(
    "type_name", ["StreamSwitch", "StreamMerge", "Enter", "RefEnter", "NextIteration", "RefNextIteration"]
)
def test_control_flow_of_the_old_style_is_refused(type_name: str) -> None:
    with pytest.raises(ModelError, match=f"node op type {type_name} cannot run in a dynamic-shape model"):
        lowered(type_name)


def test_a_file_is_read_on_init_and_its_memory_lives_as_long_as_the_model() -> None:
    root = without_inputs("FileConstant", file_path="weights.bin", location="")
    assert kernels_of(root, "op") == [
        "Init CalcTensorSizeFromShape(FLOAT, [2])",
        "Init CreateL1Allocator(DEVICE_HBM)",
        "Init SelectL1Allocator(DEVICE_HBM, Data, CreateL1Allocator, SplitRtStreams)",
        "Init CreateL2Allocators(1, DEVICE_HBM) after SelectL1Allocator",
        "Init CreateInitL2Allocator(SelectL1Allocator, CreateL2Allocators, SplitRtStreams)",
        "Init GetFileConstantWeightDir(ConstData)",
        (
            "Init FileConstantKernel(ConstData, 'op', CreateInitL2Allocator, SplitRtStreams, CalcTensorSizeFromShape, "
            "GetFileConstantWeightDir, 'weights.bin')"
        ),
        "Main SelectL1Allocator(DEVICE_HBM, Data, CreateL1Allocator, SplitRtStreams)",
        "DeInit FreeMemory(FileConstantKernel)",
    ]


def test_a_moved_model_finds_its_file_by_the_location() -> None:
    root = without_inputs("FileConstant", file_path="weights.bin", location="moved.bin")
    assert "'moved.bin'" in "".join(kernels_of_type(root, "FileConstantKernel"))


def test_memory_that_the_user_filled_is_taken_instead_of_a_file() -> None:
    options = LoweringOptions(file_constant_memories={"weights.bin": (0x1000, 64)})
    root = without_inputs("FileConstant", options, file_path="weights.bin")
    assert kernels_of(root, "op") == ["Init FileConstantUserMemKernel(4096, 64)"]
    assert kernels_of_type(root, "FreeMemory") == []


@pytest.mark.parametrize("type_name", ["Variable", "Constant"])
def test_a_variable_comes_out_of_the_session_by_its_name(type_name: str) -> None:
    root = without_inputs(type_name)
    assert kernels_of_type(root, "SplitVariable", "EnsureTensorAtOutMemory") == [
        "Init SplitVariable(ConstData, 'op', CreateInitL2Allocator)",
        "Main EnsureTensorAtOutMemory(SplitVariable, SplitVariable.1, BuildTensorAttr, SplitRtStreams, OutputData)",
    ]


def test_a_constant_of_the_user_is_two_constants_and_nothing_else() -> None:
    root = without_inputs("ConstPlaceHolder", addr=0x1000, size=64)
    assert kernels_of(root, "op") == []
    assert kernels_of_type(root, "EnsureTensorAtOutMemory") == [
        "Main EnsureTensorAtOutMemory([2], TensorData, BuildTensorAttr, SplitRtStreams, OutputData)"
    ]


def test_a_constant_of_the_user_that_lies_nowhere_is_refused() -> None:
    with pytest.raises(ModelError, match="node op does not say where its tensor lies"):
        without_inputs("ConstPlaceHolder")


def test_a_frozen_model_input_is_a_constant_of_the_user() -> None:
    root = without_inputs("Data", index=0, frozen_input=True, addr=0x1000, size=64)
    assert kernels_of_type(root, "SplitDataTensor", "Data") == [
        *[f"{part} Data()" for part in ("Init", "Main") for _ in range(4)]
    ]


@pytest.mark.parametrize("type_name", ["Data", "AippData", "RefData"])
def test_model_inputs_of_all_types_are_split_from_their_feed(type_name: str) -> None:
    root = without_inputs(type_name, index=0)
    assert kernels_of_type(root, "SplitDataTensor") == ["Main SplitDataTensor(Data, CreateInitL2Allocator)"]


def test_an_input_that_nobody_feeds_is_a_kernel_of_its_own() -> None:
    root = without_inputs("UnfedData")
    assert kernels_of(root, "op") == ["Main UnfedData()"]


def test_a_dynamic_batch_tells_which_of_its_sizes_the_caller_chose() -> None:
    graph = ComputeGraph("g")
    x = graph.add(
        OpDesc("x", "Data", (), (nd_desc((-1, 3)),), attrs={"index": 0, "_dynamic_batch_unknown_dim_index": (0,)})
    )
    told = graph.add(
        OpDesc(
            "told",
            "DATA",
            (),
            (nd_desc((1,), DType.INT32),),
            attrs={
                "index": 1,
                "_ge_attr_lowering_func": "multi_batch_shape_data",
                "_dynamic_batch_unknown_data_index": (0,),
            },
        )
    )
    end = graph.add(OpDesc("NetOutput", "NetOutput", (nd_desc((1,), DType.INT32),), ()))
    graph.order(x, told)
    graph.connect(told, 0, end, 0)
    assert kernels_of(lower(graph), "told") == ["Main GetCurDynamicShape([1], ((0,),), SplitDataTensor)"]


def test_a_condition_is_a_function_of_the_host_that_reads_what_it_depends_on() -> None:
    root = lowered("ConditionCalc", inputs=2, cond_func="choose", x_dependency=(1,))
    assert kernels_of(root, "op") == [
        "Main FindKernelFunc('choose')",
        "Main ConditionCalc(SplitDataTensor, BuildTensor, FindKernelFunc)",
        "Main BuildUnmanagedTensorData(ConditionCalc, 0)",
    ]


def test_a_condition_without_a_function_is_refused() -> None:
    with pytest.raises(ModelError, match="node op does not name its function"):
        lowered("ConditionCalc")


def test_the_tiling_of_another_operator_becomes_values() -> None:
    builder = GraphBuilder("g")
    x = builder.data("x", (-1,))
    relu = builder.op("Relu", x, name="relu")
    root = lower(builder.output(local(builder, "OpTiling", x, outputs=4, tiling_node="relu"), relu).build())
    outputs = ", ".join(["CacheableTiling", *(f"CacheableTiling.{index}" for index in range(1, 12))])
    assert kernels_of(root, "op")[-2:] == [
        f"Main BuildOpTilingOutputShape({outputs})",
        f"Main BuildOpTilingUnmanagedTensorData({outputs}, 0)",
    ]


def test_the_tiling_of_an_operator_that_is_not_there_is_refused() -> None:
    with pytest.raises(ModelError, match="node op tiles for 'gone', which is not in the model"):
        lowered("OpTiling", tiling_node="gone")
