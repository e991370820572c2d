"""AddExample, ``y = x1 + x2``: the example of what the author of an operator delivers (seed ``10.1``).

op_def.py        the definition: inputs, outputs, types, formats, devices      OP_ADD
infer_shape.py   the shape of y                                                IMPL_OP_INFERSHAPE
tiling.py        how the work is cut into pieces                               IMPL_OP_OPTILING
tiling_data.py   what tiling tells the kernel, shared by host and device
tiling_key.py    the branches of the kernel
kernel.py        the kernel; ``add_example`` is its entry
"""

from runtime.ops.add_example.infer_shape import infer_shape_add_example
from runtime.ops.add_example.kernel import add_example
from runtime.ops.add_example.op_def import ADD_EXAMPLE
from runtime.ops.add_example.tiling import add_example_tiling_func
from runtime.ops.add_example.tiling_data import AddExampleTilingData
from runtime.ops.registry import OpRegistry, impl_op_infershape, impl_op_optiling, kernel_binary, op_add


def register(ops: OpRegistry) -> None:
    """Enter AddExample into a registry."""
    op_add(ops, ADD_EXAMPLE)
    impl_op_infershape(ops, ADD_EXAMPLE.name, infer_shape_add_example)
    impl_op_optiling(ops, ADD_EXAMPLE.name, add_example_tiling_func, AddExampleTilingData)
    kernel_binary(ops, ADD_EXAMPLE.name, add_example)
