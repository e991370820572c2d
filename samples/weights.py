"""y = relu(x * scale + shift): constants of the model that lie on the device.

Init asks for one block of memory for all constants of a model and copies them there once, so a step pays nothing for
them. ``getrace memory`` on a bundle of this run shows the block: it lives from the load to the unload.
"""

import numpy as np

from getrace.bus import Bus
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, run_model
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph

EXAMPLE_INPUTS = {"x": (512, 4)}
"""Shapes for inputs that the caller does not choose."""

SCALE = np.array([1, 2, 4, 8], np.float32)
SHIFT = np.array([0, 1, 0, -1], np.float32)


def build() -> ComputeGraph:
    """Build the model. The number of rows is chosen at run time."""
    graph = GraphBuilder("weights")
    x = graph.data("x", (-1, 4))
    scaled = graph.op("Mul", x, graph.const("scale", SCALE.shape, SCALE.tobytes()), name="scaled")
    shifted = graph.op("Add", scaled, graph.const("shift", SHIFT.shape, SHIFT.tobytes()), name="shifted")
    return graph.output(graph.op("Relu", shifted, name="cut")).build()


def main() -> None:
    """Run the model for two steps and print what came of the last."""
    result = run_model(Model("weights", build(), EXAMPLE_INPUTS), RunOptions(steps=2), Bus(now=lambda: 0))
    (x,), (y,) = result.inputs.values(), result.outputs.values()
    equal = np.array_equal(y, np.maximum(x * SCALE + SHIFT, 0))
    print(f"{result.steps} steps: {y.dtype}{list(y.shape)}, equal to relu(x * scale + shift): {equal}")
    print(f"status {result.status}, peak {result.peak_bytes} bytes, leaked {result.leaked_bytes} bytes")


if __name__ == "__main__":
    main()
