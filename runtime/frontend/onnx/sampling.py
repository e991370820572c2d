"""Pictures at other sizes, regions of them, and what is found in them.

Source: spec/formats.md 5.4 (Resize, Upsample, RoiAlign, NonMaxSuppression, Col2Im).
"""

from collections.abc import Sequence
from typing import Final

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.pieces import Ref, SmallGraph
from runtime.values import DType

_HAS_OFFSETS: Final = 16
_SCALES_ARE_THIRD: Final = 11
_MODES: Final = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}


def _resize(small: SmallGraph) -> Sequence[Ref]:
    """ResizeNearestNeighborV2 wants a size; so nearest by size becomes that, everything else Resize."""
    x = small.need(0)
    third = small.opset >= _SCALES_ARE_THIRD
    region, scales = (small.given(1), small.given(2)) if third else (None, small.given(1))
    sizes = small.given(3) if third else None
    mode = small.attr("mode", "nearest")
    if mode not in _MODES:
        raise small.wrong(f"has the mode {mode!r}; Ascend has {', '.join(_MODES)}")
    how = small.attr("coordinate_transformation_mode", "half_pixel" if third else "asymmetric")
    if mode == "nearest" and sizes is not None:
        return [_nearest(small, x, sizes, how)]
    attrs: dict[str, AttrValue] = {
        "coordinate_transformation_mode": how,
        "cubic_coeff_a": small.attr("cubic_coeff_a", -0.75),
        "exclude_outside": small.attr("exclude_outside", 0),
        "extrapolation_value": small.attr("extrapolation_value", 0.0),
        "mode": _MODES[mode],
        "nearest_mode": small.attr("nearest_mode", "round_prefer_floor" if third else "floor"),
    }
    return [small.op("Resize", x, region, scales, sizes, attrs=attrs, names="x roi scales sizes")]


def _nearest(small: SmallGraph, x: Ref, sizes: Ref, how: str) -> Ref:
    """The size is the last two of the wanted dimensions."""
    begin, length = small.const("Const_begin", (2,), DType.INT32), small.const("Const_size", (2,), DType.INT32)
    picture = small.op("Slice", sizes, begin, length, names="x offsets size")
    cast = small.op("Cast", picture, attrs={"dst_type": DType.INT32.number}, names="x")
    attrs: dict[str, AttrValue] = {
        "align_corners": how == "align_corners",
        "half_pixel_centers": how == "half_pixel",
    }
    return small.op("ResizeNearestNeighborV2", x, cast, attrs=attrs, names="x size")


def _upsample(small: SmallGraph) -> Sequence[Ref]:
    scales = small.given(1)
    if scales is None:
        scales = small.const("Const_scales", small.attr("scales", ()), DType.FLOAT)
    region = small.const("Const_roi", (), DType.FLOAT)
    mode = small.attr("mode", "nearest")
    if mode not in _MODES:
        raise small.wrong(f"has the mode {mode!r}; Ascend has {', '.join(_MODES)}")
    attrs: dict[str, AttrValue] = {
        "coordinate_transformation_mode": "asymmetric",
        "mode": _MODES[mode],
        "nearest_mode": "floor",
    }
    return [small.op("Resize", small.need(0), region, scales, attrs=attrs, names="x roi scales")]


def _roi_align(small: SmallGraph) -> Sequence[Ref]:
    """Ascend wants the number of the picture in front of each region."""
    x, rois, pictures = (small.need(index) for index in range(3))
    number = small.op("Cast", pictures, attrs={"dst_type": rois.desc.dtype.number}, names="x")
    column = small.op("Unsqueeze", number, attrs={"axes": (1,)}, names="x")
    axis = small.const("Const", 1, DType.INT32)
    joined = small.op("Concat", axis, column, rois, attrs={"N": 2}, names="concat_dim x*")
    attrs: dict[str, AttrValue] = {
        "spatial_scale": small.attr("spatial_scale", 1.0),
        "pooled_height": small.attr("output_height", 1),
        "pooled_width": small.attr("output_width", 1),
        "sample_num": small.attr("sampling_ratio", 0),
        "pool_mode": small.attr("mode", "avg"),
        "roi_end_mode": int(_end_mode(small)),
    }
    return [small.op("ROIAlign", x, joined, attrs=attrs, names="features rois")]


def _end_mode(small: SmallGraph) -> int:
    """2: half a pixel is taken off, the default from version 16; 0: as before."""
    default = "half_pixel" if small.opset >= _HAS_OFFSETS else "output_half_pixel"
    return 2 if small.attr("coordinate_transformation_mode", default) == "half_pixel" else 0


def _suppression(small: SmallGraph) -> Sequence[Ref]:
    fed = [small.given(index) for index in range(5)]
    attrs = {"center_point_box": small.attr("center_point_box", 0)}
    names = "boxes scores max_output_size iou_threshold score_threshold"
    found = small.op("NonMaxSuppressionV6", *fed, attrs=attrs, names=names)
    return [small.op("Cast", found, attrs={"dst_type": DType.INT64.number}, names="x")]


def _col2im(small: SmallGraph) -> Sequence[Ref]:
    sizes = [
        small.op("Cast", small.need(index), attrs={"dst_type": DType.INT32.number}, names="x", suffix=f"Cast_{name}")
        for index, name in ((1, "output_size"), (2, "kernel_size"))
    ]
    attrs: dict[str, AttrValue] = {
        "dilation": small.attr("dilations", ()) or (1, 1),
        "padding": small.attr("pads", ()) or (0, 0, 0, 0),
        "stride": small.attr("strides", ()) or (1, 1),
    }
    return [small.op("Col2ImV2", small.need(0), *sizes, attrs=attrs, names="x output_size kernel_size")]


RULES: Final = {
    "Resize": _resize,
    "Upsample": _upsample,
    "RoiAlign": _roi_align,
    "NonMaxSuppression": _suppression,
    "Col2Im": _col2im,
}
"""By name of ONNX."""
