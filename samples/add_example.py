"""y = x1 + x2 with the operator AddExample: one AI Core operator, dynamic shape, two inputs.

``getrace run add_example`` runs it on the simulated device. Started by itself it prints what tiling decided.
"""

import numpy as np

from getrace.bus import Bus
from getrace.events import Event
from getrace.events.tiling import Tiling
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, run_model
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph

EXAMPLE_INPUTS = {"x1": (2, 1024), "x2": (2, 1024)}
"""Shapes for inputs that the caller does not choose."""


def build() -> ComputeGraph:
    """Build the model. Both dimensions of each input are chosen at run time."""
    graph = GraphBuilder("add_example")
    x1 = graph.data("x1", (-1, -1))
    x2 = graph.data("x2", (-1, -1))
    return graph.output(graph.op("AddExample", x1, x2, name="add")).build()


def main() -> None:
    """Run the model once and print what came of it."""
    events: list[Event] = []
    bus = Bus(now=lambda: 0)
    bus.subscribe(lambda _time, _origin, _level, _kernel, event: events.append(event))
    result = run_model(Model("add_example", build(), EXAMPLE_INPUTS), RunOptions(), bus)
    for event in events:
        if isinstance(event, Tiling):
            print(f"tiling key {event.key}, block_dim {event.block_dim}, tilingData size {event.size} bytes")
    x1, x2 = result.inputs.values()
    for name, array in result.outputs.items():
        print(f"{name}: {array.dtype}{list(array.shape)}, equal to x1 + x2: {np.array_equal(array, x1 + x2)}")
    print(f"status {result.status}, peak {result.peak_bytes} bytes, leaked {result.leaked_bytes} bytes")


if __name__ == "__main__":
    main()
