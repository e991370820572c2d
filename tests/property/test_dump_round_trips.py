"""What a dump format can say comes back as it was, whatever the graph."""

from collections.abc import Callable
from dataclasses import replace

from dump_graphs import graphs, names, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from getrace.dumps.ge_onnx import parse_ge_onnx, write_ge_onnx
from getrace.dumps.ge_proto import parse_ge_proto, write_ge_proto
from getrace.dumps.ge_readable import parse_ge_readable, write_ge_readable
from getrace.dumps.snapshot import AttrValue, GraphSnapshot
from getrace.errors import InputError

NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)
ATTRS: st.SearchStrategy[dict[str, AttrValue]] = st.dictionaries(
    names().map(lambda name: f"x{name}"),
    st.one_of(
        NUMBERS,
        st.floats(allow_nan=False),
        texts(),
        st.lists(NUMBERS, min_size=1, max_size=3).map(tuple),
        st.lists(st.floats(allow_nan=False), min_size=1, max_size=3).map(tuple),
        st.lists(texts(), min_size=1, max_size=3).map(tuple),
    ),
    max_size=3,
)
NONE: st.SearchStrategy[dict[str, AttrValue]] = st.just({})


def complaint(parse: Callable[[bytes, str, str], GraphSnapshot], pieces: list[str]) -> str | None:
    """Give the sentence with which a text is refused, None when it is read."""
    try:
        parse("\n".join(pieces).encode(), "S", "dump")
    except InputError as error:
        return error.message
    return None


@settings(max_examples=60, deadline=None)
@given(graphs(ATTRS))
def test_ge_onnx_keeps_nodes_edges_ids_and_flat_attributes(snapshot: GraphSnapshot) -> None:
    assert parse_ge_onnx(write_ge_onnx(snapshot).encode(), "S", "x.pbtxt") == snapshot


@settings(max_examples=60, deadline=None)
@given(graphs(ATTRS))
def test_ge_proto_keeps_the_same_and_more(snapshot: GraphSnapshot) -> None:
    assert parse_ge_proto(write_ge_proto(snapshot).encode(), "S", "x.txt") == snapshot


@settings(max_examples=60, deadline=None)
@given(graphs(NONE))
def test_ge_readable_keeps_nodes_and_data_edges(snapshot: GraphSnapshot) -> None:
    graph = snapshot.graphs["g"]
    fed = {
        node.id: max((e.target_input + 1 for e in graph.edges if e.target == node.id), default=0)
        for node in graph.nodes
    }
    nodes = tuple(replace(node, inputs=fed[node.id], topo_id=0) for node in graph.nodes)
    edges = tuple(edge for edge in graph.edges if not edge.is_control)
    seen = GraphSnapshot("S", "g", {"g": replace(graph, nodes=nodes, edges=edges)})
    text = write_ge_readable(snapshot)
    assert parse_ge_readable(text.encode(), "S", "x.txt") == seen
    assert write_ge_readable(seen) == text


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            (
                "graph {",
                "node {",
                "}",
                "attribute {",
                "g {",
                'name: "a"',
                'op_type: "ge:Add"',
                'input: "a:0"',
                "type: INT",
                "i: 1",
                'op_type: "subgraph"',
                'output: "a:0"',
                "type: STRING",
                's: "{}"',
                'name: "input_desc_0"',
                "i: x",
                'name: "id"',
            )
        )
    )
)
def test_pieces_of_a_ge_onnx_dump_in_any_order_give_a_graph_or_a_sentence(pieces: list[str]) -> None:
    said = complaint(parse_ge_onnx, pieces)
    assert said is None or said.startswith("dump, line ")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            (
                'graph("g"):',
                "%a : [#users=1] = Node[type=A] ()",
                "%b : [#users=2] = Node[type=A] (inputs = (_input_0=%a))",
                "%ret : [#users=1] = get_element[node=%b](1)",
                "return (%ret)",
                "return (output_0=%a, output_1=%ret)",
                "%c : [#users=0] = Node[type=A] (attrs = {_graph_0: %h, k: [1, 2]})",
                'graph("h"):',
                "",
                "%x",
                "inputs = (",
            )
        )
    )
)
def test_pieces_of_a_ge_readable_dump_in_any_order_give_a_graph_or_a_sentence(pieces: list[str]) -> None:
    said = complaint(parse_ge_readable, pieces)
    assert said is None or said.startswith("dump, line ")
