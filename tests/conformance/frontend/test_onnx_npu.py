"""ONNX operators of Ascend that its plugins expand: who feeds whom, attributes, constants (spec/formats.md 5.4)."""

from typing import Any

import onnx
import pytest
from onnx_models import graph_of, one, structure

Expected = list[tuple[str, list[str], dict[str, Any]]]


def const(value: Any, dtype: str = "INT64") -> tuple[str, list[str], dict[str, Any]]:
    return "Const", [], {"value": value, "dtype": dtype}


def boxes(op: str, **attrs: Any) -> onnx.ModelProto:
    return one(op, {"a": [1, 4, 5], "b": [1, 3, 5]}, **attrs)


CASES: dict[str, tuple[onnx.ModelProto, Expected]] = {
    "NPUSlice": (
        one("NPUSlice", {"x": [4, 5]}, offsetss=[1, 0], sizes=[2, 5]),
        [const([1, 0], "INT32"), const([2, 5], "INT32"), ("Slice", ["Data", "Const", "Const"], {})],
    ),
    "NPUIndexing": (
        one("NPUIndexing", {"x": [4, 5]}, begins=[0, 1], ends=[3, 4], strides=[1, 2], end_mask=2),
        [
            const([0, 1]),
            const([3, 4]),
            const([1, 2]),
            (
                "StridedSlice",
                ["Data", "Const", "Const", "Const"],
                {"begin_mask": 0, "end_mask": 2, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0},
            ),
        ],
    ),
    "NPUOneHot": (
        one("NPUOneHot", {"x": [4]}, depth=3, num_classes=1, on_value=5),
        [
            ("Cast", ["Data"], {"dst_type": 3}),
            const(5, "INT32"),
            ("Cast", ["Const"], {"dst_type": 0}),
            const(0, "INT32"),
            ("Cast", ["Const"], {"dst_type": 0}),
            ("OneHotD", ["Cast", "Cast", "Cast"], {"depth": 3, "axis": 1}),
        ],
    ),
    "NPUGiou": (
        boxes("NPUGiou", trans=1, mode=1),
        [
            ("GIoU", ["Data", "Data"], {"trans": True, "is_cross": False, "mode": "iof"}),
            const([1, 0], "INT32"),
            ("Transpose", ["GIoU", "Const"], {}),
        ],
    ),
    "NPURotatedOverlaps": (
        boxes("NPURotatedOverlaps", trans=1),
        [
            const([0, 2, 1], "INT32"),
            ("Transpose", ["Data", "Const"], {}),
            const([0, 2, 1], "INT32"),
            ("Transpose", ["Data", "Const"], {}),
            ("RotatedOverlaps", ["Transpose", "Transpose"], {"trans": True}),
        ],
    ),
    "NPURotatedIou": (
        boxes("NPURotatedIou", is_cross=1, v_threshold=0.5),
        [
            const([0, 2, 1], "INT32"),
            ("Transpose", ["Data", "Const"], {}),
            const([0, 2, 1], "INT32"),
            ("Transpose", ["Data", "Const"], {}),
            (
                "RotatedIou",
                ["Transpose", "Transpose"],
                {"trans": False, "mode": "iou", "is_cross": True, "v_threshold": 0.5, "e_threshold": 0.0},
            ),
        ],
    ),
    "NPUNmsV4": (
        one("NPUNmsV4", {"b": [9, 4], "s": [9], "o": [], "t": []}, 2, max_output_size=7, pad_to_max_output_size=1),
        [
            const(7, "INT32"),
            (
                "NonMaxSuppressionV4",
                ["Data", "Data", "Const", "Data", "Data"],
                {"pad_to_max_output_size": True},
            ),
        ],
    ),
    "NPUGridAssignPositive": (
        one("NPUGridAssignPositive", {name: [4] for name in "abcdefg"}, num_gts=3),
        [
            const([3], "INT32"),
            (
                "GridAssignPositive",
                ["Data"] * 7 + ["Const"],
                {"pos_iou_thr": 0.5, "min_pos_iou": 0.0, "gt_max_assign_all": True},
            ),
        ],
    ),
    "Int8Transpose": (
        one("Int8Transpose", {"x": [4, 5]}, axes=[1, 0], opset=11),
        [const([1, 0]), ("Transpose", ["Data", "Const"], {})],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_operator_of_ascend_becomes_what_its_plugin_makes_of_it(name: str) -> None:
    made, expected = CASES[name]
    assert structure(graph_of(made)) == expected
