"""A compute graph and its picture are the same thing: sub graphs, streams, constants and all."""

from dataclasses import replace

import pytest

from getrace.dumps.ge_proto import parse_ge_proto, write_ge_proto
from getrace.dumps.snapshot import GraphSnapshot
from getrace.errors import ModelError
from runtime.frontend.dumped_weight import MOST_ZEROS, Zeros, weight_of
from runtime.frontend.from_snapshot import compute_graph_of
from runtime.graph.compute_graph import ComputeGraph, OpDesc, nd_desc
from runtime.graph.to_snapshot import snapshot_of_compute_graph

STAGE = "ComputeGraphBeforeLowering"


def branch(name: str) -> ComputeGraph:
    graph = ComputeGraph(name)
    desc = nd_desc((-1,))
    x = graph.add(OpDesc("x", "Data", (desc,), (desc,), attrs={"index": 0, "_parent_node_index": 1}))
    end = graph.add(OpDesc("NetOutput", "NetOutput", (desc,), ()))
    graph.connect(x, 0, end, 0)
    return graph


def model() -> ComputeGraph:
    graph = ComputeGraph("model", {"_graph_unknown_flag": True})
    desc = nd_desc((-1,))
    pred = graph.add(OpDesc("pred", "Data", (desc,), (desc,), attrs={"index": 0}))
    x = graph.add(OpDesc("x", "Data", (desc,), (desc,), attrs={"index": 1}))
    choice = graph.add(OpDesc("choice", "If", (desc, desc), (desc,)))
    add = graph.add(OpDesc("add", "Add", (desc, desc), (desc,), "AIcoreEngine", ("ALL_KERNEL",), stream_id=2))
    end = graph.add(OpDesc("NetOutput", "NetOutput", (desc,), ()))
    graph.connect(pred, 0, choice, 0)
    graph.connect(x, 0, choice, 1)
    graph.connect(choice, 0, add, 0)
    graph.connect(x, 0, add, 1)
    graph.connect(add, 0, end, 0)
    graph.order(pred, add)
    graph.add_subgraph(choice, branch("then"))
    graph.add_subgraph(choice, branch("else"))
    return graph


def picture(graph: ComputeGraph) -> GraphSnapshot:
    return snapshot_of_compute_graph(graph, STAGE)


def test_a_model_comes_back_from_its_picture() -> None:
    again = compute_graph_of(picture(model()))
    assert picture(again) == picture(model())
    assert [graph.name for graph in again.all_graphs()] == ["model", "then", "else"]
    assert [node.name for node in again.all_nodes()] == [
        "pred",
        "x",
        "choice",
        "add",
        "NetOutput",
        *["x", "NetOutput"] * 2,
    ]
    assert again.node("add").op.stream_id == 2
    assert again.node("add").op.tasks == ("ALL_KERNEL",)
    assert again.node("add").control_inputs == [again.node("pred")]


def test_a_model_comes_back_from_a_dump_file() -> None:
    text = write_ge_proto(picture(model()))
    again = compute_graph_of(parse_ge_proto(text.encode(), STAGE, "model.txt"))
    assert picture(again) == picture(model())


def test_tasks_of_a_node_can_be_named() -> None:
    again = compute_graph_of(picture(model()), {"add": ("KERNEL", "KERNEL")})
    assert again.node("add").op.tasks == ("KERNEL", "KERNEL")


def test_a_graph_has_one_owner_and_its_own_name() -> None:
    graph = model()
    owned = next(iter(graph.node("choice").subgraphs))
    with pytest.raises(ModelError, match=r"graph 'then' has an owner already, node 'choice'"):
        graph.add_subgraph(graph.node("choice"), owned)
    with pytest.raises(ModelError, match=r"two graphs of the model are named 'else'"):
        graph.add_subgraph(graph.node("choice"), branch("else"))


_PLACED = (("key", "graph_flatten_offset"), ("value", (("list", (("i", 16), ("i", 8))),)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((("t", (("data", "\x01\x00"),)),), (b"\x01\x00", None)),
        ((("t", (("desc", (("weight_size", 3),)),)),), (bytes(3), None)),
        ((("t", (("desc", (("size", 2),)), ("data", "ab"))),), (b"ab", None)),
        ((("t", (("desc", (("attr", _PLACED),)),)),), (b"", (16, 8))),
        ((), (b"", None)),
        ((("t", (("desc", (("weight_size", -1),)),)),), (b"", None)),
    ],
)
def test_the_weight_of_a_dump(value: tuple[object, ...], expected: tuple[bytes, tuple[int, int] | None]) -> None:
    assert weight_of(value, Zeros()) == expected  # type: ignore[arg-type]


def test_a_weight_of_a_terabyte_that_a_dump_only_promises_is_refused() -> None:
    with pytest.raises(ModelError, match="these are more than 128 MiB"):
        weight_of((("t", (("desc", (("weight_size", 1 << 40),)),)),), Zeros())


def test_zeros_of_one_size_are_shared_and_their_sum_is_bounded() -> None:
    zeros = Zeros()
    first = zeros.of(MOST_ZEROS - 10)
    assert (len(first), zeros.of(MOST_ZEROS - 10) is first) == (MOST_ZEROS - 10, True)
    assert zeros.of(10) == bytes(10)
    with pytest.raises(ModelError, match="these are more than 128 MiB") as found:
        zeros.of(1)
    assert "DUMP_GE_GRAPH=1" in found.value.hint


def test_a_dump_whose_graph_stands_below_itself_is_refused() -> None:
    whole = picture(model())
    top = whole.graphs["model"]
    nodes = tuple(replace(node, subgraphs=("model",)) if node.name == "choice" else node for node in top.nodes)
    looped = replace(whole, graphs={"model": replace(top, nodes=nodes)})
    with pytest.raises(
        ModelError, match=r"^node 'choice' owns graph 'model', which stands elsewhere in the model too$"
    ):
        compute_graph_of(looped)


def with_attr(node_name: str, attribute: str, value: object) -> GraphSnapshot:
    whole = picture(model())
    top = whole.graphs["model"]
    nodes = tuple(
        replace(node, attrs={**node.attrs, attribute: value}) if node.name == node_name else node  # type: ignore[dict-item]
        for node in top.nodes
    )
    return replace(whole, graphs={**whole.graphs, "model": replace(top, nodes=nodes)})


@pytest.mark.parametrize(
    ("attribute", "value", "said"),
    [
        ("input_desc_layout:1", "NDD", "input 1 of node 'add': unknown tensor format 'NDD'"),
        ("output_desc_origin_format:0", ("ND", "ND"), "output 0 of node 'add': origin_format is a list and no text"),
        ("input_desc_dtype:0", "DT_FLAOT", "input 0 of node 'add': unknown data type 'DT_FLAOT'"),
        ("input_desc_dtype:0", 7, "input 0 of node 'add': dtype is 7 and no text"),
        ("output_desc_shape:0", (1,) * 26, "output 0 of node 'add': a shape has 26 dimensions, GE holds at most 25"),
        ("stream_id", "two", "attribute 'stream_id' of node 'add' is 'two', which is no number"),
        (
            "_ge_attr_op_kernel_lib_name",
            ("a", "b"),
            "attribute '_ge_attr_op_kernel_lib_name' of node 'add' is a list and no text",
        ),
    ],
)
def test_what_an_edited_dump_spells_wrongly_is_named_with_its_node(attribute: str, value: object, said: str) -> None:
    with pytest.raises(ModelError) as error:
        compute_graph_of(with_attr("add", attribute, value))
    assert error.value.message == said
