"""Operators that become one operator whose axes, types or elements are said in another way than in ONNX.

Source: spec/formats.md 5.4 (Softmax, Cast, Squeeze, reductions from version 13, LRN, Slice, TopK ...).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.element_types import dtype_of
from runtime.frontend.onnx.pieces import Ref, SmallGraph
from runtime.values import DType

AXES_ARE_INPUTS: Final = 13
"""The version from which Squeeze, Unsqueeze, Split and the reductions take axes as an input."""


def _one(small: SmallGraph, names: str, attrs: Mapping[str, AttrValue]) -> list[Ref]:
    fed = [small.given(index) for index in range(len(small.inputs))]
    return [small.op(small.plugin.type, *fed, attrs=attrs, names=names)]


def _softmax(small: SmallGraph) -> Sequence[Ref]:
    """Before version 13 the plugin keeps the one axis and marks SoftmaxV2 for fusion."""
    old = small.opset < AXES_ARE_INPUTS
    attrs: dict[str, AttrValue] = {"axes": (small.attr("axis", 1 if old else -1),)}
    if old and small.plugin.type == "SoftmaxV2":
        attrs["need_fusion"] = 1
    return _one(small, "x" if small.plugin.type == "SoftmaxV2" else "logits", attrs)


def _cast(small: SmallGraph) -> Sequence[Ref]:
    target = dtype_of(small.attr("to", 0), f"the result of node '{small.label}'")
    return _one(small, "x", {"dst_type": target.number})


def _celu(small: SmallGraph) -> Sequence[Ref]:
    alpha = small.attr("alpha", 1.0)
    return _one(small, "x", {"alpha1": alpha, "alpha2": alpha, "alpha3": 1.0})


def _lrn(small: SmallGraph) -> Sequence[Ref]:
    size = small.attr("size", 0)
    if size <= 0:
        raise small.wrong(f"has size {size}")
    attrs: dict[str, AttrValue] = {
        "depth_radius": (size - 1) // 2,
        "bias": small.attr("bias", 1.0),
        "alpha": small.attr("alpha", 1e-4) / size,
        "beta": small.attr("beta", 0.75),
        "norm_region": "ACROSS_CHANNELS",
    }
    return _one(small, "x", attrs)


def _mvn(small: SmallGraph) -> Sequence[Ref]:
    return _one(small, "x", {"axes": small.attr("axes", (0, 2, 3))})


def _squeeze(small: SmallGraph) -> Sequence[Ref]:
    if small.plugin.type == "Squeeze":
        return _one(small, "x", {"axis": small.attr("axes", ())})
    return _one(small, "x axes", {})


def _unsqueeze(small: SmallGraph) -> Sequence[Ref]:
    if small.plugin.type == "Unsqueeze":
        return _one(small, "x", {"axes": small.attr("axes", ())})
    return _one(small, "x axes", {})


def _shape(small: SmallGraph) -> Sequence[Ref]:
    if "start" in small.node.attrs or "end" in small.node.attrs:
        small.warnings.append(f"node '{small.label}' asks for a part of a shape; Ascend's Shape gives all of it")
    return _one(small, "x", {"dtype": DType.INT64.number})


def _lp_norm(p: int) -> Callable[[SmallGraph], Sequence[Ref]]:
    """ReduceL1 and ReduceL2: one operator with the exponent as an attribute."""

    def rule(small: SmallGraph) -> Sequence[Ref]:
        attrs: dict[str, AttrValue] = {"p": p, "axes": small.attr("axes", ()), "keepdim": small.flag("keepdims", 1)}
        return [small.op("LpNormV2", small.need(0), attrs=attrs, names="x")]

    return rule


def _square_sum(small: SmallGraph) -> Sequence[Ref]:
    attrs: dict[str, AttrValue] = {"axis": small.attr("axes", ()), "keep_dims": small.flag("keepdims", 1)}
    return [small.op("SquareSumV1", small.need(0), attrs=attrs, names="x")]


def _roi_pool(small: SmallGraph) -> Sequence[Ref]:
    pooled, scale = small.attr("pooled_shape", ()), small.attr("spatial_scale", 1.0)
    if len(pooled) != 2:
        raise small.wrong(f"has a pooled_shape of {len(pooled)} numbers")
    attrs: dict[str, AttrValue] = {
        "pooled_h": pooled[0],
        "pooled_w": pooled[1],
        "spatial_scale_h": scale,
        "spatial_scale_w": scale,
    }
    return _one(small, "x rois", attrs)


RULES: Final[Mapping[str, Callable[[SmallGraph], Sequence[Ref]]]] = {
    "Softmax": _softmax,
    "LogSoftmax": _softmax,
    "Cast": _cast,
    "NPUDtypeCast": _cast,
    "Celu": _celu,
    "LRN": _lrn,
    "MeanVarianceNormalization": _mvn,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Shape": _shape,
    "ReduceL1": _lp_norm(1),
    "ReduceL2": _lp_norm(2),
    "ReduceSumSquare": _square_sum,
    "MaxRoiPool": _roi_pool,
}
"""By name of ONNX."""
