"""A model of one stream on several: who goes where, and that the numbers stay the same."""

import json
from pathlib import Path

import pytest

from getrace.cli import main
from getrace.errors import ModelError
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.graph.stream_assign import RECV_ATTR, SEND_ATTR
from runtime.graph.stream_spread import spread
from runtime.values import DType

Capture = pytest.CaptureFixture[str]


def branches(count: int) -> ComputeGraph:
    """Chains of two operators from one input, which come together one after the other."""
    graph = GraphBuilder("branches")
    x = graph.data("x", (-1,))
    ends = []
    for number in range(count):
        first = graph.op("Relu", x, name=f"first_{number}")
        ends.append(graph.op("Neg", first, name=f"second_{number}"))
    total = ends[0]
    for number, end in enumerate(ends[1:]):
        total = graph.op("Add", total, end, name=f"sum_{number}")
    return graph.output(total).build()


def streams(graph: ComputeGraph) -> dict[str, int]:
    return {node.name: node.op.stream_id for node in graph.nodes}


def test_a_branch_stays_on_its_stream_and_sums_go_on_with_the_first() -> None:
    graph = branches(3)
    assert spread(graph) == 3
    assert streams(graph) == {
        "x": 0,
        "first_0": 0,
        "second_0": 0,
        "first_1": 1,
        "second_1": 1,
        "first_2": 2,
        "second_2": 2,
        "sum_0": 0,
        "sum_1": 0,
        "NetOutput": 0,
    }


def test_there_is_an_event_for_each_pair_on_different_streams() -> None:
    graph = branches(2)
    spread(graph)
    sent = {node.name: node.op.attrs[SEND_ATTR] for node in graph.nodes if SEND_ATTR in node.op.attrs}
    received = {node.name: node.op.attrs[RECV_ATTR] for node in graph.nodes if RECV_ATTR in node.op.attrs}
    assert sent == {"x": (0,), "second_1": (1,)}
    assert received == {"first_1": (0,), "sum_0": (1,)}


@pytest.mark.parametrize(("limit", "found"), [(1, 1), (2, 2), (8, 5)])
def test_no_more_streams_than_wanted_or_needed(limit: int, found: int) -> None:
    assert spread(branches(5), limit) == found


def test_a_chain_needs_one_stream() -> None:
    graph = branches(1)
    assert spread(graph) == 1
    assert not any(SEND_ATTR in node.op.attrs for node in graph.nodes)


def test_a_model_with_streams_of_its_own_keeps_them() -> None:
    graph = branches(2)
    for node in graph.nodes:
        node.op.stream_id = 2 * node.name.startswith("second")
    assert spread(graph) == 3
    assert streams(graph)["second_0"] == 2


def test_what_ge_runs_itself_stays_on_the_first_stream() -> None:
    graph = GraphBuilder("local")
    x = graph.data("x", (-1, -1))
    dims = graph.op("Shape", x, name="dims", outputs=[nd_desc((2,), DType.INT64)], engine=GE_LOCAL)
    model = graph.output(graph.op("Relu", x, name="a"), graph.op("Relu", x, name="b"), dims).build()
    assert spread(model) == 2
    assert streams(model)["dims"] == 0


def test_no_stream_at_all_is_refused() -> None:
    with pytest.raises(ModelError, match="0 streams are none"):
        spread(branches(1), 0)


@pytest.mark.parametrize(
    "flags", [["--multi-stream"], ["--external-allocator"], ["--multi-stream", "--external-allocator"]]
)
def test_the_numbers_of_a_run_are_the_same(flags: list[str], tmp_path: Path, capsys: Capture) -> None:
    found: list[list[dict[str, object]]] = []
    for more in ([], flags):
        root = tmp_path / f"b{len(found)}"
        assert main(["run", "mixed_engines", "--json", "--steps", "3", "--out", str(root), *more]) == 0
        data = json.loads(capsys.readouterr().out)["data"]
        assert (data["steps"], data["leaked_bytes"]) == (3, 0)
        found.append(data["outputs"])
        assert main(["check", str(root), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["data"]["unclaimed"] == 0
        assert main(["memory", str(root), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["data"]["leaks"] == []
    assert found[0] == found[1]


def test_several_streams_show_in_the_log(tmp_path: Path, capsys: Capture) -> None:
    assert main(["run", "mixed_engines", "--json", "--multi-stream", "--out", str(tmp_path / "b")]) == 0
    capsys.readouterr()
    (log,) = (tmp_path / "b" / "debug" / "plog").glob("*.log")
    text = log.read_text()
    assert text.count("from logical stream 1") == 1
    assert text.count("]Sent event ") == text.count("]Waited event ") > 0
