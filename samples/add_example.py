"""y = x1 + x2 with the operator AddExample: one AI Core operator, dynamic shape, two inputs."""

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


if __name__ == "__main__":
    for node in build().nodes:
        print(node.name, node.type)
