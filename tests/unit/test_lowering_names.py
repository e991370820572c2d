"""Names of graphs over a whole model: the builder makes them unique, and whoever builds around it is refused."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from getrace.dumps.ge_proto import parse_ge_proto, write_ge_proto
from getrace.errors import ModelError
from runtime.frontend.from_snapshot import compute_graph_of
from runtime.graph.builder import GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.graph.to_snapshot import snapshot_of
from runtime.lowering.model_check import check_model
from runtime.lowering.pipeline import lower_model
from runtime.values import DType


def scalar(graph: GraphBuilder, name: str, value: int) -> Output:
    return graph.const(name, (), np.int32(value).tobytes(), DType.INT32)


def less_than_three(graph: GraphBuilder, inputs: Sequence[Output]) -> list[Output]:
    return [graph.op("Less", inputs[0], scalar(graph, "three", 3), outputs=[nd_desc((), DType.BOOL)])]


def one_more(graph: GraphBuilder, inputs: Sequence[Output]) -> list[Output]:
    return [graph.op("Add", inputs[0], scalar(graph, "one", 1)), graph.op("Neg", inputs[1])]


def looping(graph: GraphBuilder, inputs: Sequence[Output]) -> list[Output]:
    """One body for both branches: a loop whose graphs have the same names wherever it is written."""
    return [graph.while_([scalar(graph, "zero", 0), inputs[0]], less_than_three, one_more, name="loop")[1]]


def one_body_twice() -> ComputeGraph:
    graph = GraphBuilder("model")
    condition, x = graph.data("condition", (), DType.BOOL), graph.data("x", (-1,))
    return graph.output(*graph.if_(condition, [x], looping, looping, name="choose")).build()


def if_below_if() -> ComputeGraph:
    def inner(graph: GraphBuilder, inputs: Sequence[Output]) -> Sequence[Output]:
        return graph.if_(
            scalar(graph, "yes", 1), inputs, lambda g, i: [g.op("Neg", i[0])], lambda g, i: [g.op("Relu", i[0])]
        )

    graph = GraphBuilder("model")
    condition, x = graph.data("condition", (), DType.BOOL), graph.data("x", (-1,))
    return graph.output(*graph.if_(condition, [x], inner, inner)).build()


@pytest.mark.parametrize(
    ("build", "names"),
    [
        (
            one_body_twice,
            [
                "model",
                *("choose_then", "loop_cond", "loop_body"),
                *("choose_else", "choose_else_loop_cond", "choose_else_loop_body"),
            ],
        ),
        (
            if_below_if,
            [
                "model",
                *("If_then", "If_then_If_then", "If_else"),
                *("model_If_else", "model_If_else_If_then", "If_else_If_else"),
            ],
        ),
    ],
)
def test_a_body_that_is_written_twice_gets_names_of_its_own(
    build: Callable[[], ComputeGraph], names: list[str]
) -> None:
    assert [graph.name for graph in build().all_graphs()] == names


@pytest.mark.parametrize("build", [one_body_twice, if_below_if])
def test_what_lowers_can_be_read_back_from_its_own_dump(build: Callable[[], ComputeGraph]) -> None:
    graph = build()
    lower_model(graph)
    text = write_ge_proto(snapshot_of(graph, "ComputeGraphBeforeLowering"))
    back = compute_graph_of(parse_ge_proto(text.encode(), "ComputeGraphBeforeLowering", "dump"))
    assert [each.name for each in back.all_graphs()] == [each.name for each in graph.all_graphs()]
    lower_model(back)


def branch(name: str, below: ComputeGraph | None = None) -> ComputeGraph:
    graph = GraphBuilder(name)
    x = graph.data("x", (-1,))
    built = graph.output(graph.op("Neg", x)).build()
    if below is not None:
        built.add_subgraph(built.node("Neg"), below)
    return built


def test_a_graph_whose_inner_graph_has_a_name_of_the_model_is_refused() -> None:
    model = branch("model", branch("shared"))
    with pytest.raises(ModelError, match="two graphs of the model are named 'shared'"):
        model.add_subgraph(model.node("Neg"), branch("other", branch("shared")))


def test_names_that_were_made_alike_later_are_refused_before_lowering_and_both_owners_named() -> None:
    model = branch("model", branch("first", branch("second")))
    model.node("Neg").subgraphs[0].node("Neg").subgraphs[0].name = "model"
    with pytest.raises(ModelError, match="named 'model': the model itself and one of node 'Neg'"):
        check_model(model)
