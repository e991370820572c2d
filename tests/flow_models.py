"""Small models with control flow, for tests of its lowering."""

from collections.abc import Callable, Sequence

from runtime.graph.builder import GE_LOCAL, GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.values import DType

Outputs = Sequence[Output]


def shape_of(b: GraphBuilder, inputs: Outputs) -> Outputs:
    """Give the shape of the first input, which the host computes."""
    return [b.op("Shape", inputs[0], engine=GE_LOCAL, outputs=[nd_desc((1,), DType.INT64)])]


def rank_of(b: GraphBuilder, inputs: Outputs) -> Outputs:
    """Give the rank of the first input, which the host computes."""
    return [b.op("Rank", inputs[0], engine=GE_LOCAL, outputs=[nd_desc((), DType.INT64)])]


def passed(_: GraphBuilder, inputs: Outputs) -> Outputs:
    """Give the first input as it is."""
    return [inputs[0]]


def size_is_true(b: GraphBuilder, inputs: Outputs) -> Outputs:
    """As long as the first value has elements."""
    return [b.op("Size", inputs[0], engine=GE_LOCAL, outputs=[nd_desc((), DType.INT32)])]


def if_model() -> ComputeGraph:
    """An If on one tensor: its shape, or its rank."""
    g = GraphBuilder("m")
    pred, x = g.data("pred", (), DType.BOOL), g.data("x", (-1,))
    return g.output(*g.if_(pred, [x], shape_of, rank_of, "if")).build()


def case_model() -> ComputeGraph:
    """A Case of three branches on one tensor."""
    g = GraphBuilder("m")
    index, x = g.data("index", (), DType.INT32), g.data("x", (-1,))
    return g.output(*g.case(index, [x], shape_of, rank_of, shape_of, name="case")).build()


def while_model(body: Callable[[GraphBuilder, Outputs], Outputs]) -> ComputeGraph:
    """A loop on two tensors."""
    g = GraphBuilder("m")
    x, y = g.data("x", (-1,)), g.data("y", (-1,))
    return g.output(*g.while_([x, y], size_is_true, body, "while")).build()


def swapped(_: GraphBuilder, inputs: Outputs) -> Outputs:
    """Let two values change places."""
    return [inputs[1], inputs[0]]


def kept(_: GraphBuilder, inputs: Outputs) -> Outputs:
    """Give all values as they are."""
    return inputs


def copied(b: GraphBuilder, inputs: Outputs) -> Outputs:
    """Give copies of all values, made on the device."""
    return [b.op("Identity", value, name=f"copy_{k}", engine=GE_LOCAL) for k, value in enumerate(inputs)]
