"""Graph dumps of the collection: each opens, and has the operators, edges and sub graphs that protobuf's parser sees.

ge_readable has no message in protobuf; its words are counted line by line instead.
"""

import gzip
import hashlib
import re
from pathlib import Path

import pytest
from ge_messages import Graph, graphs_in, graphs_of, parse_content, parse_json

from getrace.dumps.formats import read_dump

pytestmark = pytest.mark.real

REAL = {
    "03-ge_onnx_00000000_graph_1_Build.pbtxt": (1, 6, 5),
    "04-ge_onnx_00000001_graph_11_Build.pbtxt": (5, 18, 14),
    "05-ge_proto_00000000_Build.txt": (1, 6, 5),
    "06-ge_proto_00000001_Build.txt": (5, 18, 14),
    "118-ge-test-ge_proto_00046_afterUBMatch.txt": (1, 234, 249),
    "120-ge-test-ge_proto_00015_OptimizeQuantGraph_FeGraphFusionAfter.txt": (1, 465, 587),
    "25-ge_proto_00000062_Build-large.txt": (1, 170, 185),
    "26-ge_proto_00056_Build-gatherv2d.txt": (1, 5, 4),
}
"""Every graph dump of a real machine: its graphs, operators and edges."""

JSON = "122-msit-om-model.json.txt"
EVERY = {"ge_proto": 120, "ge_onnx": 4}
"""Of the reference's small dumps, one in so many is read in every run; ``long`` reads all."""


def counts(graphs: dict[str, Graph]) -> tuple[int, int, int]:
    return (
        len(graphs),
        sum(len(graph.nodes) for graph in graphs.values()),
        sum(len(graph.edges) + len(graph.control) for graph in graphs.values()),
    )


@pytest.mark.parametrize("name", REAL)
def test_a_dump_of_a_real_machine_has_what_protobuf_sees(cases: Path, name: str) -> None:
    path = cases / "real" / name
    expected = graphs_of(parse_content(path.read_bytes()))
    assert graphs_in(read_dump(path), owners="ge_proto" in name) == expected
    assert counts(expected) == REAL[name]


def test_the_json_of_atc_has_what_protobuf_sees(cases: Path) -> None:
    path = cases / "real" / JSON
    expected = graphs_of(parse_json(path.read_bytes()))
    assert graphs_in(read_dump(path)) == expected
    assert counts(expected) == (1, 19, 21)


def dumps(cases: Path, kind: str) -> list[Path]:
    """Give the dumps of the reference in a format."""
    return sorted((cases / "truth" / "dumps").glob(f"*/{kind}_*.gz"))


def differing(paths: list[Path]) -> list[str]:
    """Read dumps, one of each content; gives those that protobuf sees otherwise."""
    done: set[bytes] = set()
    wrong = []
    for path in paths:
        content = gzip.decompress(path.read_bytes())
        digest = hashlib.sha256(content).digest()
        if digest not in done:
            done.add(digest)
            if graphs_in(read_dump(path), owners=path.name.startswith("ge_proto")) != graphs_of(parse_content(content)):
                wrong.append(path.name)
    return wrong


@pytest.mark.parametrize("kind", ["ge_proto", "ge_onnx"])
def test_dumps_of_the_reference_have_what_protobuf_sees(cases: Path, kind: str) -> None:
    small = [path for path in dumps(cases, kind) if path.stat().st_size < 60_000]
    chosen = small[:: EVERY[kind]]
    assert len(chosen) >= 10
    assert differing(chosen) == []


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
def test_all_dumps_of_the_reference_have_what_protobuf_sees(cases: Path, part: int) -> None:
    paths = [*dumps(cases, "ge_proto"), *dumps(cases, "ge_onnx")]
    assert len(paths) == 2138
    assert differing(paths[part::8]) == []


_GRAPH, _NODE, _RETURN = (
    re.compile(r'^graph\("(.*)"\):$'),
    re.compile(r"^  %.* = Node\[type="),
    re.compile(r"^  return \("),
)


def readable_counts(text: str) -> dict[str, tuple[int, int]]:
    """Count the operators and data edges of each graph of a readable text; the return is an operator, too."""
    found: dict[str, tuple[int, int]] = {}
    name = ""
    for line in text.splitlines():
        graph = _GRAPH.match(line)
        if graph is not None:
            name = graph[1]
            found[name] = (0, 0)
        elif _NODE.match(line) or _RETURN.match(line):
            taken = line.partition("inputs = (")[2].partition(")")[0] if _NODE.match(line) else line
            operators, edges = found[name]
            found[name] = (operators + 1, edges + taken.count("%"))
    return found


def test_readable_dumps_have_the_operators_and_edges_of_their_lines(cases: Path) -> None:
    paths = dumps(cases, "ge_readable")
    assert len(paths) == 40
    for path in paths:
        expected = readable_counts(gzip.decompress(path.read_bytes()).decode())
        graphs = graphs_in(read_dump(path))
        assert {name: (len(graph.nodes), len(graph.edges)) for name, graph in graphs.items()} == expected, path.name
