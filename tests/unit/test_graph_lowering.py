"""What lowering writes for constants, copies and several outputs, and what it says about models it cannot lower."""

import pytest

from getrace.dumps.snapshot import AttrValue
from getrace.errors import InternalError, ModelError
from runtime.engines.builtin import builtin_converters
from runtime.engines.contract import Converter
from runtime.engines.ge_local.data import convert_data
from runtime.engines.options import LoweringOptions
from runtime.engines.registry import ConverterRegistry
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, OpDesc, TensorDesc, nd_desc
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.lowering.graph_converter import lower
from runtime.values import ConstTensor, Placement, Shape, StorageShape, WeightSpan


def nodes(root: ExecuteGraph, part: str, compute_node: str) -> list[str]:
    index = [node.name for node in root.compute_nodes].index(compute_node)
    return [node.type for node in root.owned_by(part).nodes if node.attrs.get("ComputeNodeIndex") == index]


def only(root: ExecuteGraph, part: str, type_name: str) -> FastNode:
    (node,) = (node for node in root.owned_by(part).nodes if node.type == type_name)
    return node


def with_constant() -> ExecuteGraph:
    builder = GraphBuilder("g")
    x = builder.data("x", (-1,))
    c = builder.const("c", (2,), bytes(range(8)))
    return lower(builder.output(builder.op("Add", x, c, name="add")).build())


def test_a_constant_lives_on_init_and_is_sunk_into_the_weight_memory() -> None:
    assert nodes(with_constant(), "Init", "c") == [
        "Const",
        "Const",
        "SplitConstTensor",
        "Const",
        "Const",
        "GetOrCreateWeightMem",
        "CreateMemAssigner",
        "Const",
        "AssignWeightMemory",
        "SinkWeightData",
    ]


def test_a_constant_carries_its_tensor_and_its_place_in_the_weights() -> None:
    values = [node.attrs["value"] for node in with_constant().owned_by("Init").nodes if node.type == "Const"]
    (tensor,) = (value for value in values if isinstance(value, ConstTensor))
    assert tensor.shape == (2,)
    assert tensor.content == bytes(range(8))
    assert WeightSpan(0, 512) in values


def test_a_launch_reads_a_constant_from_init() -> None:
    root = with_constant()
    source = only(root, "Main", "LaunchKernelWithHandle").inputs[14]
    assert source is not None
    assert source[0].type == "InnerData"
    fed = root.nodes[2].inputs[source[0].attrs["index"]]  # type: ignore[call-overload]
    assert fed is not None
    leaving = only(root, "Init", "InnerNetOutput").inputs[fed[1]]
    assert leaving is not None
    assert leaving[0].type == "SinkWeightData"


def identity(copies: int) -> ExecuteGraph:
    builder = GraphBuilder("g")
    value = builder.data("x", (-1,))
    for number in range(copies):
        value = builder.op("Identity", value, name=f"copy{number}", engine=GE_LOCAL)
    return lower(builder.output(value).build())


def test_a_copy_of_a_model_input_makes_sure_that_it_is_on_the_device() -> None:
    assert nodes(identity(1), "Main", "copy0") == [
        "InferShape",
        "InnerData",
        "Const",
        "Const",
        "CalcTensorSizeFromShape",
        "Const",
        "SelectL2Allocator",
        "InnerData",
        "MakeSureTensorAtDevice",
        "FreeMemory",
    ]


def test_a_copy_of_a_device_tensor_runs_behind_its_producer() -> None:
    root = identity(2)
    assert nodes(root, "Main", "copy1") == [
        "InferShape",
        "Const",
        "CalcTensorSizeFromShape",
        "AllocMemHbm",
        "FreeMemory",
        "CopyD2D",
    ]
    copy = only(root, "Main", "CopyD2D")
    assert [edge.source.type for edge in copy.in_control] == ["MakeSureTensorAtDevice"]


def test_an_input_that_is_on_the_device_is_not_copied() -> None:
    builder = GraphBuilder("g")
    graph = builder.output(builder.op("Relu", builder.data("x", (-1,)))).build()
    root = lower(graph, LoweringOptions(input_placement=Placement.DEVICE_HBM))
    source = only(root, "Main", "LaunchKernelWithHandle").inputs[13]
    assert source is not None
    assert (source[0].type, source[1]) == ("SplitDataTensor", 1)


def test_an_operator_whose_shapes_are_known_gets_them_as_constants() -> None:
    builder = GraphBuilder("g")
    root = lower(builder.output(builder.op("Relu", builder.data("x", (2, 3)))).build())
    assert "InferShape" not in [node.type for node in root.owned_by("Main").nodes]
    values = [node.attrs.get("value") for node in root.owned_by("Main").nodes]
    assert StorageShape(Shape((2, 3)), Shape((2, 3))) in values


def test_every_output_of_a_model_gets_its_own_slot() -> None:
    builder = GraphBuilder("g")
    x = builder.data("x", (-1,))
    first, second = builder.op("Relu", x, name="a"), builder.op("Relu", x, name="b")
    root = lower(builder.output(second, first).build())
    end = only(root, "Main", "NetOutput")
    assert [(source[0].type, source[1]) for source in end.inputs if source is not None] == [
        ("OutputData", 0),
        ("OutputData", 1),
    ]


def test_the_model_is_described_by_its_inputs_and_outputs() -> None:
    builder = GraphBuilder("g")
    y = builder.op("Add", builder.data("x1", (-1,)), builder.data("x2", (-1,)), name="add")
    described = lower(builder.output(y).build()).attrs["ModelDesc"]
    assert str(described).startswith("ModelDesc(name='g', inputs=(ModelIoDesc(name='x1'")
    assert "ModelIoDesc(name='output_0_add_0'" in str(described)


def test_a_lowering_leaves_the_model_as_it_was() -> None:
    builder = GraphBuilder("g")
    graph = builder.output(builder.op("Relu", builder.data("x", (-1,)))).build()
    before = [(node.name, dict(node.op.attrs), list(node.inputs)) for node in graph.nodes]
    lower(graph)
    assert [(node.name, node.op.attrs, node.inputs) for node in graph.nodes] == before


def model(attrs: dict[str, AttrValue] | None = None, *, engine: str = "AIcoreEngine") -> ComputeGraph:
    builder = GraphBuilder("g")
    x = builder.data("x", (-1,))
    return builder.output(builder.op("Relu", x, name="relu", attrs=attrs, engine=engine)).build()


def maybe_empty() -> ComputeGraph:
    builder = GraphBuilder("g")
    desc = nd_desc((-1,), shape_range=[(0, -1)])
    return builder.output(builder.op("Relu", builder.data("x", (-1,)), name="relu", outputs=[desc])).build()


def without_producer() -> ComputeGraph:
    graph = ComputeGraph("g")
    desc: TensorDesc = nd_desc((-1,))
    graph.add(OpDesc("NetOutput", "NetOutput", (desc,), (desc,), GE_LOCAL))
    return graph


def consumer_first() -> ComputeGraph:
    graph = ComputeGraph("g")
    desc = nd_desc((-1,))
    end = graph.add(OpDesc("NetOutput", "NetOutput", (desc,), (desc,), GE_LOCAL))
    data = graph.add(OpDesc("x", "Data", (desc,), (desc,), GE_LOCAL, attrs={"index": 0}))
    graph.connect(data, 0, end, 0)
    return graph


def data_indices(*indices: int) -> ComputeGraph:
    builder = GraphBuilder("g")
    values = [builder.data(f"x{position}", (-1,)) for position in range(len(indices))]
    for value, index in zip(values, indices, strict=True):
        value.node.op.attrs["index"] = index
    return builder.output(*values).build()


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (model(engine="Mars"), "Failed to find the converter for node relu type Relu"),
        (model({"_ge_attr_lowering_func": "gone"}), "Failed to find the converter for node relu type Relu"),
        (model({"op_para_size": -1}), "Invalid max tiling size of node relu"),
        (model({"workspace_bytes": (-1,)}), "attribute 'workspace_bytes' of node relu is not a list of sizes"),
        (model({"compile_info_json": 3}), "attribute 'compile_info_json' of node relu is not a text"),
        (ComputeGraph("g"), "graph 'g' has 0 NetOutput nodes"),
        (without_producer(), "input 0 of node NetOutput is not connected"),
        (consumer_first(), "Failed to construct LowerInput for node NetOutput, because cannot find the lower result"),
        (data_indices(0, 0), "Duplicated Data index found, index 0, name x1"),
        (data_indices(0, 2), "Failed to load exe graph, input data index 2, expect 1"),
    ],
)
def test_a_model_that_cannot_be_lowered_is_refused_by_name(graph: ComputeGraph, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        lower(graph)
    assert message in caught.value.message


def test_an_output_that_may_be_empty_is_lowered_when_the_session_says_it_never_is() -> None:
    root = lower(maybe_empty(), LoweringOptions(all_tensor_not_empty=True))
    assert only(root, "Main", "LaunchKernelWithHandle").name.startswith("LaunchKernelWithHandle_relu_")


def test_a_converter_is_registered_once() -> None:
    row = Converter("Data", None, convert_data)
    with pytest.raises(InternalError, match="converter Data is registered twice"):
        ConverterRegistry([row, row])


def test_an_operators_own_converter_comes_before_its_engines() -> None:
    graph = ComputeGraph("g")
    node = graph.add(OpDesc("copy", "Identity", engine="AIcoreEngine"))
    assert builtin_converters().find(node).name == "Identity"
