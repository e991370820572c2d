"""Element by element, in several operators of Ascend: chains of Maximum, Clip, Mean, Xor and their kin.

Source: spec/formats.md 5.4.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.pieces import Ref, SmallGraph
from runtime.values import DType

_CLIP_TAKES_INPUTS: Final = 11
_MOST: Final = float(np.finfo(np.float32).max)


def _chain(op_type: str) -> Callable[[SmallGraph], Sequence[Ref]]:
    def rule(small: SmallGraph) -> Sequence[Ref]:
        first, *others = small.every()
        if not others:
            return [small.op("Identity", first, names="x")]
        for other in others:
            first = small.op(op_type, first, other, names="x1 x2")
        return [first]

    return rule


def _mean(small: SmallGraph) -> Sequence[Ref]:
    every = small.every()
    total = small.op("AccumulateNV2", *every, attrs={"N": len(every)}, names="x*")
    return [small.op("Muls", total, attrs={"value": 1.0 / len(every)}, names="x")]


def _clip(small: SmallGraph) -> Sequence[Ref]:
    """Before version 11 both limits are attributes; since then inputs, and one that is left out has no operator."""
    x = small.need(0)
    if small.opset < _CLIP_TAKES_INPUTS:
        least = small.const("Const_min", small.attr("min", -_MOST), DType.FLOAT)
        most = small.const("Const_max", small.attr("max", _MOST), DType.FLOAT)
        return [small.op("ClipByValue", x, least, most, names="x clip_value_min clip_value_max")]
    low, high = small.given(1), small.given(2)
    if low is not None and high is not None:
        return [small.op("ClipByValue", x, low, high, names="x clip_value_min clip_value_max")]
    if low is not None:
        return [small.op("Maximum", x, low, names="x1 x2")]
    if high is not None:
        return [small.op("Minimum", x, high, names="x1 x2")]
    return [small.op("Identity", x, names="x")]


def _xor(small: SmallGraph) -> Sequence[Ref]:
    """BitwiseXor takes no truth values: they become numbers and the result becomes one again."""
    number, truth = DType.INT32.number, DType.BOOL.number
    left, right = (small.op("Cast", small.need(index), attrs={"dst_type": number}, names="x") for index in (0, 1))
    mixed = small.op("BitwiseXor", left, right, names="x1 x2")
    return [small.op("Cast", mixed, attrs={"dst_type": truth}, names="x")]


def _bit_shift(small: SmallGraph) -> Sequence[Ref]:
    direction = small.attr("direction", "")
    if direction not in ("LEFT", "RIGHT"):
        raise small.wrong(f"has the direction {direction!r}, which is neither LEFT nor RIGHT")
    return [small.op(f"{direction.title()}Shift", small.need(0), small.need(1), names="x y")]


def _thresholded(small: SmallGraph) -> Sequence[Ref]:
    x = small.need(0)
    above = small.op("Threshold", x, attrs={"threshold": small.attr("alpha", 1.0)}, names="x")
    return [small.op("Mul", above, x, names="x1 x2")]


def _lp_normalized(small: SmallGraph) -> Sequence[Ref]:
    x = small.need(0)
    attrs: dict[str, AttrValue] = {"p": small.attr("p", 2), "axes": (small.attr("axis", -1),), "keepdim": True}
    return [small.op("Div", x, small.op("LpNormV2", x, attrs=attrs, names="x"), names="x1 x2")]


def _layer_norm(small: SmallGraph) -> Sequence[Ref]:
    """LayerNorm takes a bias: without one it is made of zeros; the third result of ONNX is 1 / sqrt(variance)."""
    x, gamma, beta = small.need(0), small.need(1), small.given(2)
    if beta is None:
        zero = small.const("Const", 0.0, gamma.desc.dtype)
        beta = small.op("BroadcastTo", zero, small.op("Shape", gamma, names="x"), names="x shape")
    axis, epsilon = small.attr("axis", -1), small.attr("epsilon", 1e-5)
    attrs = {"begin_norm_axis": axis, "begin_params_axis": axis, "epsilon": epsilon}
    first = small.op("LayerNorm", x, gamma, beta, attrs=attrs, names="x gamma beta", outputs=3)
    y, mean, variance = small.results(first, 3)
    if len(small.node.outputs) < 3:
        return [y, mean]
    above_zero = small.op("Adds", variance, attrs={"value": epsilon}, names="x")
    return [y, mean, small.op("Rsqrt", above_zero, names="x")]


RULES: Final = {
    "Max": _chain("Maximum"),
    "Min": _chain("Minimum"),
    "Mean": _mean,
    "Clip": _clip,
    "Xor": _xor,
    "BitShift": _bit_shift,
    "ThresholdedRelu": _thresholded,
    "LpNormalization": _lp_normalized,
    "LayerNormalization": _layer_norm,
}
"""By name of ONNX."""
