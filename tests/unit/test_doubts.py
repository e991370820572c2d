"""Graphs that are drawn although something is odd: each oddity is a sentence that names node and graph."""

import json
from pathlib import Path

import pytest

from getrace.cli import main
from getrace.dumps.doubts import doubts_of
from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode

Capture = pytest.CaptureFixture[str]


def snapshot(**owned: tuple[str, ...]) -> GraphSnapshot:
    """Give graphs by name; each has one node for each graph that it owns."""
    graphs = {
        name: SnapshotGraph(
            name, tuple(SnapshotNode(at, f"n{at}", "If", 0, 0, {}, (inner,)) for at, inner in enumerate(inners)), ()
        )
        for name, inners in owned.items()
    }
    return GraphSnapshot("", next(iter(owned)), graphs)


TABLE: dict[str, tuple[GraphSnapshot, list[str]]] = {
    "nothing odd": (snapshot(a=("b", "c"), b=("d",), c=("d",), d=()), []),
    "missing": (snapshot(a=("gone",)), ["node 'n0' of graph 'a' owns graph 'gone', which is not in the file"]),
    "itself": (snapshot(a=("a",)), ["node 'n0' of graph 'a' owns graph 'a', which it lies in itself"]),
    "a circle": (
        snapshot(a=("b",), b=("c",), c=("b",)),
        ["node 'n0' of graph 'c' owns graph 'b', which it lies in itself"],
    ),
    "a circle that the root does not reach": (
        snapshot(a=(), b=("c",), c=("b",)),
        ["node 'n0' of graph 'c' owns graph 'b', which it lies in itself"],
    ),
}


@pytest.mark.parametrize("name", TABLE)
def test_what_is_odd_is_named(name: str) -> None:
    given, said = TABLE[name]
    assert doubts_of(given) == said


def test_of_many_missing_graphs_few_are_named_and_the_rest_counted() -> None:
    said = doubts_of(snapshot(a=tuple(f"g{at}" for at in range(8))))
    assert len(said) == 6
    assert said[-1] == "and 3 more sub graphs that are not in the file"


def test_ten_thousand_graphs_inside_each_other_cost_no_stack() -> None:
    owned = {f"g{at}": (f"g{at + 1}",) for at in range(10_000)}
    assert doubts_of(snapshot(**owned, g10000=("g0",))) == [
        "node 'n0' of graph 'g10000' owns graph 'g0', which it lies in itself"
    ]


def test_graph_draws_a_dump_with_a_missing_graph_and_warns(tmp_path: Path, capsys: Capture) -> None:
    dump, out = tmp_path / "g.txt", tmp_path / "g.dot"
    dump.write_text('graph {\n  name: "g"\n  op {\n    name: "a"\n    type: "If"\n    subgraph_name: "gone"\n  }\n}\n')
    assert main(["graph", str(dump), "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["warnings"] == ["node 'a' of graph 'g' owns graph 'gone', which is not in the file"]
    assert "not in this dump" in out.read_text()
