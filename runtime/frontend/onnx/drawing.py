"""Random numbers, in several operators of Ascend: a standard distribution, then stretched and moved.

Source: spec/formats.md 5.4 (RandomNormal, RandomUniform and their kin, Bernoulli, Multinomial).
"""

import math
from collections.abc import Callable, Sequence
from typing import Final

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.element_types import dtype_of
from runtime.frontend.onnx.pieces import Ref, SmallGraph
from runtime.values import DType

_FLOAT: Final = 1
_INT32: Final = 6


def _seed(small: SmallGraph) -> int:
    seed = small.attr("seed", 0.0)
    if not math.isfinite(seed):
        raise small.wrong(f"has the seed {seed}")
    return int(seed)


def _attrs(small: SmallGraph, dtype: DType) -> dict[str, AttrValue]:
    seed = _seed(small)
    return {"dtype": dtype.number, "seed": seed, "seed2": seed}


def _stretched(small: SmallGraph) -> tuple[float, float]:
    """Give the width and the begin of the numbers."""
    if small.node.op_type.startswith("RandomNormal"):
        return small.attr("scale", 1.0), small.attr("mean", 0.0)
    low = small.attr("low", 0.0)
    return small.attr("high", 1.0) - low, low


def _shaped(op_type: str) -> Callable[[SmallGraph], Sequence[Ref]]:
    def rule(small: SmallGraph) -> Sequence[Ref]:
        dtype = dtype_of(small.attr("dtype", _FLOAT), f"the result of node '{small.label}'")
        shape = small.const("Const", small.attr("shape", ()))
        width, begin = _stretched(small)
        drawn = small.op(op_type, shape, attrs=_attrs(small, dtype), names="shape")
        wide = small.op("Muls", drawn, attrs={"value": width}, names="x")
        return [small.op("Adds", wide, attrs={"value": begin}, names="x")]

    return rule


def _like(op_type: str) -> Callable[[SmallGraph], Sequence[Ref]]:
    def rule(small: SmallGraph) -> Sequence[Ref]:
        x = small.need(0)
        dtype = x.desc.dtype
        if "dtype" in small.node.attrs:
            dtype = dtype_of(small.attr("dtype", _FLOAT), f"the result of node '{small.label}'")
        shape = small.op("Shape", x, attrs={"dtype": DType.INT64.number}, names="x")
        drawn = small.op(op_type, shape, attrs=_attrs(small, dtype), names="shape")
        numbers = []
        for name, value in zip(("width", "begin"), _stretched(small), strict=True):
            made = small.const(f"Const_{name}", value, DType.FLOAT)
            cast = {"dst_type": dtype.number}
            numbers.append(small.op("Cast", made, attrs=cast, names="x", suffix=f"Cast_{name}"))
        wide = small.op("Mul", drawn, numbers[0], names="x1 x2")
        return [small.op("Add", wide, numbers[1], names="x1 x2")]

    return rule


def _bernoulli(small: SmallGraph) -> Sequence[Ref]:
    x = small.need(0)
    dtype = x.desc.dtype
    if "dtype" in small.node.attrs:
        dtype = dtype_of(small.attr("dtype", _FLOAT), f"the result of node '{small.label}'")
    seed = small.const("Const_seed", _seed(small))
    offset = small.const("Const_offset", 0)
    return [small.op("StatelessBernoulliV2", x, seed, offset, attrs={"dtype": dtype.number}, names="x seed offset")]


def _multinomial(small: SmallGraph) -> Sequence[Ref]:
    dtype = dtype_of(small.attr("dtype", _INT32), f"the result of node '{small.label}'")
    count = small.const("Const", small.attr("sample_size", 1), DType.INT32)
    return [small.op("Multinomial", small.need(0), count, attrs=_attrs(small, dtype), names="logits num_samples")]


RULES: Final = {
    "RandomNormal": _shaped("RandomStandardNormal"),
    "RandomUniform": _shaped("RandomUniform"),
    "RandomNormalLike": _like("RandomStandardNormal"),
    "RandomUniformLike": _like("RandomUniform"),
    "Bernoulli": _bernoulli,
    "Multinomial": _multinomial,
}
"""By name of ONNX."""
