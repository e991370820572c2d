"""Pools: the largest, the mean or the norm of a window, and back.

Source: spec/formats.md 5.4 (MaxPool, AveragePool, LpPool, MaxUnpool).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.pieces import Ref, SmallGraph
from runtime.frontend.onnx.windows import Window, dims_of, over_pictures, window_of
from runtime.graph.compute_graph import nd_desc
from runtime.values import DType

_MODES: Final = {"NOTSET": "CALCULATED", "SAME_UPPER": "SAME", "SAME_LOWER": "SAME", "VALID": "VALID"}


def _pool_attrs(small: SmallGraph, window: Window) -> dict[str, AttrValue]:
    return {
        "ksize": window.full(window.kernel),
        "strides": window.full(window.strides),
        "padding_mode": _MODES.get(window.auto_pad, "CALCULATED"),
        "pads": window.paired,
        "ceil_mode": small.flag("ceil_mode", 0),
        "data_format": window.data_format,
    }


def _window(small: SmallGraph) -> Window:
    window = window_of(small, dims_of(small.need(0)))
    if not window.kernel:
        raise small.wrong("has no kernel_shape")
    return window


def _max_pool(small: SmallGraph) -> Sequence[Ref]:
    window, x = _window(small), small.need(0)
    if any(dilation != 1 for dilation in window.dilations):
        return [_dilated(small, window, x)]
    attrs = _pool_attrs(small, window)
    if window.dims == 3:
        return [small.op("MaxPool3D", x, attrs=attrs, names="x")]
    return over_pictures(small, window, (x,), lambda fed: [small.op("MaxPoolV3", *fed, attrs=attrs, names="x")])


def _dilated(small: SmallGraph, window: Window, x: Ref) -> Ref:
    """A window with gaps exists for NHWC only: transposed, padded, pooled, and transposed again."""
    if window.dims != 2:
        raise small.wrong(f"has a window with gaps over {window.dims} dimensions; Ascend's plugin has it for 2")
    turned = small.op("TransposeD", x, attrs={"perm": (0, 2, 3, 1)}, names="x", suffix="TransposeD_in")
    pairs = np.array(((0, 0), *zip(window.pads[:2], window.pads[2:], strict=True), (0, 0)), np.int32)
    paddings = small.const_of("Const_pads", nd_desc(pairs.shape, DType.INT32), pairs.tobytes())
    least = small.const("Const_value", float(np.finfo(np.float32).min), DType.FLOAT)
    padded = small.op("PadV2", turned, paddings, least, names="x paddings constant_values")
    attrs: dict[str, AttrValue] = {
        "ksize": (1, *window.kernel, 1),
        "strides": (1, *window.strides, 1),
        "dilation": (1, *window.dilations, 1),
        "padding": "VALID",
        "data_format": "NHWC",
    }
    pooled = small.op("MaxPool", padded, attrs=attrs, names="x")
    return small.op("TransposeD", pooled, attrs={"perm": (0, 3, 1, 2)}, names="x", suffix="TransposeD_out")


def _mean_attrs(small: SmallGraph, window: Window, *, exclusive: bool) -> dict[str, AttrValue]:
    return {**_pool_attrs(small, window), "exclusive": exclusive}


def _average_pool(small: SmallGraph) -> Sequence[Ref]:
    window = _window(small)
    attrs = _mean_attrs(small, window, exclusive=not small.flag("count_include_pad", 0))
    return _mean_of(small, window, small.need(0), attrs)


def _mean_of(small: SmallGraph, window: Window, x: Ref, attrs: dict[str, AttrValue]) -> list[Ref]:
    op_type = "AvgPool3D" if window.dims == 3 else "AvgPoolV2"
    return over_pictures(small, window, (x,), lambda fed: [small.op(op_type, *fed, attrs=attrs, names="x")])


def _lp_pool(small: SmallGraph) -> Sequence[Ref]:
    """The mean of powers, times how many there are, gives their sum; its root is the norm."""
    window, p = _window(small), float(small.attr("p", 2))
    if p <= 0:
        raise small.wrong(f"has the exponent {p}")
    sizes = small.op("Abs", small.need(0), names="x")
    powers = small.op("Power", sizes, attrs={"power": p}, names="x", suffix="Power_p")
    (mean,) = _mean_of(small, window, powers, _mean_attrs(small, window, exclusive=False))
    total = small.op("Muls", mean, attrs={"value": float(np.prod(window.kernel, dtype=np.float64))}, names="x")
    return [small.op("Power", total, attrs={"power": 1.0 / p}, names="x", suffix="Power_root")]


def _max_unpool(small: SmallGraph) -> Sequence[Ref]:
    """Elements go back to where they were found: scattered on a flat tensor of zeros, then given their shape."""
    x, places, wanted = small.need(0), small.need(1), small.given(2)
    if wanted is None:
        raise small.wrong("has no output_shape; the specification says how Ascend unpools with one only")
    flat = small.const("Const_flat", (-1,))
    zero = small.const("Const_zero", 0, x.desc.dtype)
    room = small.op("BroadcastTo", zero, wanted, names="x shape")
    zeros = small.op("Reshape", small.op("ZerosLike", room, names="x"), flat, names="x shape", suffix="Reshape_zeros")
    lines = [
        small.op("Reshape", value, flat, names="x shape", suffix=f"Reshape_{name}")
        for name, value in (("places", places), ("values", x))
    ]
    filled = small.op("ScatterElements", zeros, *lines, attrs={"axis": 0}, names="data indices updates")
    return [small.op("Reshape", filled, wanted, names="x shape", suffix="Reshape_out")]


RULES: Final = {
    "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "LpPool": _lp_pool,
    "MaxUnpool": _max_unpool,
}
"""By name of ONNX."""
