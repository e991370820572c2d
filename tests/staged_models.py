"""Models in stages: calls in a root that does nothing else."""

from collections.abc import Callable, Sequence

from runtime.graph.builder import GE_LOCAL, GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, nd_desc

Body = Callable[[GraphBuilder, Sequence[Output]], Output]


def stage(graph: GraphBuilder, name: str, inputs: Sequence[Output], body: Body, *, level: int = 0) -> Output:
    """Add a call whose graph ``body`` writes, marked as a stage."""
    inner = GraphBuilder(f"{name}_graph")
    seen = [inner.data(f"{name}_data_{index}", source.desc.shape) for index, source in enumerate(inputs)]
    for index, data in enumerate(seen):
        data.node.op.attrs["_parent_node_index"] = index
    inner_graph = inner.output(body(inner, seen)).build()
    node = graph.op(
        "PartitionedCall", *inputs, name=name, engine=GE_LOCAL, outputs=[nd_desc((-1,))], attrs={"_stage_level": level}
    )
    node.node.graph.add_subgraph(node.node, inner_graph)
    return node


def doubled(name: str) -> Body:
    """y = x + x."""
    return lambda graph, inputs: graph.op("AddExample", inputs[0], inputs[0], name=name)


def summed(name: str) -> Body:
    """y = x1 + x2."""
    return lambda graph, inputs: graph.op("AddExample", *inputs, name=name)


def two_stages() -> ComputeGraph:
    """Stage 1 doubles x, stage 2 adds x to that: 3 * x; both are outputs."""
    graph = GraphBuilder("staged")
    x = graph.data("x", (-1,))
    first = stage(graph, "first", [x], doubled("double"))
    second = stage(graph, "second", [first, x], summed("sum"), level=1)
    return graph.output(second, first).build()


def with_foreign_node() -> ComputeGraph:
    """An operator stands beside the stages."""
    graph = GraphBuilder("foreign")
    x = graph.data("x", (-1,))
    first = stage(graph, "first", [x], doubled("double"))
    return graph.output(graph.op("AddExample", first, first, name="stray")).build()
