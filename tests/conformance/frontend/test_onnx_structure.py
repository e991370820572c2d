"""What operators of ONNX become: types, who feeds whom, attributes, inserted constants (spec/formats.md 5.4)."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import BOOL, INT64, graph_of, one, structure

X = [2, 3, 8, 8]
NCHW = {"auto_pad": "NOTSET", "data_format": "NCHW", "groups": 1}
ONES, ZEROS = (1, 1, 1, 1), (0, 0, 0, 0)

Expected = list[tuple[str, list[str], dict[str, Any]]]


def const(value: Any, dtype: str = "INT64") -> tuple[str, list[str], dict[str, Any]]:
    return "Const", [], {"value": value, "dtype": dtype}


def zeros(*dims: int) -> Any:
    return np.zeros(dims, np.float32)


def pairs(op: str, opset: int = 17) -> onnx.ModelProto:
    return one(op, {"a": [4], "b": [4]}, opset=opset)


def truths(op: str) -> onnx.ModelProto:
    return one(op, {"a": ([4], BOOL), "b": ([4], BOOL)})


def pool(**more: Any) -> dict[str, Any]:
    return {"padding_mode": "CALCULATED", "pads": ZEROS, "ceil_mode": False, "data_format": "NCHW", **more}


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
    "Div": (pairs("Div"), [("RealDiv", ["Data", "Data"], {})]),
    "GreaterOrEqual": (pairs("GreaterOrEqual"), [("GreaterEqual", ["Data", "Data"], {})]),
    "And": (truths("And"), [("LogicalAnd", ["Data", "Data"], {})]),
    "Xor": (
        truths("Xor"),
        [
            ("Cast", ["Data"], {"dst_type": 3}),
            ("Cast", ["Data"], {"dst_type": 3}),
            ("BitwiseXor", ["Cast", "Cast"], {}),
            ("Cast", ["BitwiseXor"], {"dst_type": 12}),
        ],
    ),
    "Max of one": (one("Max", {"a": [4]}), [("Identity", ["Data"], {})]),
    "Max of three": (
        one("Max", {"a": [4], "b": [4], "c": [4]}),
        [("Maximum", ["Data", "Data"], {}), ("Maximum", ["Maximum", "Data"], {})],
    ),
    "Sum": (pairs("Sum"), [("AccumulateNV2", ["Data", "Data"], {"N": 2})]),
    "Mean": (
        pairs("Mean"),
        [("AccumulateNV2", ["Data", "Data"], {"N": 2}), ("Muls", ["AccumulateNV2"], {"value": 0.5})],
    ),
    "Cast": (one("Cast", {"x": [4]}, to=INT64), [("Cast", ["Data"], {"dst_type": 9})]),
    "Clip 9": (
        one("Clip", {"x": [4]}, min=0.0, max=6.0, opset=9),
        [const(0.0, "FLOAT"), const(6.0, "FLOAT"), ("ClipByValue", ["Data", "Const", "Const"], {})],
    ),
    "Clip 13": (
        one("Clip", {"x": [4], "low": [], "high": []}, opset=13),
        [("ClipByValue", ["Data", "Data", "Data"], {})],
    ),
    "LeakyRelu": (one("LeakyRelu", {"x": [4]}), [("LeakyRelu", ["Data"], {"negative_slope": 0.01})]),
    "Softmax 11": (one("Softmax", {"x": X}, opset=11), [("SoftmaxV2", ["Data"], {"axes": (1,), "need_fusion": 1})]),
    "Softmax 13": (one("Softmax", {"x": X}, opset=13), [("SoftmaxV2", ["Data"], {"axes": (-1,)})]),
    "Conv": (
        one(
            "Conv",
            {"x": X},
            weights={"w": zeros(4, 3, 3, 3), "b": zeros(4)},
            kernel_shape=[3, 3],
            pads=[0, 1, 2, 3],
            strides=[1, 2],
        ),
        [
            (
                "Conv2D",
                ["Data", "Const", "Const"],
                {"strides": (1, 1, 1, 2), "dilations": ONES, "pads": (0, 2, 1, 3), **NCHW},
            )
        ],
    ),
    "Conv of a line": (
        one("Conv", {"x": [2, 3, 8]}, weights={"w": zeros(4, 3, 3)}, pads=[1, 1]),
        [
            ("Unsqueeze", ["Data"], {"axes": (2,)}),
            ("Unsqueeze", ["Const"], {"axes": (2,)}),
            (
                "Conv2D",
                ["Unsqueeze", "Unsqueeze"],
                {"strides": ONES, "dilations": ONES, "pads": (0, 0, 1, 1), **NCHW},
            ),
            ("Squeeze", ["Conv2D"], {"axis": (2,)}),
        ],
    ),
    "ConvTranspose": (
        one("ConvTranspose", {"x": X}, weights={"w": zeros(3, 4, 3, 3)}, strides=[2, 2]),
        [
            const([0, 0, 0, 0]),
            (
                "Conv2DTranspose",
                ["Const", "Data", "Const"],
                {
                    "strides": (1, 1, 2, 2),
                    "dilations": ONES,
                    "pads": ZEROS,
                    **NCHW,
                    "output_padding": ZEROS,
                    "output_shape": (),
                },
            ),
        ],
    ),
    "Gemm": (
        one("Gemm", {"a": [2, 3], "b": [3, 4]}, alpha=0.5),
        [("MatMulV2", ["Data", "Data"], {"transpose_x1": False, "transpose_x2": False})],
    ),
    "Gemm with factors": (
        one("Gemm", {"a": [2, 3], "b": [4, 3], "c": [4]}, alpha=0.5, beta=2.0, transB=1),
        [
            ("MatMulV2", ["Data", "Data"], {"transpose_x1": False, "transpose_x2": True}),
            ("Muls", ["MatMulV2"], {"value": 0.5}),
            ("Muls", ["Data"], {"value": 2.0}),
            ("Add", ["Muls", "Muls"], {}),
        ],
    ),
    "MatMul": (
        one("MatMul", {"a": [2, 3], "b": [3, 4]}),
        [("BatchMatMulV2", ["Data", "Data"], {"adj_x1": False, "adj_x2": False})],
    ),
    "BatchNormalization": (
        one("BatchNormalization", {"x": X, "s": [3], "b": [3], "m": [3], "v": [3]}, epsilon=0.5),
        [("BatchNorm", ["Data"] * 5, {"epsilon": 0.5, "is_training": False, "data_format": "NCHW"})],
    ),
    "LRN": (
        one("LRN", {"x": X}, size=5, alpha=0.5, beta=0.75, bias=2.0),
        [
            (
                "LRN",
                ["Data"],
                {"depth_radius": 2, "bias": 2.0, "alpha": 0.1, "beta": 0.75, "norm_region": "ACROSS_CHANNELS"},
            )
        ],
    ),
    "MaxPool": (
        one("MaxPool", {"x": X}, kernel_shape=[2, 2], strides=[2, 2]),
        [("MaxPoolV3", ["Data"], pool(ksize=(1, 1, 2, 2), strides=(1, 1, 2, 2)))],
    ),
    "AveragePool of a line": (
        one("AveragePool", {"x": [1, 2, 8]}, kernel_shape=[2]),
        [
            ("Unsqueeze", ["Data"], {"axes": (2,)}),
            ("AvgPoolV2", ["Unsqueeze"], pool(ksize=(1, 1, 1, 2), strides=ONES, exclusive=True)),
            ("Squeeze", ["AvgPoolV2"], {"axis": (2,)}),
        ],
    ),
    "GlobalMaxPool": (
        one("GlobalMaxPool", {"x": X}),
        [const([2, 3]), ("ReduceMax", ["Data", "Const"], {"keep_dims": True})],
    ),
    "Squeeze 11": (one("Squeeze", {"x": [1, 4]}, axes=[0], opset=11), [("Squeeze", ["Data"], {"axis": (0,)})]),
    "Squeeze 13": (one("Squeeze", {"x": [1, 4], "a": ([1], INT64)}), [("SqueezeV3", ["Data", "Data"], {})]),
    "Transpose": (
        one("Transpose", {"x": X}, perm=[0, 2, 3, 1]),
        [const([0, 2, 3, 1]), ("Transpose", ["Data", "Const"], {})],
    ),
    "Concat": (one("Concat", {"a": [4], "b": [4]}, axis=0), [("ConcatD", ["Data"] * 2, {"concat_dim": 0, "N": 2})]),
    "Split": (
        one("Split", {"x": [4, 6]}, 2, axis=1, opset=11),
        [const(1, "INT32"), ("Split", ["Const", "Data"], {"num_split": 2})],
    ),
    "Split by number": (
        one("Split", {"x": [4, 6]}, 3, axis=1, opset=18, num_outputs=3),
        [const(1, "INT32"), const([2, 2, 2]), ("SplitV", ["Data", "Const", "Const"], {"num_split": 3})],
    ),
    "Slice 9": (
        one("Slice", {"x": [4, 6]}, starts=[1], ends=[3], axes=[1], opset=9),
        [const([1]), const([3]), const([1]), const([1]), ("StridedSliceV2", ["Data", *["Const"] * 4], {})],
    ),
    "Gather": (
        one("Gather", {"x": [4, 6], "i": ([2], INT64)}, axis=1),
        [const(1), ("GatherV2", ["Data", "Data", "Const"], {"negative_index_support": True})],
    ),
    "ScatterND": (
        one("ScatterND", {"x": [4], "i": ([2, 1], INT64), "u": [2]}, reduction="add"),
        [("TensorMove", ["Data"], {}), ("ScatterNdAdd", ["TensorMove", "Data", "Data"], {})],
    ),
    "Pad 10": (
        one("Pad", {"x": [4, 6]}, pads=[1, 2, 3, 4], opset=10),
        [
            const([[1, 3], [2, 4]], "INT32"),
            const(0.0, "FLOAT"),
            ("PadV3", ["Data", "Const", "Const"], {"mode": "constant", "paddings_contiguous": True}),
        ],
    ),
    "Pad 10 mirrored": (
        one("Pad", {"x": [4, 6]}, pads=[1, 2, 3, 4], mode="reflect", opset=10),
        [const([[1, 3], [2, 4]], "INT32"), ("MirrorPad", ["Data", "Const"], {"mode": "REFLECT"})],
    ),
    "Pad 13": (
        one("Pad", {"x": [4, 6], "p": ([4], INT64)}, opset=13),
        [("PadV3", ["Data", "Data"], {"mode": "constant", "paddings_contiguous": False})],
    ),
    "ConstantOfShape": (
        one("ConstantOfShape", {"s": ([2], INT64)}, value=helper.make_tensor("v", INT64, [1], [7])),
        [const(7), ("Fill", ["Data", "Const"], {})],
    ),
    "ArgMax": (
        one("ArgMax", {"x": [4, 6]}, axis=1),
        [
            const(1),
            ("ArgMaxV2", ["Data", "Const"], {"dtype": 9}),
            const([1]),
            ("ExpandDims", ["ArgMaxV2", "Const"], {}),
        ],
    ),
    "ReduceMean 11": (
        one("ReduceMean", {"x": [4, 6]}, axes=[1], opset=11),
        [const([1]), ("ReduceMean", ["Data", "Const"], {"keep_dims": True})],
    ),
    "ReduceSum 13": (
        one("ReduceSum", {"x": [4, 6], "a": ([1], INT64)}, keepdims=0),
        [("ReduceSum", ["Data", "Data"], {"keep_dims": False, "noop_with_empty_axes": False})],
    ),
    "ReduceL2": (
        one("ReduceL2", {"x": [4, 6]}, axes=[1]),
        [("LpNormV2", ["Data"], {"p": 2, "axes": (1,), "keepdim": True})],
    ),
    "OneHot": (
        one("OneHot", {"i": ([2], INT64), "d": ([], INT64), "v": [2]}),
        [
            const(0, "INT32"),
            ("Split", ["Const", "Data"], {"num_split": 2}),
            ("Add", ["Data", "Data"], {}),
            ("Mod", ["Add", "Data"], {}),
            ("OneHot", ["Mod", "Data", "Split", "Split"], {"axis": -1}),
        ],
    ),
    "TopK": (
        one("TopK", {"x": [4, 6], "k": ([1], INT64)}, 2),
        [("TopK", ["Data", "Data"], {"dim": -1, "largest": True, "sorted": True})],
    ),
    "Shape": (one("Shape", {"x": [4, 6]}), [("Shape", ["Data"], {"dtype": 9})]),
    "DepthToSpace": (
        one("DepthToSpace", {"x": [1, 4, 2, 2]}, blocksize=2),
        [("DepthToSpace", ["Data"], {"block_size": 2, "mode": "DCR", "data_format": "NCHW"})],
    ),
    "Where": (
        one("Where", {"c": ([4], BOOL), "a": [4], "b": [4]}),
        [("SelectV2", ["Data"] * 3, {})],
    ),
    "LayerNormalization": (
        one("LayerNormalization", {"x": [2, 8], "s": [8], "b": [8]}, axis=1, epsilon=0.5),
        [("LayerNorm", ["Data"] * 3, {"begin_norm_axis": 1, "begin_params_axis": 1, "epsilon": 0.5})],
    ),
    "NonMaxSuppression": (
        one("NonMaxSuppression", {"b": [1, 6, 4], "s": [1, 1, 6]}),
        [
            ("NonMaxSuppressionV6", ["Data", "Data"], {"center_point_box": 0}),
            ("Cast", ["NonMaxSuppressionV6"], {"dst_type": 9}),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_operator_becomes_what_the_mapping_table_says(name: str) -> None:
    made, expected = CASES[name]
    found = structure(graph_of(made))
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    for (_, _, attrs), (_, _, wanted) in zip(found, expected, strict=True):
        assert attrs.keys() == wanted.keys()
        for key, value in wanted.items():
            assert attrs[key] == (pytest.approx(value, rel=1e-6) if isinstance(value, float) else value)
