"""The ge_onnx format: reading GE's dumps, writing ours, and what it says about broken files."""

import gzip
from pathlib import Path

import pytest
from dump_graphs import execute_graph

from getrace.dumps.ge_onnx import parse_ge_onnx, read_ge_onnx, write_ge_onnx
from getrace.dumps.level import Level
from getrace.dumps.owners import GUESSED
from getrace.dumps.snapshot import CONTROL, AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.errors import InputError

DUMP = r"""ir_version: 6
producer_name: "GE"
graph {
  node {
    output: "Init_0:0"
    name: "Init_0"
    op_type: "ge:Init"
    attribute {
      name: "output_desc_nums"
      i: 2
      type: INT
    }
  }
  node {
    input: "Init_0:0"
    input: ""
    input: "Init_0:-1"
    name: "Main_28"
    op_type: "ge:Main"
    attribute {
      name: "id"
      i: 9
      type: INT
    }
    attribute {
      name: "input_desc_attr_shape_range:0_0"
      ints: 1
      ints: 100
      type: INTS
    }
    attribute {
      name: "input_desc_attr_shape_range:0_1"
      ints: 2
      ints: -1
      type: INTS
    }
    attribute {
      name: "input_desc_dtype:1"
      s: "DT_BFLOAT16"
      type: STRING
    }
    attribute {
      name: "input_desc_nums"
      i: 2
      type: INT
    }
    attribute {
      name: "input_desc_origin_layout:1"
      s: "NCHW"
      type: STRING
    }
    attribute {
      name: "input_desc_size:1"
      type: INT
    }
    attribute {
      name: "is_input_const"
      ints: 0
      ints: 1
      type: INTS
    }
    attribute {
      name: "is_input_const"
      ints: 0
      ints: 1
      type: INTS
    }
    attribute {
      name: "scale"
      f: 0.5
      type: FLOAT
    }
    attribute {
      name: "stream_id"
      i: 3
      type: INT
    }
    attribute {
      name: "workspace_bytes"
      type: INTS
    }
  }
  node {
    name: "Node_Output"
    op_type: "ge:NetOutput"
    attribute {
      name: "_inner_net_output"
      i: 1
      type: INT
    }
  }
  node {
    name: "Main_30"
    op_type: "subgraph"
    attribute {
      name: "graph"
      g {
        node {
          name: "Data_33"
          op_type: "ge:Data"
        }
        name: "Main_30"
        input {
          name: "Data_33"
        }
      }
      type: GRAPH
    }
  }
  name: "ROOT"
}
"""


def parse(text: str) -> GraphSnapshot:
    return parse_ge_onnx(text.encode(), "S", "dump.pbtxt")


def one(node: SnapshotNode) -> GraphSnapshot:
    return GraphSnapshot("S", "g", {"g": SnapshotGraph("g", (node,), ())})


def test_nodes_and_edges_are_read_and_the_node_that_ge_adds_is_not() -> None:
    root = parse(DUMP).graphs["ROOT"]
    assert [(node.name, node.type, node.inputs, node.outputs, node.topo_id) for node in root.nodes] == [
        ("Init_0", "Init", 0, 2, 0),
        ("Main_28", "Main", 2, 0, 9),
    ]
    assert root.edges == (SnapshotEdge(0, 0, 1, 0), SnapshotEdge(0, CONTROL, 1, CONTROL))


def test_attributes_are_those_that_ge_proto_would_give() -> None:
    assert parse(DUMP).graphs["ROOT"].nodes[1].attrs == {
        "input_desc_shape_range:0": ((1, 100), (2, -1)),
        "input_desc_dtype:1": "DT_BF16",
        "input_desc_origin_format:1": "NCHW",
        "is_input_const": (False, True),
        "scale": 0.5,
        "stream_id": 3,
        GUESSED: True,
    }


def test_a_sub_graph_is_a_graph_and_its_owner_is_guessed_from_its_name() -> None:
    snapshot = parse(DUMP)
    assert list(snapshot.graphs) == ["ROOT", "Main_30"]
    assert snapshot.graphs["ROOT"].nodes[1].subgraphs == ("Main_30",)
    assert [node.name for node in snapshot.graphs["Main_30"].nodes] == ["Data_33"]


def test_twenty_descriptors_are_json_texts_and_read_the_same() -> None:
    attrs: dict[str, AttrValue] = {"output_desc_shape:19": (2, 3), "output_desc_RefFromNode:3": "a"}
    snapshot = one(SnapshotNode(0, "a", "Init", 0, 20, attrs))
    written = write_ge_onnx(snapshot)
    assert 'name: "output_desc_19"' in written
    assert r'\"shape\":[2,3],\"size\":0,\"weight_size\":0}"' in written
    assert "output_desc_shape:19" not in written
    assert parse(written) == snapshot


def test_what_is_written_is_the_text_of_ge() -> None:
    written = write_ge_onnx(execute_graph())
    assert written.startswith('ir_version: 6\nproducer_name: "GE"\ngraph {\n  node {\n    output: "Init_0:0"\n')
    assert '    name: "Main_30"\n    op_type: "subgraph"\n    attribute {\n      name: "graph"\n      g {\n' in written
    assert (
        '          input: "Split_a_35:1"\n          input: "If_if_40:-1"\n          name: "Free_a_60"\n'
        '          op_type: "ge:Free"\n'
    ) in written
    assert written.endswith('      type: GRAPH\n    }\n  }\n  name: "ROOT"\n}\n')


def test_owners_come_back_from_their_names_and_say_that_they_were_guessed() -> None:
    main = parse(write_ge_onnx(execute_graph())).graphs["Main_30"]
    assert main.nodes[2].subgraphs == ("CondGraph_if_42", "then_graph_if_50")
    assert main.nodes[2].attrs == {GUESSED: True}


def test_a_guess_is_not_written_into_a_dump() -> None:
    assert GUESSED not in write_ge_onnx(parse(DUMP))


@pytest.mark.parametrize(
    ("level", "there"),
    [
        (Level.ALL, {"number": True, "text": True, "id": True}),
        (Level.NO_DATA, {"number": True, "text": False, "id": True}),
        (Level.STRUCTURE, {"number": False, "text": False, "id": False}),
    ],
)
def test_each_level_says_less(level: Level, there: dict[str, bool]) -> None:
    written = write_ge_onnx(one(SnapshotNode(0, "a", "Add", attrs={"number": 1, "text": "t"})), level)
    assert {name: f'name: "{name}"' in written for name in there} == there


@pytest.mark.parametrize(
    "value",
    [b"bytes", (), (1, "mixed"), ((("a", 1),)), ((1, 2), (3,))],
    ids=["bytes", "nothing", "mixed", "message", "rows"],
)
def test_what_the_format_has_no_place_for_is_left_out(value: AttrValue) -> None:
    written = write_ge_onnx(one(SnapshotNode(0, "a", "Add", attrs={"odd": value})))
    assert "odd" not in written
    assert parse(written) == one(SnapshotNode(0, "a", "Add"))


def test_a_tensor_is_described_without_its_data() -> None:
    desc: AttrValue = (("dtype", "DT_INT32"), ("shape", (("dim", 4), ("dim", 2))), ("layout", "ND"))
    tensor: AttrValue = (("t", (("desc", desc), ("data", b"\x00"))),)
    written = write_ge_onnx(one(SnapshotNode(0, "c", "Const", attrs={"value": tensor})))
    assert parse(written).graphs["g"].nodes[0].attrs == {
        "value_desc_device_type": "NPU",
        "value_desc_dtype": "DT_INT32",
        "value_desc_layout": "ND",
        "value_desc_shape": (4, 2),
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('input: "Init_0:0"', 'input: "Init_9:0"', "names no output of the graph"),
        ('input: "Init_0:-1"', 'input: "Init_9:-1"', "names no node of the graph"),
        ("i: 9", "i: nine", "line 22: 'i' is not a whole number"),
        ("f: 0.5", "f: half", "'f' is not a number"),
        ("i: 2\n      type: INT", "i: 65537\n      type: INT", "more than 65536 inputs or outputs"),
        ('name: "Main_28"', 'name: "Init_0"', "two nodes named 'Init_0'"),
        ('        name: "Main_30"', '        name: "ROOT"', "two graphs are named 'ROOT'"),
        ('  name: "ROOT"\n}\n', "", "the text ends inside 'graph'"),
        ("graph {\n", "craph {\n", "there is no graph in this file"),
        ("input_desc_dtype:1", "input_desc_1", "'input_desc_1' is no JSON object"),
    ],
)
def test_a_broken_dump_is_refused_with_file_and_line(old: str, new: str, said: str) -> None:
    assert old in DUMP
    with pytest.raises(InputError) as refused:
        parse(DUMP.replace(old, new))
    assert said in refused.value.message
    assert refused.value.message.startswith("dump.pbtxt, line ")
    assert refused.value.hint == "the file is cut or is not a ge_onnx dump"


def test_deeply_nested_json_is_refused() -> None:
    text = DUMP.replace("input_desc_dtype:1", "input_desc_1").replace('"DT_BFLOAT16"', '"' + "[" * 100_000 + '"')
    with pytest.raises(InputError, match="no JSON object"):
        parse(text)


def test_a_file_is_read_plain_or_packed(tmp_path: Path) -> None:
    plain = tmp_path / "ge_onnx_00000004_graph_0_AfterCEM.pbtxt"
    plain.write_text(DUMP)
    packed = tmp_path / "ge_onnx_00000004_graph_0_AfterCEM.pbtxt.gz"
    packed.write_bytes(gzip.compress(DUMP.encode()))
    assert read_ge_onnx(plain) == read_ge_onnx(packed)
    assert read_ge_onnx(plain).stage == "AfterCEM"
