"""Identity and IdentityN: the outputs are the inputs. GE's own engine copies them, so only shapes are needed."""

from runtime.ops.context import InferShapeContext
from runtime.ops.op_def import DYNAMIC, GRAPH_SUCCESS, IoDef, OpDef
from runtime.ops.registry import OpRegistry, impl_op_infershape, op_add
from runtime.values import DType

_TYPES = tuple(DType)


def infer_shape_identity(context: InferShapeContext) -> int:
    """Give each output the shape of the input with the same number."""
    for index in range(context.get_input_num()):
        x = context.get_input_shape(index)
        y = context.get_output_shape(index)
        y.set_dim_num(x.get_dim_num())
        for position in range(x.get_dim_num()):
            y.set_dim(position, x.get_dim(position))
    return GRAPH_SUCCESS


def register(ops: OpRegistry) -> None:
    """Enter both into a registry."""
    op_add(ops, OpDef("Identity", (IoDef("x", _TYPES),), (IoDef("y", _TYPES),)))
    op_add(ops, OpDef("IdentityN", (IoDef("x", _TYPES, param=DYNAMIC),), (IoDef("y", _TYPES, param=DYNAMIC),)))
    for name in ("Identity", "IdentityN"):
        impl_op_infershape(ops, name, infer_shape_identity)
