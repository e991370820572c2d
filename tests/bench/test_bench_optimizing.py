"""Passes, sorting and priorities grow with the model, not with its square."""

from time import process_time

import pytest

from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GraphBuilder
from runtime.lowering.graph_converter import lower
from runtime.lowering.passes.optimizer import optimize
from runtime.lowering.priority import assign_priorities
from runtime.lowering.sorting import sort_graph

SMALL, LARGE, LIMIT = 500, 2_500, 9.0


def seconds(operators: int) -> float:
    graph = GraphBuilder("chain")
    x, y = graph.data("x", (-1,)), graph.data("y", (-1,))
    for index in range(operators):
        x = graph.op("AddExample", x, y, name=f"add{index}")
    root = lower(graph.output(x).build())
    start = process_time()
    optimize(root, LoweringOptions())
    sort_graph(root)
    assign_priorities(root)
    return process_time() - start


@pytest.mark.bench
def test_five_times_the_operators_take_less_than_nine_times_as_long() -> None:
    small, large = min(seconds(SMALL) for _ in range(2)), seconds(LARGE)
    print(f"{SMALL} operators: {small:.2f} s, {LARGE}: {large:.2f} s, ratio {large / small:.1f}")
    assert large / small < LIMIT
