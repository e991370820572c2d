"""The converters this version has, as one explicit list.

Nothing is found by scanning: what is not in this list is not lowered, and the order is the one the message of a
missing converter shows.
"""

from typing import Final

from runtime.engines.aclnn.converter import convert_aclnn
from runtime.engines.aicore.converter import convert_aicore
from runtime.engines.autofuse.converter import convert_autofuse
from runtime.engines.builtin_devices import DEVICE_ENGINES
from runtime.engines.contract import Converter
from runtime.engines.control_flow.converters import OWNERS_OF_GRAPHS
from runtime.engines.custom_op.converter import convert_custom_op
from runtime.engines.ge_local.condition_calc import convert_condition_calc
from runtime.engines.ge_local.const import convert_const
from runtime.engines.ge_local.data import convert_data, convert_ref_data, convert_unfed_data
from runtime.engines.ge_local.file_constant import convert_file_constant
from runtime.engines.ge_local.identity import convert_identity
from runtime.engines.ge_local.net_output import convert_net_output
from runtime.engines.ge_local.op_tiling import convert_op_tiling
from runtime.engines.ge_local.place_holder import convert_const_place_holder
from runtime.engines.ge_local.reshape import convert_reshape
from runtime.engines.ge_local.shape_values import (
    convert_gather_shapes,
    convert_multi_batch_shape,
    convert_rank,
    convert_shape,
    convert_size,
)
from runtime.engines.ge_local.variable import convert_variable
from runtime.engines.ge_local.without_kernels import ORDERING, REFUSED, convert_to_nothing, refuse
from runtime.engines.mix_l2.converter import convert_mix_l2
from runtime.engines.registry import ConverterRegistry
from runtime.values import Placement

_RESHAPES = (
    "Reshape",
    "ExpandDims",
    "Squeeze",
    "SqueezeV2",
    "SqueezeV3",
    "Unsqueeze",
    "UnsqueezeV2",
    "UnsqueezeV3",
    "Flatten",
    "FlattenV2",
    "Bitcast",
)
_COPIES = ("Identity", "IdentityN", "ReadVariableOp", "MemcpyAsync", "MemcpyAddrAsync")


_ENGINES: Final = (
    Converter("AIcoreEngine", Placement.DEVICE_HBM, convert_aicore),
    Converter("VectorEngine", Placement.DEVICE_HBM, convert_aicore),
    Converter("AclnnLoweringFunc", Placement.DEVICE_HBM, convert_aclnn),
    Converter("kAutoFuseLoweringFunc", Placement.DEVICE_HBM, convert_autofuse),
    Converter("DNN_VM_CUSTOM_OP_STORE", Placement.DEVICE_HBM, convert_custom_op),
    *DEVICE_ENGINES,
    Converter("ffts_mix_l2_lower_func", Placement.DEVICE_HBM, convert_mix_l2),
)
_LOCAL: Final = (
    Converter("Data", None, convert_data),
    Converter("AippData", None, convert_data),
    Converter("RefData", None, convert_ref_data),
    Converter("UnfedData", None, convert_unfed_data),
    Converter("multi_batch_shape_data", None, convert_multi_batch_shape),
    Converter("Const", None, convert_const),
    Converter("ConstPlaceHolder", None, convert_const_place_holder),
    Converter("Constant", None, convert_variable),
    Converter("Variable", None, convert_variable),
    Converter("FileConstant", None, convert_file_constant),
    Converter("NetOutput", None, convert_net_output),
    *(Converter(name, None, convert_reshape) for name in _RESHAPES),
    Converter("Shape", None, convert_shape),
    Converter("ShapeN", None, convert_shape),
    Converter("Size", None, convert_size),
    Converter("Rank", None, convert_rank),
    Converter("GatherShapes", None, convert_gather_shapes),
    Converter("ConditionCalc", None, convert_condition_calc),
    Converter("OpTiling", None, convert_op_tiling),
    *(Converter(name, None, convert_identity) for name in _COPIES),
    *(Converter(name, None, convert_to_nothing) for name in ORDERING),
    *(Converter(name, None, refuse) for name in REFUSED),
)


def builtin_converters() -> ConverterRegistry:
    """Give a registry of all built-in converters (names and placements: spec/lowering.md 3)."""
    return ConverterRegistry([*_ENGINES, *_LOCAL, *OWNERS_OF_GRAPHS])
