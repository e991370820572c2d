"""The shape of AddExample's output (``add_example_infershape.cpp``)."""

from runtime.ops.context import InferShapeContext


def infer_shape_add_example(context: InferShapeContext) -> int:
    """Give y the shape of x1: the operator works element by element and does not broadcast."""
    x1 = context.get_input_shape(0)
    y = context.get_output_shape(0)
    y.set_dim_num(x1.get_dim_num())
    for index in range(x1.get_dim_num()):
        y.set_dim(index, x1.get_dim(index))
    return 0
