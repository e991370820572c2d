"""y = -x where the sum of x is negative, else y = relu(x + x): an If whose condition is computed on the device.

``getrace run conditional`` runs one branch, ``getrace graph conditional -o x.svg`` draws both inside the Main graph.
Another ``--seed`` gives another x and may take the other branch. Started by itself it shows one of each.
"""

from collections.abc import Sequence

import numpy as np

from getrace.bus import Bus
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, run_model
from runtime.graph.builder import GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.values import DType

EXAMPLE_INPUTS = {"x": (2, 1024)}
"""Shapes for inputs that the caller does not choose."""


def build() -> ComputeGraph:
    """Build the model: the condition first, then the If with a graph for each answer."""
    graph = GraphBuilder("conditional")
    x = graph.data("x", (-1, -1))
    total = graph.op("ReduceSumD", x, name="total", outputs=[nd_desc(())], attrs={"axes": (0, 1)})
    zero = graph.const("zero", (), np.float32(0).tobytes())
    is_negative = graph.op("Less", total, zero, name="is_negative", outputs=[nd_desc((), DType.BOOL)])
    return graph.output(*graph.if_(is_negative, [x], turned, doubled, name="choose")).build()


def turned(graph: GraphBuilder, inputs: Sequence[Output]) -> Sequence[Output]:
    """Write the branch for a negative sum: one operator."""
    return [graph.op("Neg", inputs[0], name="turn")]


def doubled(graph: GraphBuilder, inputs: Sequence[Output]) -> Sequence[Output]:
    """Write the branch for any other sum: two operators, and memory between them that only this branch needs."""
    twice = graph.op("Add", inputs[0], inputs[0], name="double")
    return [graph.op("Relu", twice, name="cut")]


def main() -> None:
    """Run the model with two seeds and print which branch the values say was taken."""
    for seed in (0, 3):
        result = run_model(Model("conditional", build(), EXAMPLE_INPUTS), RunOptions(seed=seed), Bus(now=lambda: 0))
        (x,), (y,) = result.inputs.values(), result.outputs.values()
        for name, expected in (("-x", -x), ("relu(x + x)", np.maximum(x + x, 0))):
            if np.array_equal(y, expected):
                print(f"seed {seed}: the sum of x is {'negative' if x.sum() < 0 else 'not negative'}, y = {name}")
        print(f"status {result.status}, peak {result.peak_bytes} bytes, leaked {result.leaked_bytes} bytes")


if __name__ == "__main__":
    main()
