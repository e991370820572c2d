"""y = relu(x) + neg(x), the two halves on streams of their own: a model that is lowered and drawn, not yet run.

Stream 0 computes the first half and the sum, stream 1 the second. Events keep them in order: stream 1 waits until x
is there, stream 0 waits for the second half. ``getrace lower two_streams`` and ``getrace graph two_streams`` show the
kernels that send and wait. ``getrace run two_streams`` refuses it: those kernels come with a later version.
"""

from runtime.api.lowered import lower_for_view
from runtime.api.models import Model
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
    """Lower the model and print the kernels of Main that send an event or wait for one."""
    lowered = lower_for_view(Model("two_streams", build(), EXAMPLE_INPUTS))
    graph = lowered.final.owned("Main")
    assert graph is not None
    for node in graph.nodes:
        if node.type.endswith(("SendEvents", "WaitEvents")):
            print(f"{node.type:15} {node.name}")


if __name__ == "__main__":
    main()
