"""Models whose kernels are made to fail one by one, with what each computes when none does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from simulated_runs import Array, const_model, floats

from runtime.api.models import load_model
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph

_SAMPLES = Path(__file__).parents[1] / "samples"


@dataclass(frozen=True, slots=True)
class Case:
    """A model, what it is fed, and what comes of it."""

    build: Callable[[], ComputeGraph]
    inputs: Sequence[Array]
    output: Array


def chain() -> ComputeGraph:
    """Three additions behind each other."""
    graph = GraphBuilder("chain")
    x, y = graph.data("x", (-1,)), graph.data("y", (-1,))
    for number in range(3):
        x = graph.op("AddExample", x, y, name=f"add_{number}")
    return graph.output(x).build()


def sample(name: str) -> ComputeGraph:
    return load_model(name, _SAMPLES).graph


CASES = {
    "chain": Case(chain, [floats(1, 2), floats(10, 20)], floats(31, 62)),
    "weights": Case(const_model, [floats(1, 2, 3, 4)], floats(1, 3, 5, 7)),
    "branch": Case(lambda: sample("conditional"), [floats(1, 2).reshape(1, 2)], floats(2, 4).reshape(1, 2)),
    "streams": Case(lambda: sample("two_streams"), [floats(1, -2).reshape(1, 2)], floats(0, 2).reshape(1, 2)),
    "loop": Case(lambda: sample("loop"), [floats(1, 2).reshape(1, 2)], floats(8, 16).reshape(1, 2)),
}
