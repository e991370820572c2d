"""The shape of AddExample's output (``add_example_infershape.cpp``)."""

from runtime.ops.context import InferShapeContext
from runtime.ops.op_def import GRAPH_FAILED, GRAPH_SUCCESS


def infer_shape_add_example(context: InferShapeContext) -> int:
    """Give y the shape of x1.

    Inputs of two shapes are refused: the operator does not broadcast, and its kernel would read behind the shorter one.
    """
    x1, x2 = context.get_input_shape(0), context.get_input_shape(1)
    if [x1.get_dim(at) for at in range(x1.get_dim_num())] != [x2.get_dim(at) for at in range(x2.get_dim_num())]:
        return GRAPH_FAILED
    y = context.get_output_shape(0)
    y.set_dim_num(x1.get_dim_num())
    for index in range(x1.get_dim_num()):
        y.set_dim(index, x1.get_dim(index))
    return GRAPH_SUCCESS
