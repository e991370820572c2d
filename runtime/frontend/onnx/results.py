"""What is known of the results of an operator of Ascend before it runs: types, and some shapes.

GE has a function per operator for this; the model's own words, where it has any, say the rest. A shape that is not
known has an open rank, and the runtime infers it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from getrace.dumps.snapshot import AttrValue
from runtime.graph.compute_graph import TensorDesc, nd_desc
from runtime.values import UNKNOWN_DIM, UNKNOWN_RANK, DType, Shape

OPEN: Final = Shape((UNKNOWN_RANK,))

# fmt: off
_SAME_SHAPE: Final = frozenset({
    "Abs", "Acos", "Acosh", "Adds", "Asin", "Asinh", "Atan", "Atanh", "Cast", "CastLike", "Ceil", "Celu",
    "ClipByValue", "Cos", "Cosh", "Cumsum", "Elu", "Erf", "Exp", "Floor", "HardMax", "HardSigmoid", "HardSwish",
    "Identity", "Invert", "IsInf", "IsNan", "LayerNorm", "LeakyRelu", "Log", "LogSoftmaxV2", "LogicalNot", "Mish",
    "Muls", "Neg", "PRelu", "Reciprocal", "Relu", "Round", "Rsqrt", "Selu", "Shrink", "Sigmoid", "Sign", "Sin",
    "Sinh", "SoftmaxV2", "Softplus", "Softsign", "Sqrt", "Square", "Tan", "Tanh", "TensorMove", "Threshold", "Trilu",
    "ZerosLike",
})
_BROADCAST: Final = frozenset({
    "AccumulateNV2", "Add", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Equal", "Greater", "GreaterEqual",
    "LeftShift", "Less", "LessEqual", "LogicalAnd", "LogicalOr", "Maximum", "Minimum", "Mod", "Mul", "Pow",
    "RealDiv", "RightShift", "SelectV2", "Sub",
})
# fmt: on
_TYPES: Final[Mapping[str, DType]] = {
    **dict.fromkeys(
        (
            "Equal",
            "Greater",
            "GreaterEqual",
            "IsInf",
            "IsNan",
            "Less",
            "LessEqual",
            "LogicalAnd",
            "LogicalNot",
            "LogicalOr",
        ),
        DType.BOOL,
    ),
    **dict.fromkeys(("ArgMaxV2", "ArgMin", "NonZero", "Where", "Shape", "SequenceLength"), DType.INT64),
    "Size": DType.INT64,
}
_NUMBERS: Final = frozenset(dtype.number for dtype in DType)
_TYPE_ATTRS: Final = ("dst_type", "dtype")
_TYPE_INPUT: Final[Mapping[str, int]] = {"CastLike": 1, "SelectV2": 1, "Fill": 1, "OneHot": 2, "Split": 1}
"""Operators whose result is of the type of an input other than the first."""


def describe(
    op_type: str, inputs: Sequence[TensorDesc], attrs: Mapping[str, AttrValue], count: int
) -> tuple[TensorDesc, ...]:
    """Describe ``count`` results of an operator; UNDEFINED is a type, and an open rank a shape, that is not known."""
    dtype = _dtype(op_type, inputs, attrs)
    return tuple(described(_shape(op_type, inputs), dtype) for _ in range(count))


def described(shape: Shape, dtype: DType) -> TensorDesc:
    """Describe a tensor; an open dimension starts at 1."""
    return TensorDesc(shape, dtype) if shape == OPEN else nd_desc(shape, dtype)


def agreed(found: TensorDesc, dtype: DType, dims: Sequence[int] | None) -> TensorDesc:
    """Join what is known of a result with what the model says of it; the model's word goes first where it says more."""
    known = found.dtype if dtype is DType.UNDEFINED else dtype
    if dims is None or (len(found.shape) == len(dims) and found.shape.is_known):
        return described(found.shape, known)
    return described(Shape(dims), known)


def _dtype(op_type: str, inputs: Sequence[TensorDesc], attrs: Mapping[str, AttrValue]) -> DType:
    for name in _TYPE_ATTRS:
        said = attrs.get(name)
        if isinstance(said, int) and said in _NUMBERS:
            return DType(said)
    if op_type in _TYPES:
        return _TYPES[op_type]
    index = _TYPE_INPUT.get(op_type, 0)
    return inputs[index].dtype if index < len(inputs) else DType.UNDEFINED


def _shape(op_type: str, inputs: Sequence[TensorDesc]) -> Shape:
    if op_type in _SAME_SHAPE and inputs:
        return inputs[0].shape
    if op_type in _BROADCAST and all(desc.shape != OPEN for desc in inputs):
        return _broadcast(desc.shape for desc in inputs)
    return OPEN


def _broadcast(shapes: Iterable[Shape]) -> Shape:
    """Stretch shapes to each other; where they do not fit nothing is known, and the run will say so."""
    every = [tuple(shape) for shape in shapes]
    rank = max((len(shape) for shape in every), default=0)
    dims = []
    for column in zip(*((1,) * (rank - len(shape)) + shape for shape in every), strict=True):
        fixed = {dim for dim in column if dim not in (1, UNKNOWN_DIM)}
        if len(fixed) > 1:
            return OPEN
        dims.append(fixed.pop() if fixed else (UNKNOWN_DIM if UNKNOWN_DIM in column else 1))
    return Shape(dims)
