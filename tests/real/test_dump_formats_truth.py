"""ge_onnx and ge_readable against GE's own files: five cases have them beside the ge_proto of the same stage.

What our writers make of the ge_proto snapshot is compared with GE's file, line for line. ``KNOWN`` is the whole list of
differences; each is a difference of the graphs, not of the formats.
"""

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from getrace.dumps.formats import FORMATS
from getrace.dumps.ge_onnx import read_ge_onnx, write_ge_onnx
from getrace.dumps.ge_onnx_fields import LOST, LOST_OF_DESC
from getrace.dumps.ge_proto import read_ge_proto
from getrace.dumps.ge_readable import parse_ge_readable, read_ge_readable, write_ge_readable
from getrace.dumps.owners import GUESSED, guess_owners
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotGraph, SnapshotNode

pytestmark = pytest.mark.real

CASES = (
    "TruthCtrl.if_toggle_4steps",
    "TruthCtrl.while_counts_0_1_5",
    "TruthMultiStream.diamond_3streams_4steps",
    "TruthMultiStream.two_node_3steps_sequential",
    "TruthSingleStream.chain4_5steps_vary_shape",
)

KNOWN = {
    "Node_Output": "GE adds a NetOutput to every graph without one; our snapshots do not have it (spec 9.6)",
    "NetOutput": "GE unlinks the inputs of Main's NetOutput in a dump; our snapshots have the edges (spec 9.6)",
    "sub graph": "GE writes sub graphs of a Main dumped alone into ge_readable, but not into the other formats",
}
"""Every difference between GE's files and ours, with its reason."""


def pairs(cases: Path, case: str, kind: str) -> Iterator[tuple[Path, Path]]:
    """Give GE's files of a format, each with the ge_proto file of the same stage."""
    folder = cases / "truth" / "dumps" / case
    for proto in sorted(folder.glob("ge_proto_*")):
        name = proto.name.replace("ge_proto", kind)
        yield folder / (name.replace(".txt", ".pbtxt") if kind == "ge_onnx" else name), proto


def content(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def nodes_of(text: str) -> dict[str, str]:
    """Take a ge_onnx text apart: the lines of each node by graph indent and name; sub graph nodes are left out."""
    found: dict[str, str] = {}
    for indent in ("  ", "        "):
        for node in re.findall(rf"^{indent}node \{{\n(.*?)^{indent}\}}$", text, re.MULTILINE | re.DOTALL):
            name = re.search(rf'^{indent}  name: "(.*)"$', node, re.MULTILINE)
            assert name is not None
            if f'{indent}  op_type: "subgraph"' not in node:
                found[indent + name[1]] = node
    return found


@pytest.mark.parametrize("case", CASES)
def test_ge_onnx_is_written_as_ge_writes_it(cases: Path, case: str) -> None:
    differences: Counter[str] = Counter()
    same = 0
    for theirs, proto in pairs(cases, case, "ge_onnx"):
        given, ours = nodes_of(content(theirs)), nodes_of(write_ge_onnx(read_ge_proto(proto)))
        assert ours.keys() <= given.keys()
        for name, text in given.items():
            if ours.get(name) == text:
                same += 1
            else:
                differences["Node_Output" if name.endswith("Node_Output") else name.strip()] += 1
    assert same > 150
    assert set(differences) <= KNOWN.keys()


@pytest.mark.parametrize("case", CASES)
def test_ge_onnx_is_read_as_the_same_graph_as_ge_proto(cases: Path, case: str) -> None:
    for theirs, proto in list(pairs(cases, case, "ge_onnx"))[::2]:
        ours, given = read_ge_onnx(theirs), read_ge_proto(proto)
        assert ours.stage == given.stage
        assert list(ours.graphs) == list(given.graphs)
        for name, graph in given.graphs.items():
            assert ours.graphs[name].edges == graph.edges
            assert [_told(node, given) for node in ours.graphs[name].nodes] == [
                _told(node, given) for node in graph.nodes
            ]


def _told(node: SnapshotNode, snapshot: GraphSnapshot) -> SnapshotNode:
    """Give what ge_onnx can tell of a node; owners of graphs that are not in the dump cannot be guessed."""
    attrs = {name: value for name, value in node.attrs.items() if name != GUESSED and _can_be_told(name, value)}
    return replace(node, attrs=attrs, subgraphs=tuple(name for name in node.subgraphs if name in snapshot.graphs))


def _can_be_told(name: str, value: AttrValue) -> bool:
    words = re.sub(r"^(input|output)_desc_|:\d+$", "", name)
    return name not in LOST and words not in LOST_OF_DESC and value != () and not isinstance(value, bytes)


@pytest.mark.parametrize("case", CASES)
def test_ge_readable_is_written_as_ge_writes_it(cases: Path, case: str) -> None:
    for theirs, proto in pairs(cases, case, "ge_readable"):
        given = read_ge_proto(proto)
        ours = parse_ge_readable(write_ge_readable(given).encode(), given.stage, "ours")
        graphs = {name: _without_output(graph) for name, graph in ours.graphs.items()}
        expected = read_ge_readable(theirs)
        there = {name: _without_output(graph) for name, graph in expected.graphs.items() if name in given.graphs}
        assert write_ge_readable(replace(ours, graphs=graphs)) == write_ge_readable(replace(expected, graphs=there))


def _without_output(graph: SnapshotGraph) -> SnapshotGraph:
    """Take the NetOutput of a Main graph away, whose inputs GE unlinks; that of a model is kept."""
    if not any(node.type == "OutputData" for node in graph.nodes) or graph.nodes[-1].type != "NetOutput":
        return graph
    last = len(graph.nodes) - 1
    return replace(graph, nodes=graph.nodes[:-1], edges=tuple(edge for edge in graph.edges if edge.target != last))


@pytest.mark.parametrize("case", CASES)
def test_ge_readable_is_read_and_written_again_byte_for_byte(cases: Path, case: str) -> None:
    for theirs, _ in pairs(cases, case, "ge_readable"):
        assert write_ge_readable(read_ge_readable(theirs)) == content(theirs)


def test_dumps_of_real_machines_are_read(cases: Path) -> None:
    found = {path.name[:2]: read_ge_onnx(path) for path in sorted((cases / "real").glob("0[34]-ge_onnx_*"))}
    sizes = {
        number: [(len(graph.nodes), len(graph.edges)) for graph in snapshot.graphs.values()]
        for number, snapshot in found.items()
    }
    assert sizes == {"03": [(6, 5)], "04": [(5, 5), (3, 2), (2, 1), (6, 5), (2, 1)]}
    owned = {node.name: node.subgraphs for node in found["04"].graphs[found["04"].root].nodes if node.subgraphs}
    stem = "ge_default_20230713074125_sub"
    assert owned == {
        f"{stem}_0_input_PartitionedCall_0": (f"{stem}_0_input",),
        f"{stem}_1_unknow_PartitionedCall_1": (f"{stem}_1_unknow",),
        f"{stem}_2_unknow_PartitionedCall_2": (f"{stem}_2_unknow",),
        f"{stem}_3_unknow_PartitionedCall_3": (f"{stem}_3_unknow",),
    }


def test_owners_are_guessed_right_in_the_final_graphs_of_ge(cases: Path) -> None:
    right = wrong = 0
    for path in sorted((cases / "truth" / "dumps").glob("CtrlOpST.*/ge_proto_*ExecuteGraphAfterSplit.txt.gz")):
        given = read_ge_proto(path)
        bare = {
            name: replace(graph, nodes=tuple(replace(node, subgraphs=()) for node in graph.nodes))
            for name, graph in given.graphs.items()
        }
        guessed = guess_owners(replace(given, graphs=bare))
        for name, graph in given.graphs.items():
            for node, guess in zip(graph.nodes, guessed.graphs[name].nodes, strict=True):
                right += bool(node.subgraphs) and node.subgraphs == guess.subgraphs
                wrong += node.subgraphs != guess.subgraphs
    assert (right, wrong) == (48, 0)


def test_every_difference_has_a_reason_and_every_format_is_held() -> None:
    assert {row.word for row in FORMATS} == {"ge_proto", "onnx", "readable"}
    assert all(len(reason) > 20 for reason in KNOWN.values())
