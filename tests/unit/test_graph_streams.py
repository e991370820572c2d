"""Models with control flow and several streams, as a test or a sample writes them."""

from collections import Counter
from pathlib import Path

import pytest
from truth_lowering import MODEL_STAGE, lowerings

from getrace.errors import ModelError
from runtime.frontend.from_snapshot import compute_graph_of
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.graph.stream_assign import RECV_ATTR, SEND_ATTR, assign_events
from runtime.values import DType, Shape


def events(graph: ComputeGraph) -> Counter[tuple[str, str]]:
    """Sender and receiver of each event."""
    sent = {number: node.name for node in graph.all_nodes() for number in _ids(node.op.attrs.get(SEND_ATTR))}
    received = {number: node.name for node in graph.all_nodes() for number in _ids(node.op.attrs.get(RECV_ATTR))}
    assert sent.keys() == received.keys() == set(range(len(sent)))
    return Counter((sent[number], received[number]) for number in sent)


def _ids(value: object) -> tuple[int, ...]:
    return value if isinstance(value, tuple) else ()


def test_events_come_by_producer_then_by_consumer_one_per_pair() -> None:
    g = GraphBuilder("diamond")
    exp = g.op("Exp", g.data("x", (-1,)), name="exp")
    relu, sigmoid = g.op("Relu", exp, name="relu", stream=1), g.op("Sigmoid", exp, name="sigmoid", stream=2)
    graph = g.output(g.op("Add", relu, sigmoid, name="add"), g.op("Mul", relu, relu, name="mul", stream=1)).build()
    assert assign_events(graph) == 5
    found = {node.name: (node.op.attrs.get(SEND_ATTR), node.op.attrs.get(RECV_ATTR)) for node in graph.nodes}
    assert found == {
        "x": (None, None),
        "exp": ((0, 1), None),
        "relu": ((2,), (0,)),
        "sigmoid": ((3,), (1,)),
        "add": (None, (2, 3)),
        "mul": ((4,), None),
        "NetOutput": (None, (4,)),
    }


def test_events_that_stood_on_a_model_are_replaced() -> None:
    g = GraphBuilder("m")
    graph = g.output(g.op("Relu", g.data("x", (-1,)), attrs={SEND_ATTR: (7,)})).build()
    assert assign_events(graph) == 0
    assert SEND_ATTR not in graph.node("Relu").op.attrs


@pytest.mark.real
@pytest.mark.parametrize("case", ["diamond_3streams_4steps", "random40_4streams_seed7", "parallel3x4_3steps"])
def test_events_join_the_nodes_that_ge_joins(cases: Path, case: str) -> None:
    lowering = next(lowerings(cases / "truth" / "dumps", f"TruthMultiStream.{case}"))
    graph = compute_graph_of(lowering.stage(MODEL_STAGE))
    wanted = events(graph)
    assert assign_events(graph) == wanted.total()
    assert events(graph) == wanted


def test_an_if_is_described_by_what_its_branches_agree_on() -> None:
    g = GraphBuilder("m")
    pred, x, y = g.data("pred", (), DType.BOOL), g.data("x", (2, 3)), g.data("y", (2, 4))
    same, wider = g.if_(pred, [x, y], lambda _, i: [i[0], i[0]], lambda _, i: [i[0], i[1]])
    assert (same.desc.shape, wider.desc.shape) == (Shape((2, 3)), Shape((2, -1)))
    (rank,) = g.case(
        pred, [x], lambda _, i: [i[0]], lambda b, i: [b.op("Sum", i[0], outputs=[nd_desc((2,))])], name="case"
    )
    assert rank.desc.shape == Shape((-2,))


def test_data_of_a_branch_names_the_input_it_stands_for() -> None:
    g = GraphBuilder("m")
    pred, x = g.data("pred", (), DType.BOOL), g.data("x", (2,))
    node = g.if_(pred, [x, pred], lambda _, i: [i[1]], lambda _, i: [i[1]])[0].node
    assert [graph.name for graph in node.subgraphs] == ["If_then", "If_else"]
    data = [(each.name, each.op.attrs["_parent_node_index"]) for each in node.subgraphs[0].of_type(["Data"])]
    assert data == [("data_0", 1), ("data_1", 2)]
    assert node.op.outputs[0].dtype is DType.BOOL


def test_data_of_a_loop_stand_for_the_inputs_of_the_same_number() -> None:
    g = GraphBuilder("m")
    (out,) = g.while_([g.data("x", (2,))], lambda _, i: i, lambda _, i: i)
    body = out.node.subgraphs[1]
    assert (body.name, body.node("data_0").op.attrs["_parent_node_index"]) == ("While_body", 0)


def test_branches_that_give_other_types_are_refused() -> None:
    g = GraphBuilder("m")
    pred, x = g.data("pred", (), DType.BOOL), g.data("x", (2,))
    with pytest.raises(ModelError, match="the branches of node 'choice' do not give the same outputs"):
        g.if_(pred, [x, pred], lambda _, i: [i[0]], lambda _, i: [i[1]], name="choice")
