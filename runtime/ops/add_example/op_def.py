"""The definition of AddExample (``add_example_def.cpp``)."""

from runtime.ops.op_def import AiCoreConfig, IoDef, OpDef
from runtime.values import DType, Format

_DTYPES = (DType.FLOAT, DType.INT32)
_FORMATS = (Format.ND, Format.ND)

ADD_EXAMPLE = OpDef(
    "AddExample",
    inputs=(IoDef("x1", _DTYPES, _FORMATS), IoDef("x2", _DTYPES, _FORMATS)),
    outputs=(IoDef("y", _DTYPES, _FORMATS),),
    aicore={"ascend910b": AiCoreConfig(dynamic_shape=True)},
)
