"""The ge_proto format: reading GE's dumps, writing ours, and what it says about broken files."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from getrace.dumps.dump_file import stage_of
from getrace.dumps.ge_proto import (
    ge_proto_file_name,
    parse_ge_proto,
    read_ge_proto,
    write_ge_proto,
)
from getrace.dumps.snapshot import CONTROL, AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.dumps.text_proto import MAX_DEPTH
from getrace.errors import InputError

DUMP = r"""graph {
  name: "ROOT"
  op {
    name: "Main_1"
    type: "Main"
    id: 0
    subgraph_name: "Main_2"
  }
  op {
    name: "Node_Output"
    type: "NetOutput"
    attr {
      key: "_inner_net_output"
      value {
        b: true
      }
    }
    id: 1
  }
}
graph {
  name: "Main_2"
  input: "Data_3:0"
  op {
    name: "Data_3"
    type: "Data"
    attr {
      key: "index"
      value {
        i: -1
      }
    }
    output_desc {
      dtype: DT_INT64
      shape {
        dim: -1
        dim: 4
      }
      layout: "ND"
      attr {
        key: "origin_format"
        value {
          s: "ND"
        }
      }
      attr {
        key: "RefFromIndex"
        value {
          i: 2
        }
      }
      device_type: "NPU"
    }
  }
  op {
    name: "Const_4"
    type: "Const"
    attr {
      key: "value"
      value {
        bt: "\001\000a\"\n\377"
      }
    }
    id: 1
    output_desc {
      dtype: DT_FLOAT
    }
  }
  op {
    name: "OutputData_5"
    type: "OutputData"
    id: 2
    output_desc {
      dtype: DT_FLOAT
    }
    output_desc {
      dtype: DT_FLOAT
    }
  }
  op {
    name: "NetOutput"
    type: "NetOutput"
    input: ""
    input: "OutputData_5:1"
    input: "Const_4:-1"
    input: "Const_4:-1"
    id: 3
  }
}
attr {
  key: "stream_num"
  value {
    i: 0
  }
}
"""


def parse(text: str) -> GraphSnapshot:
    return parse_ge_proto(text.encode(), "S", "dump.txt")


def main_of(text: str) -> SnapshotGraph:
    graph = parse(text).owned("Main")
    assert graph is not None
    return graph


def test_the_net_output_that_ge_adds_to_its_dump_is_not_part_of_the_graph() -> None:
    assert [node.name for node in parse(DUMP).graphs["ROOT"].nodes] == ["Main_1"]


def test_the_output_that_ge_unlinks_in_its_dump_is_linked_again() -> None:
    assert main_of(DUMP).edges == (
        SnapshotEdge(2, 0, 3, 0),
        SnapshotEdge(2, 1, 3, 1),
        SnapshotEdge(1, CONTROL, 3, CONTROL),
        SnapshotEdge(1, CONTROL, 3, CONTROL),
    )


def test_the_owner_of_a_sub_graph_is_taken_from_its_node() -> None:
    snapshot = parse(DUMP)
    assert snapshot.root == "ROOT"
    assert snapshot.graphs["ROOT"].nodes[0].subgraphs == ("Main_2",)


def test_bytes_keep_every_value_through_their_escapes() -> None:
    assert main_of(DUMP).nodes[1].attrs == {"value": b'\x01\x00a"\n\xff'}


def test_a_descriptor_becomes_attributes_where_it_differs_from_the_default() -> None:
    assert main_of(DUMP).nodes[0].attrs == {
        "index": -1,
        "output_desc_dtype:0": "DT_INT64",
        "output_desc_shape:0": (-1, 4),
        "output_desc_RefFromIndex:0": 2,
    }


def test_what_was_read_is_written_and_read_again() -> None:
    snapshot = parse(DUMP)
    assert parse(write_ge_proto(snapshot)) == snapshot


def test_a_written_dump_has_the_lines_that_ge_writes() -> None:
    node = SnapshotNode(0, "A_1", "A", 1, 0, {"ReleaseResourceIndex": 0})
    written = write_ge_proto(GraphSnapshot("S", "g", {"g": SnapshotGraph("g", (node,), ())}))
    assert written.splitlines()[:13] == [
        "graph {",
        '  name: "g"',
        "  op {",
        '    name: "A_1"',
        '    type: "A"',
        '    input: ""',
        "    attr {",
        '      key: "ReleaseResourceIndex"',
        "      value {",
        "        i: 0",
        "      }",
        "    }",
        "    has_out_attr: true",
    ]


ATTRS: list[AttrValue] = [
    0,
    -(1 << 63),
    True,
    0.5,
    float("inf"),
    "",
    'tab\t "quote" \\ ümlaut',
    b"\x00\xff7",
    (),
    (1, 2),
    ("a", "b"),
    (True, False),
    (b"\x01", b""),
    ((1, -1), (2,)),
    ((0.5, 1.5),),
    ((), ()),
    (("a", "b", "c"), ("d",)),
    (("func", (("name", "f"), ("attr", ()))),),
]


@pytest.mark.parametrize("value", ATTRS, ids=repr)
def test_every_kind_of_attribute_survives(value: AttrValue) -> None:
    node = SnapshotNode(0, "n", "T", attrs={"k": value})
    snapshot = GraphSnapshot("S", "g", {"g": SnapshotGraph("g", (node,), ())})
    again = parse(write_ge_proto(snapshot))
    assert again == snapshot
    assert type(again.graphs["g"].nodes[0].attrs["k"]) is type(value)


scalars = st.integers() | st.booleans() | st.text(st.characters(exclude_categories=["Cs"])) | st.binary()
values = scalars | st.lists(scalars, max_size=4).map(tuple)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda name: not name.endswith(":-1"))


@st.composite
def snapshots(draw: st.DrawFn) -> GraphSnapshot:
    called = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    nodes = tuple(
        SnapshotNode(
            position,
            name,
            draw(st.sampled_from(["Const", "Data", "Kernel"])),
            draw(st.integers(0, 2)),
            draw(st.integers(0, 2)),
            draw(st.dictionaries(names, values, max_size=2)),
        )
        for position, name in enumerate(called)
    )
    outputs = [(node.id, output) for node in nodes for output in range(node.outputs)]
    data = []
    for node in nodes:
        for slot in range(node.inputs if outputs else 0):
            if draw(st.booleans()):
                source, output = draw(st.sampled_from(outputs))
                data.append(SnapshotEdge(source, output, node.id, slot))
    control = [SnapshotEdge(node.id - 1, CONTROL, node.id, CONTROL) for node in nodes[1:] if draw(st.booleans())]
    return GraphSnapshot("S", "root", {"root": SnapshotGraph("root", nodes, (*data, *control))})


@given(snapshots())
@settings(max_examples=60, deadline=None)
def test_any_snapshot_is_read_as_it_was_written(snapshot: GraphSnapshot) -> None:
    assert parse(write_ge_proto(snapshot)) == snapshot


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('graph {\n  name: "g"\n', 2, "the text ends inside 'graph', which starts on line 1"),
        ("}\n", 1, "a closing brace without an open message"),
        ('graph {\n  name: "g\n}\n', 2, "'name' is not a quoted text"),
        ('graph {\n  name: "g\\"\n}\n', 2, "'name' is not a quoted text"),
        ("graph {\n  what is this\n}\n", 2, "'what is this' is not a field"),
        ("1graph {\n}\n", 1, "'1graph {' opens no message"),
        ("x {\n" * (MAX_DEPTH + 1), MAX_DEPTH + 1, f"messages are nested more than {MAX_DEPTH} deep"),
        ('attr {\n  key: "k"\n}\n', 1, "there is no graph in this file"),
        ("", 1, "there is no graph in this file"),
        ('graph {\n  name: "g"\n}\ngraph {\n  name: "g"\n}\n', 1, "two graphs are named 'g'"),
        ('graph {\n  op {\n    name: "a"\n  }\n  op {\n    name: "a"\n  }\n}\n', 5, "two nodes named 'a'"),
        ('graph {\n  op {\n    name: "a"\n    input: "b:0"\n  }\n}\n', 4, "input 'b:0' of node 'a'"),
        ('graph {\n  op {\n    name: "a"\n    input: "a:7"\n  }\n}\n', 4, "input 'a:7' of node 'a'"),
        ('graph {\n  op {\n    name: "a"\n    input: "b:-1"\n  }\n}\n', 4, "control input 'b:-1' of node 'a'"),
        ("graph {\n  op {\n    attr {\n      value {\n        i: x\n      }\n    }\n  }\n}\n", 5, "'i' is not a whole"),
        ("graph {\n  op {\n    attr {\n      value {\n      }\n    }\n  }\n}\n", 3, "an attribute has no key"),
        ("graph {\n  op: 3\n}\n", 2, "'op' is not a message"),
    ],
)
def test_a_broken_dump_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert caught.value.message.startswith(f"dump.txt, line {line}: ")
    assert words in caught.value.message


@given(st.integers(0, len(DUMP)), st.binary(max_size=6))
@settings(max_examples=150, deadline=None)
def test_a_cut_or_scratched_dump_is_read_or_refused_and_nothing_else(cut: int, scratch: bytes) -> None:
    raw = DUMP.encode()
    for content in (raw[:cut], raw[:cut] + scratch + raw[cut:], gzip.compress(raw, mtime=0)[:cut]):
        try:
            parse_ge_proto(content, "S", "dump.txt")
        except InputError:
            continue


def test_a_dump_as_deep_as_the_limit_is_read() -> None:
    depth = MAX_DEPTH - 1
    assert parse("graph {\n" + "x {\n" * depth + "}\n" * depth + "}\n").graphs.keys() == {""}


def test_a_million_open_braces_cost_no_stack() -> None:
    with pytest.raises(InputError, match="nested more than"):
        parse("x {\n" * 1_000_000)


def test_a_file_is_read_plain_or_packed_and_its_name_gives_the_stage(tmp_path: Path) -> None:
    plain = tmp_path / "ge_proto_00000004_graph_0_AfterCEM.txt"
    plain.write_text(DUMP)
    packed = tmp_path / "ge_proto_00000004_graph_0_AfterCEM.txt.gz"
    packed.write_bytes(gzip.compress(DUMP.encode()))
    assert read_ge_proto(plain) == read_ge_proto(packed)
    assert read_ge_proto(plain).stage == "AfterCEM"


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.txt"):
        read_ge_proto(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("ge_proto_00000002_graph_0_ExeGraphBeforeOptimize.txt.gz", "ExeGraphBeforeOptimize"),
        ("ge_proto_00000000_aclop_graph_3_Build.txt", "Build"),
        ("notes.txt", ""),
    ],
)
def test_the_stage_is_read_from_the_file_name(name: str, stage: str) -> None:
    assert stage_of(name) == stage


def test_a_file_name_is_the_one_ge_gives() -> None:
    snapshot = GraphSnapshot("After/CEM", "g", {})
    assert ge_proto_file_name(4, snapshot) == "ge_proto_00000004_graph_0_After_CEM.txt"


@pytest.mark.real
def test_dumps_of_the_case_collection_are_read_and_survive_being_written(cases: Path) -> None:
    dumps = sorted((cases / "truth" / "dumps").glob("*/ge_proto_*"))
    paths = [path for path in dumps if path.stat().st_size < 20_000][::40]
    assert len(paths) >= 40
    for path in paths:
        snapshot = read_ge_proto(path)
        again = parse_ge_proto(write_ge_proto(snapshot).encode(), snapshot.stage, path.name)
        assert again == snapshot, path.name


def test_fields_of_an_operator_that_say_something_of_their_own_become_attributes_and_fields_again() -> None:
    op = '  op {\n    name: "a"\n    type: "Add"\n    stream_id: 3\n    workspace_bytes: 4096\n    workspace_bytes: 0\n'
    text = 'graph {\n  name: "g"\n' + op + "    is_input_const: false\n    id: 7\n  }\n}\n"
    snapshot = parse(text)
    assert snapshot.graphs["g"].nodes[0].attrs == {"stream_id": 3, "workspace_bytes": (4096, 0)}
    written = write_ge_proto(snapshot)
    assert "    stream_id: 3\n    workspace_bytes: 4096\n    workspace_bytes: 0\n" in written
    assert "attr {" not in written
    assert parse(written) == snapshot


@pytest.mark.parametrize("value", [0, "main", (3,), True])
def test_an_attribute_that_cannot_be_the_field_of_its_name_stays_an_attribute(value: AttrValue) -> None:
    node = SnapshotNode(0, "a", "Add", attrs={"stream_id": value})
    snapshot = GraphSnapshot("S", "g", {"g": SnapshotGraph("g", (node,), ())})
    assert parse(write_ge_proto(snapshot)) == snapshot


def test_a_mark_that_an_editor_put_in_front_is_no_part_of_the_text() -> None:
    marked = parse_ge_proto(b"\xef\xbb\xbf" + DUMP.encode(), "S", "dump.txt")
    assert marked == parse_ge_proto(DUMP.encode(), "S", "dump.txt")
