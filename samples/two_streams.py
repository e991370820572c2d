"""y = relu(x) + neg(x), the two halves on streams of their own.

Stream 0 computes the first half and the sum, stream 1 the second. Events keep them in order: stream 1 waits until x
is there, stream 0 waits for the second half. The kernels that send and wait carry what the streams know of each other's
memory, too: ``getrace memory`` shows how a block wanders, is borrowed and goes home.
"""

import numpy as np

from getrace.bus import Bus
from getrace.events import Event, Level, Origin
from getrace.events.streams import EventSent, EventWaited
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, run_model
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.stream_assign import assign_events

EXAMPLE_INPUTS = {"x": (2, 1024)}
"""Shapes for inputs that the caller does not choose."""


def build() -> ComputeGraph:
    """Build the model and number the events between its streams."""
    graph = GraphBuilder("two_streams")
    x = graph.data("x", (-1, -1))
    first = graph.op("Relu", x, name="first")
    second = graph.op("Neg", x, name="second", stream=1)
    model = graph.output(graph.op("Add", first, second, name="sum")).build()
    assign_events(model)
    return model


def main() -> None:
    """Run the model, print which kernel sent or waited for which event, and what came of it."""
    lines: list[str] = []

    def note(_time: int, _origin: Origin, _level: Level, kernel: str | None, event: Event) -> None:
        if isinstance(event, EventSent | EventWaited):
            done = "sent" if isinstance(event, EventSent) else "waited for"
            lines.append(f"{kernel}: event {event.event_id} {done} on stream {event.stream}")

    bus = Bus(now=int)
    bus.subscribe(note)
    result = run_model(Model("two_streams", build(), EXAMPLE_INPUTS), RunOptions(), bus)
    print("\n".join(lines))
    (x,), (y,) = result.inputs.values(), result.outputs.values()
    print(f"status {result.status}, equal to relu(x) + neg(x): {np.array_equal(y, np.maximum(x, 0) - x)}")


if __name__ == "__main__":
    main()
