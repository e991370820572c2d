"""The ge_readable format: reading GE's dumps, writing ours, and what it says about broken files."""

import pytest
from dump_graphs import execute_graph

from getrace.dumps.ge_readable import parse_ge_readable, write_ge_readable
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.errors import InputError

DUMP = """graph("main"):
  %data : [#users=1] = Node[type=Data] ()
  %pair : [#users=2] = Node[type=Split] (inputs = (x=%late, y=%data), attrs = {axis: -1, sizes: [1, 2], deep: true})
  %ret : [#users=2] = get_element[node=%pair](0)
  %ret_1 : [#users=1] = get_element[node=%pair](1)
  %if : [#users=1] = Node[type=If] (inputs = (_input_0=%ret, _input_2=%ret_1), \
attrs = {_graph_0: %then, _graph_1: %else})
  %late : [#users=1] = Node[type=Const] ()

  return (output_0=%if, output_1=%ret)

graph("then"):
  %a : [#users=1] = Node[type=Data] ()

  return (%a)

graph("else"):
"""

WRITTEN = """graph("ROOT"):
  %Init_0 : [#users=1] = Node[type=Init] (attrs = {_graph_0: %Init_4})
  %Main_28 : [#users=0] = Node[type=Main] (inputs = (_input_0=%Init_0), attrs = {_graph_0: %Main_30})

graph("Init_4"):
  %Const_5 : [#users=1] = Node[type=Const] ()

graph("Main_30"):
  %Data_33 : [#users=1] = Node[type=Data] ()
  %Split_a_35 : [#users=2] = Node[type=Split] (inputs = (_input_0=%Data_33))
  %ret : [#users=1] = get_element[node=%Split_a_35](0)
  %ret_1 : [#users=2] = get_element[node=%Split_a_35](1)
  %If_if_40 : [#users=1] = Node[type=If] (inputs = (_input_0=%ret, _input_1=%ret_1), \
attrs = {_graph_0: %CondGraph_if_42, _graph_1: %then_graph_if_50})
  %Free_a_60 : [#users=0] = Node[type=Free] (inputs = (_input_0=%ret_1))

graph("CondGraph_if_42"):
  %InnerData_if_44 : [#users=1] = Node[type=InnerData] ()

graph("then_graph_if_50"):
  %InnerData_if_52 : [#users=1] = Node[type=InnerData] ()
"""


def parse(text: str) -> GraphSnapshot:
    return parse_ge_readable(text.encode(), "S", "dump.txt")


def test_nodes_edges_and_owners_are_read() -> None:
    snapshot = parse(DUMP)
    assert list(snapshot.graphs) == ["main", "then", "else"]
    main = snapshot.graphs["main"]
    assert [(node.name, node.type, node.inputs, node.outputs, node.subgraphs) for node in main.nodes] == [
        ("data", "Data", 0, 1, ()),
        ("pair", "Split", 2, 2, ()),
        ("if", "If", 3, 1, ("then", "else")),
        ("late", "Const", 0, 1, ()),
        ("NetOutput", "NetOutput", 2, 0, ()),
    ]
    assert main.edges == (
        SnapshotEdge(3, 0, 1, 0),
        SnapshotEdge(0, 0, 1, 1),
        SnapshotEdge(1, 0, 2, 0),
        SnapshotEdge(1, 1, 2, 2),
        SnapshotEdge(2, 0, 4, 0),
        SnapshotEdge(1, 0, 4, 1),
    )
    assert snapshot.graphs["else"].nodes == ()


def test_attributes_are_read_with_their_names() -> None:
    assert parse(DUMP).graphs["main"].nodes[1].attrs == {
        "axis": -1,
        "sizes": (1, 2),
        "deep": True,
        "_ir_attr_names": ("axis", "sizes", "deep"),
        "_ir_inputs_key": ("x", "y"),
        "_ir_inputs_value": (0, 0),
    }


def test_what_was_read_is_written_as_it_was() -> None:
    assert write_ge_readable(parse(DUMP)) == DUMP


def test_an_execute_graph_is_written_owner_by_owner_in_depth() -> None:
    assert write_ge_readable(execute_graph()) == WRITTEN


def test_the_older_spelling_of_users_is_read() -> None:
    assert parse(DUMP.replace("[#users", "[users")) == parse(DUMP)


def test_a_name_that_a_node_has_is_not_given_to_a_value() -> None:
    nodes = (SnapshotNode(0, "ret", "Two", 0, 2), SnapshotNode(1, "b", "B", 1, 0))
    graph = SnapshotGraph("g", nodes, (SnapshotEdge(0, 1, 1, 0),))
    assert "%b : [#users=0] = Node[type=B] (inputs = (_input_0=%ret_2))" in write_ge_readable(
        GraphSnapshot("S", "g", {"g": graph})
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        (True, "true"),
        ((), "<empty>"),
        (b"\x00", "<not_supported>"),
        ((1, 2, 3, 4, 5, 6), "[1, 2, 3, 4, 5, 6]"),
        ((1, 2, 3, 4, 5, 6, 7), "[1, 2, 3, ..., 5, 6, 7]"),
        ("two\nlines", "two_lines"),
    ],
)
def test_an_attribute_of_the_prototype_is_shown_and_a_long_list_is_cut(value: AttrValue, text: str) -> None:
    node = SnapshotNode(0, "a", "A", attrs={"k": value, "_ir_attr_names": ("k",), "hidden": 1})
    written = write_ge_readable(GraphSnapshot("S", "g", {"g": SnapshotGraph("g", (node,), ())}))
    assert written == f'graph("g"):\n  %a : [#users=0] = Node[type=A] (attrs = {{k: {text}}})\n'


def test_inputs_have_the_names_of_the_prototype_and_any_number_of_them_is_counted() -> None:
    attrs: dict[str, AttrValue] = {
        "_ir_inputs_key": ("cond", "input"),
        "_ir_inputs_value": (0, 2),
        "_input_name_key": ("cond", "input0", "input1"),
    }
    nodes = (SnapshotNode(0, "a", "A", 0, 1), SnapshotNode(1, "if", "If", 3, 0, attrs))
    graph = SnapshotGraph("g", nodes, tuple(SnapshotEdge(0, 0, 1, slot) for slot in range(3)))
    written = write_ge_readable(GraphSnapshot("S", "g", {"g": graph}))
    assert "(inputs = (cond=%a, input_0=%a, input_1=%a))" in written


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: there is no graph in this file"),
        ("  %a : [#users=1] = Node[type=A] ()\n", "line 1: the text does not begin with a graph"),
        ('graph("g"):\nhello\n', "line 2: this is no graph, no node, no element and no return"),
        ('graph("g"):\n%a : [#users=1] = Node[type=A] (what)\n', "line 2: this is no graph"),
        (
            'graph("g"):\n%a : [#users=0] = Node[type=A] (inputs = (x=%b))\n',
            "line 2: '%b' is made nowhere in graph 'g'",
        ),
        ('graph("g"):\n%a : [#users=70000] = Node[type=A] ()\n', "line 2: a node has more than 65536"),
        ('graph("g"):\n%a : [#users=0] = Node[type=A] (inputs = (_input_70000=%a))\n', "line 2: a node has more"),
        (
            'graph("g"):\n%a : [#users=1] = Node[type=A] ()\nreturn (%a)\nreturn (%a)\n',
            "line 4: graph 'g' returns twice",
        ),
        ('graph("g"):\n%r : [#users=1] = get_element[node=%a](9)\nreturn (%r)\n', "line 3: input 'a:9' of node"),
    ],
)
def test_a_broken_dump_is_refused_with_file_and_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(text)
    assert f"dump.txt, {said}" in refused.value.message


def test_a_line_of_a_million_beginnings_is_refused_at_once() -> None:
    line = "%a : [#users=1] = Node[type=" * 200_000
    with pytest.raises(InputError, match="line 2: this is no graph"):
        parse(f'graph("g"):\n{line}\n')
