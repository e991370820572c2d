"""y = the elements of -(x1 + x2) in one row: five operators on four engines.

The sum runs on the AI Core and the sign is changed on the AI CPU. The shape of the sum is a value on the host (GE
itself gives it), the host's CPU multiplies its dimensions, and Reshape reads the product there: no data moves for it.
"""

import numpy as np

from getrace.bus import Bus
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, run_model
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.values import DType

EXAMPLE_INPUTS = {"x1": (2, 1024), "x2": (2, 1024)}
"""Shapes for inputs that the caller does not choose."""

AI_CPU = "aicpu_ascend_kernel"
HOST_CPU = "DNN_VM_HOST_CPU_OP_STORE"


def build() -> ComputeGraph:
    """Build the model. The engine of an operator is chosen here; GE's own placement would do it for a real model."""
    graph = GraphBuilder("mixed_engines")
    x1 = graph.data("x1", (-1, -1))
    x2 = graph.data("x2", (-1, -1))
    total = graph.op("Add", x1, x2, name="sum")
    turned = graph.op("Neg", total, name="turn", engine=AI_CPU)
    dims = graph.op("Shape", total, name="dims", outputs=[nd_desc((2,), DType.INT64)], engine=GE_LOCAL)
    length = graph.op(
        "ReduceProdD",
        dims,
        name="length",
        outputs=[nd_desc((1,), DType.INT64)],
        attrs={"axes": (0,), "keep_dims": True},
        engine=HOST_CPU,
    )
    row = graph.op("Reshape", turned, length, name="row", outputs=[nd_desc((-1,))], engine=GE_LOCAL)
    return graph.output(row).build()


def main() -> None:
    """Run the model once and print what came of it."""
    result = run_model(Model("mixed_engines", build(), EXAMPLE_INPUTS), RunOptions(), Bus(now=lambda: 0))
    x1, x2 = result.inputs.values()
    (y,) = result.outputs.values()
    equal = np.array_equal(y, -(x1 + x2).reshape(-1))
    print(f"{y.dtype}{list(y.shape)}, equal to -(x1 + x2) in one row: {equal}")
    print(f"status {result.status}, peak {result.peak_bytes} bytes, leaked {result.leaked_bytes} bytes")


if __name__ == "__main__":
    main()
