"""Operators of Ascend's own (``NPU…``, ``Int8Transpose``) that its plugins expand to several.

The mapping table of the specification names the types inside and not how they hang together; that is a fact of the
plugins' public sources (one file each, ``npu_slice_onnx_plugin.cpp`` and its kin), told here in our own words. The
quantised convolutions, the recurrent cells and the rest whose expansion depends on weights are still refused.

Source: spec/formats.md 5.4; CANN's onnx plugins.
"""

from collections.abc import Callable, Sequence
from typing import Final

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.pieces import Ref, SmallGraph
from runtime.values import DType

_MASKS: Final = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
_LAST_TWO: Final = (0, 2, 1)
_POSITIVE_INPUTS: Final = (
    "assigned_gt_inds overlaps box_responsible_flags max_overlaps argmax_overlaps gt_max_overlaps gt_argmax_overlaps "
    "num_gts"
)


def _slice(small: SmallGraph) -> Sequence[Ref]:
    offsets = small.const("const_data_1", small.attr("offsetss", ()), DType.INT32)
    sizes = small.const("const_data_2", small.attr("sizes", ()), DType.INT32)
    return [small.op("Slice", small.need(0), offsets, sizes, names="x offsets size")]


def _indexing(small: SmallGraph) -> Sequence[Ref]:
    given = [small.const(name, small.attr(f"{name.removesuffix('s')}s", ())) for name in ("begin", "end", "strides")]
    masks: dict[str, AttrValue] = {name: small.attr(name, 0) for name in _MASKS}
    return [small.op("StridedSlice", small.need(0), *given, attrs=masks, names="x begin end strides")]


def _one_hot(small: SmallGraph) -> Sequence[Ref]:
    """``num_classes`` is the axis: the plugin hands it on as that."""
    if "depth" not in small.node.attrs:
        raise small.wrong("has no attribute 'depth'")
    x = small.op("Cast", small.need(0), attrs={"dst_type": DType.INT32.number}, names="x", suffix="Cast_data0")
    values = []
    for name, default in (("on_value", 1), ("off_value", 0)):
        number = small.const(f"data_{name}", small.attr(name, default), DType.INT32)
        values.append(
            small.op("Cast", number, attrs={"dst_type": DType.FLOAT.number}, names="x", suffix=f"Cast_{name}")
        )
    attrs: dict[str, AttrValue] = {"depth": small.attr("depth", 1), "axis": small.attr("num_classes", -1)}
    return [small.op("OneHotD", x, *values, attrs=attrs, names="x on_value off_value")]


def _mode(small: SmallGraph) -> str:
    return "iof" if small.attr("mode", 0) == 1 else "iou"


def _giou(small: SmallGraph) -> Sequence[Ref]:
    attrs: dict[str, AttrValue] = {
        "trans": small.flag("trans", 0),
        "is_cross": small.flag("is_cross", 0),
        "mode": _mode(small),
    }
    found = small.op("GIoU", small.need(0), small.need(1), attrs=attrs, names="bboxes gtboxes")
    return [small.op("Transpose", found, small.const("Const_0", (1, 0), DType.INT32), names="x perm")]


def _rotated(op_type: str, attrs_of: Callable[[SmallGraph], dict[str, AttrValue]]) -> Callable[[SmallGraph], list[Ref]]:
    """Compare two lists of rotated boxes, whose last two dimensions are swapped before."""

    def rule(small: SmallGraph) -> list[Ref]:
        boxes = [
            small.op(
                "Transpose",
                small.need(index),
                small.const(f"Const_{index}", _LAST_TWO, DType.INT32),
                names="x perm",
                suffix=f"Transpose_{index}",
            )
            for index in range(2)
        ]
        attrs: dict[str, AttrValue] = {"trans": small.flag("trans", 0), **attrs_of(small)}
        return [small.op(op_type, *boxes, attrs=attrs, names="boxes query_boxes")]

    return rule


def _overlaps(_small: SmallGraph) -> dict[str, AttrValue]:
    return {}


def _iou(small: SmallGraph) -> dict[str, AttrValue]:
    thresholds: dict[str, AttrValue] = {name: small.attr(name, 0.0) for name in ("v_threshold", "e_threshold")}
    return {"mode": _mode(small), "is_cross": small.flag("is_cross", 0), **thresholds}


def _nms(small: SmallGraph) -> Sequence[Ref]:
    boxes, scores, overlap, least = (small.need(index) for index in range(4))
    most = small.const("const_data", small.attr("max_output_size", 0), DType.INT32)
    names = "boxes scores max_output_size iou_threshold score_threshold"
    attrs: dict[str, AttrValue] = {"pad_to_max_output_size": small.flag("pad_to_max_output_size", 0)}
    first = small.op("NonMaxSuppressionV4", boxes, scores, most, overlap, least, attrs=attrs, names=names, outputs=2)
    return small.results(first, 2)


def _grid_assign(small: SmallGraph) -> Sequence[Ref]:
    given = [small.need(index) for index in range(7)]
    count = small.const("Const_0", (small.attr("num_gts", 128),), DType.INT32)
    attrs: dict[str, AttrValue] = {
        "pos_iou_thr": small.attr("pos_iou_thr", 0.5),
        "min_pos_iou": small.attr("min_pos_iou", 0.0),
        "gt_max_assign_all": small.flag("gt_max_assign_all", 1),
    }
    return [small.op("GridAssignPositive", *given, count, attrs=attrs, names=_POSITIVE_INPUTS)]


def _int8_transpose(small: SmallGraph) -> Sequence[Ref]:
    return [small.op("Transpose", small.need(0), small.const("data1", small.attr("axes", ())), names="x perm")]


RULES: Final = {
    "NPUSlice": _slice,
    "NPUIndexing": _indexing,
    "NPUOneHot": _one_hot,
    "NPUGiou": _giou,
    "NPURotatedOverlaps": _rotated("RotatedOverlaps", _overlaps),
    "NPURotatedIou": _rotated("RotatedIou", _iou),
    "NPUNmsV4": _nms,
    "NPUGridAssignPositive": _grid_assign,
    "Int8Transpose": _int8_transpose,
}
"""By name of ONNX."""
