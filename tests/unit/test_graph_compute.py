"""Compute graphs, their builder, and the pictures taken of them."""

import pytest

from getrace.dumps.snapshot import CONTROL, SnapshotEdge
from getrace.errors import ModelError
from runtime.graph.builder import GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, OpDesc, nd_desc
from runtime.graph.payload import payload_attr
from runtime.graph.to_snapshot import snapshot_of_compute_graph
from runtime.values import DType, Int32, Placement, Shape, WeightSpan


def add_example() -> ComputeGraph:
    builder = GraphBuilder("add_example")
    x1, x2 = builder.data("x1", (-1, 4)), builder.data("x2", (-1, 4), DType.FLOAT)
    return builder.output(builder.op("AddExample", x1, x2)).build()


def test_a_few_lines_build_the_model_of_the_worked_example() -> None:
    graph = add_example()
    assert [(node.name, node.type) for node in graph.nodes] == [
        ("x1", "Data"),
        ("x2", "Data"),
        ("AddExample", "AddExample"),
        ("NetOutput", "NetOutput"),
    ]
    add = graph.node("AddExample")
    assert add.op.engine == "AIcoreEngine"
    assert add.op.tasks == ("ALL_KERNEL",)
    assert add.op.outputs[0].shape == (-1, 4)
    assert add.op.outputs[0].shape_range == ((1, -1), (4, 4))
    assert [graph.node(name).op.attrs["index"] for name in ("x1", "x2")] == [0, 1]


def test_a_picture_of_a_model_has_its_edges_and_what_its_tensors_are() -> None:
    snapshot = snapshot_of_compute_graph(add_example(), "ComputeGraphBeforeLowering")
    graph = snapshot.graphs[snapshot.root]
    assert graph.edges == (SnapshotEdge(0, 0, 2, 0), SnapshotEdge(1, 0, 2, 1), SnapshotEdge(2, 0, 3, 0))
    assert graph.nodes[2].attrs["output_desc_shape:0"] == (-1, 4)
    assert graph.nodes[2].attrs["_ge_attr_op_kernel_lib_name"] == "AIcoreEngine"


def test_a_picture_of_a_model_has_its_orders() -> None:
    graph = ComputeGraph("g")
    graph.order(graph.add(OpDesc("a", "A")), graph.add(OpDesc("b", "B")))
    assert snapshot_of_compute_graph(graph, "S").graphs["g"].edges == (SnapshotEdge(0, CONTROL, 1, CONTROL),)


def test_names_are_unique_in_a_model() -> None:
    builder = GraphBuilder("g")
    builder.data("x", (1,))
    with pytest.raises(ModelError, match="graph 'g' has two nodes named 'x'"):
        builder.data("x", (1,))


@pytest.mark.parametrize("name", ["a\nb", "a\x1bb", "a\u202eb"])
def test_a_name_that_would_break_a_log_line_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="holds a character that no log line can show"):
        GraphBuilder("g").data(name, (1,))


def test_a_model_without_output_is_refused() -> None:
    with pytest.raises(ModelError, match="graph 'g' has no output"):
        GraphBuilder("g").build()


def test_an_operator_must_have_something_to_describe_its_output() -> None:
    with pytest.raises(ModelError, match="operator 'Source' has neither inputs nor described outputs"):
        GraphBuilder("g").op("Source")


def test_a_constant_must_fill_its_shape() -> None:
    with pytest.raises(ModelError, match="constant 'c' has 4 bytes, its shape needs 8"):
        GraphBuilder("g").const("c", (2,), b"\0" * 4)


def test_a_constant_of_strings_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match="constant 'c' has the type DT_STRING, whose elements have no fixed size"):
        GraphBuilder("g").const("c", (2,), b"ab", DType.STRING)


@pytest.mark.parametrize("index", [3, -1])
def test_an_output_that_does_not_exist_has_no_description(index: int) -> None:
    graph = GraphBuilder("g")
    relu = graph.op("Relu", graph.data("x", (-1,)))
    with pytest.raises(ModelError, match=f"node 'Relu' has no output {index}"):
        graph.output(Output(relu.node, index)).build()


def test_a_case_needs_a_branch() -> None:
    graph = GraphBuilder("g")
    with pytest.raises(ModelError, match="node 'Case' is a Case without branches"):
        graph.case(graph.data("index", (), DType.INT32), [graph.data("x", (-1,))])


@pytest.mark.parametrize(
    ("output", "slot", "words"),
    [(1, 0, "node 'a' has no output 1"), (0, 1, "node 'b' has no input 1"), (0, 0, "input 0 of node 'b' is fed twice")],
)
def test_a_connection_that_cannot_be_is_refused(output: int, slot: int, words: str) -> None:
    graph = ComputeGraph("g")
    a = graph.add(OpDesc("a", "A", outputs=(nd_desc((1,)),)))
    b = graph.add(OpDesc("b", "B", inputs=(nd_desc((1,)),)))
    graph.connect(a, 0, b, 0)
    with pytest.raises(ModelError, match=words):
        graph.connect(a, output, b, slot)


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (1, b"\1\0\0\0\0\0\0\0"),
        (-1, b"\xff" * 8),
        (Int32(-1), b"\xff" * 4),
        (True, b"\1"),
        (DType.INT64, b"\x09\0\0\0"),
        (Placement.HOST, b"\1\0\0\0"),
        (None, bytes(8)),
        ("Add", b"Add\0"),
        ((16, 32), (16, 32)),
        (WeightSpan(0, 512), "WeightSpan(offset=0, size=512)"),
    ],
)
def test_a_payload_looks_in_a_picture_as_ge_writes_it(payload: object, expected: object) -> None:
    assert payload_attr(payload) == expected


@pytest.mark.parametrize(
    ("dtype", "number", "name", "size"),
    [
        (DType.FLOAT, 0, "DT_FLOAT", 4),
        (DType.FLOAT16, 1, "DT_FLOAT16", 2),
        (DType.INT32, 3, "DT_INT32", 4),
        (DType.INT64, 9, "DT_INT64", 8),
        (DType.BF16, 27, "DT_BF16", 2),
        (DType.INT4, 29, "DT_INT4", 1),
    ],
)
def test_a_data_type_has_ges_number_name_and_size(dtype: DType, number: int, name: str, size: int) -> None:
    assert (dtype.number, dtype.ge_name, dtype.size) == (number, name, size)
    assert DType.of(name) is dtype


def test_a_string_has_no_fixed_size() -> None:
    with pytest.raises(ModelError, match="data type DT_STRING has no fixed size"):
        _ = DType.STRING.size


@pytest.mark.parametrize(
    ("dims", "known", "text"), [((), True, "[]"), ((2, 0), True, "[2,0]"), ((-1, 3), False, "[-1,3]")]
)
def test_a_shape_knows_whether_it_is_known(dims: tuple[int, ...], known: bool, text: str) -> None:
    assert (Shape(dims).is_known, str(Shape(dims))) == (known, text)


def test_a_scalar_has_one_element_and_an_unknown_shape_no_count() -> None:
    assert Shape().elements == 1
    assert Shape((3, 0)).elements == 0
    with pytest.raises(ModelError, match="has no element count"):
        _ = Shape((-1,)).elements


@pytest.mark.parametrize("dims", [(1,) * 26, (-3,), (2, -2)])
def test_a_shape_that_ge_cannot_hold_is_refused(dims: tuple[int, ...]) -> None:
    with pytest.raises(ModelError):
        Shape(dims)


def test_a_node_reads_nodes_of_its_own_graph_only() -> None:
    graph, other = GraphBuilder("model"), GraphBuilder("other")
    x, y = graph.data("x", (2,)), other.data("y", (2,))
    with pytest.raises(ModelError, match=r"^node 'Add' cannot read 'y': 'y' is a node of graph 'other'$"):
        graph.op("Add", x, y)
