"""y = x doubled three times: a While that counts on the device.

Its condition and its body are graphs of their own. What the body gives goes round: the count and the value that it
doubles. The condition is read on the host before each round, so the stream is waited for four times.
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

ROUNDS = 3


def build() -> ComputeGraph:
    """Build the model; the count starts as a constant of the model."""
    graph = GraphBuilder("loop")
    x = graph.data("x", (-1, -1))
    count = number(graph, "start", 0)
    _, y = graph.while_([count, x], goes_on, body, name="repeat")
    return graph.output(y).build()


def goes_on(graph: GraphBuilder, inputs: Sequence[Output]) -> Sequence[Output]:
    """Write the condition: count < ROUNDS."""
    count, _ = inputs
    flag = nd_desc((), DType.BOOL)
    return [graph.op("Less", count, number(graph, "rounds", ROUNDS), name="is_left", outputs=[flag])]


def body(graph: GraphBuilder, inputs: Sequence[Output]) -> Sequence[Output]:
    """Write one round: count + 1 and x + x."""
    count, x = inputs
    return [graph.op("Add", count, number(graph, "one", 1), name="next"), graph.op("Add", x, x, name="double")]


def number(graph: GraphBuilder, name: str, value: int) -> Output:
    """Add a whole number as a constant."""
    return graph.const(name, (), np.int32(value).tobytes(), DType.INT32)


def main() -> None:
    """Run the model once and print what came of it."""
    result = run_model(Model("loop", build(), EXAMPLE_INPUTS), RunOptions(), Bus(now=lambda: 0))
    (x,), (y,) = result.inputs.values(), result.outputs.values()
    print(f"{ROUNDS} rounds: {y.dtype}{list(y.shape)}, equal to {2**ROUNDS} * x: {np.array_equal(y, 2**ROUNDS * x)}")
    print(f"status {result.status}, peak {result.peak_bytes} bytes, leaked {result.leaked_bytes} bytes")


if __name__ == "__main__":
    main()
