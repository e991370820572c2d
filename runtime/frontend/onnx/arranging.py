"""Moving elements, in several operators of Ascend: transposing, joining, cutting, padding, gathering, filling.

Source: spec/formats.md 5.4.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.element_types import dtype_of
from runtime.frontend.onnx.pieces import Ref, SmallGraph
from runtime.graph.compute_graph import nd_desc
from runtime.values import DType

_SLICE_TAKES_INPUTS: Final = 10
_PAD_TAKES_INPUTS: Final = 11
_SCATTER: Final = {"none": "ScatterNdUpdate", "add": "ScatterNdAdd", "max": "ScatterNdMax", "min": "ScatterNdMin"}


def _transpose(small: SmallGraph) -> Sequence[Ref]:
    x = small.need(0)
    perm = small.attr("perm", ())
    if not perm:
        if x.rank is None:
            raise small.wrong("has no perm, and its input has an open rank", "write perm, or describe the value")
        perm = tuple(reversed(range(x.rank)))
    return [small.op("Transpose", x, small.const("Const", perm), names="x perm")]


def _concat(small: SmallGraph) -> Sequence[Ref]:
    every = small.every()
    if len(every) == 1:
        return [small.op("Identity", every[0], names="x")]
    attrs: dict[str, AttrValue] = {"concat_dim": small.attr("axis", 1), "N": len(every)}
    return [small.op("ConcatD", *every, attrs=attrs, names="x*")]


def _split(small: SmallGraph) -> Sequence[Ref]:
    """SplitV where sizes are said, by input, attribute or number; Split where parts are equal."""
    x, axis, parts = small.need(0), small.attr("axis", 0), len(small.node.outputs)
    dim = small.const("Const_split_dim", axis, DType.INT32)
    attrs: dict[str, AttrValue] = {"num_split": parts}
    sizes = small.given(1)
    if sizes is None and (small.attr("split", ()) or small.attr("num_outputs", 0)):
        sizes = small.const("Const_size_splits", _sizes(small, x, axis))
    if sizes is None:
        first = small.op("Split", dim, x, attrs=attrs, names="split_dim x", outputs=parts)
    else:
        names = "x size_splits split_dim"
        first = small.op("SplitV", x, sizes, dim, attrs=attrs, names=names, outputs=parts)
    return small.results(first, parts)


def _sizes(small: SmallGraph, x: Ref, axis: int) -> Sequence[int]:
    said = small.attr("split", ())
    if said:
        return said
    parts, rank = small.attr("num_outputs", 0), x.rank
    length = x.desc.shape[axis] if rank is not None and -rank <= axis < rank else -1
    if parts <= 0 or length < 0 or length % parts:
        raise small.wrong(f"cuts {length} elements into {parts} equal parts, which Ascend's plugin cannot")
    if parts != len(small.node.outputs):
        raise small.wrong(f"has {len(small.node.outputs)} results for {parts} parts")
    return (length // parts,) * parts


def _slice(small: SmallGraph) -> Sequence[Ref]:
    names = "x begin end axes strides"
    if small.opset >= _SLICE_TAKES_INPUTS:
        fed = [small.given(index) for index in range(5)]
        return [small.op("StridedSliceV2", *fed, names=names)]
    starts, ends = small.attr("starts", ()), small.attr("ends", ())
    axes = small.attr("axes", ()) or tuple(range(len(starts)))
    values = {"begin": starts, "end": ends, "axes": axes, "strides": (1,) * len(starts)}
    made = [small.const(f"Const_{name}", each) for name, each in values.items()]
    return [small.op("StridedSliceV2", small.need(0), *made, names=names)]


def _gather(small: SmallGraph) -> Sequence[Ref]:
    axis = small.const("Const", small.attr("axis", 0))
    attrs = {"negative_index_support": True}
    return [small.op("GatherV2", small.need(0), small.need(1), axis, attrs=attrs, names="x indices axis")]


def _scatter_nd(small: SmallGraph) -> Sequence[Ref]:
    reduction = small.attr("reduction", "none")
    if reduction not in _SCATTER:
        raise small.wrong(f"has the reduction {reduction!r}; Ascend has {', '.join(_SCATTER)}")
    moved = small.op("TensorMove", small.need(0), names="x")
    return [small.op(_SCATTER[reduction], moved, small.need(1), small.need(2), names="var indices updates")]


def _pad(small: SmallGraph) -> Sequence[Ref]:
    mode = small.attr("mode", "constant")
    if small.opset >= _PAD_TAKES_INPUTS:
        attrs: dict[str, AttrValue] = {"mode": mode, "paddings_contiguous": False}
        fed = [small.given(index) for index in range(3)]
        return [small.op("PadV3", *fed, attrs=attrs, names="x paddings constant_values")]
    pads = small.attr("pads", ())
    half = len(pads) // 2
    pairs = [[pads[at], pads[half + at]] for at in range(half)]
    content = np.array(pairs, np.int32).reshape(half, 2)
    paddings = small.const_of("Const", nd_desc((half, 2), DType.INT32), content.tobytes())
    if mode == "reflect":
        return [small.op("MirrorPad", small.need(0), paddings, attrs={"mode": "REFLECT"}, names="x paddings")]
    value = small.const("Const_value", small.attr("value", 0.0), DType.FLOAT)
    attrs = {"mode": mode, "paddings_contiguous": True}
    return [small.op("PadV3", small.need(0), paddings, value, attrs=attrs, names="x paddings constant_values")]


def _fill(small: SmallGraph) -> Sequence[Ref]:
    """The value is a tensor of one element; Fill takes a scalar."""
    said = small.tensor("value")
    if said is None:
        value = small.const("Const", 0.0, DType.FLOAT)
    else:
        desc, content = said
        if len(content) != desc.dtype.size:
            raise small.wrong("has a value of more or fewer than one element")
        value = small.const_of("Const", nd_desc((), desc.dtype), content)
    return [small.op("Fill", small.need(0), value, names="dims value")]


def _eye_like(small: SmallGraph) -> Sequence[Ref]:
    """A diagonal of ones: as long as the rows are, one shorter for each step beside the middle."""
    k = small.attr("k", 0)
    dtype = dtype_of(small.attr("dtype", 1), f"the result of node '{small.label}'")
    shape = small.op("Shape", small.need(0), attrs={"dtype": DType.INT64.number}, names="x")
    dim = small.const("Const_split_dim", 0, DType.INT32)
    first = small.op("Split", dim, shape, attrs={"num_split": 2}, names="split_dim x", outputs=2)
    rows, columns = small.results(first, 2)
    length = small.op("Adds", rows, attrs={"value": float(-abs(k))}, names="x")
    ones = small.op("Fill", length, small.const("Const_one", 1.0, DType.FLOAT), names="dims value")
    diagonal = small.op("Cast", ones, attrs={"dst_type": dtype.number}, names="x")
    place = small.const("Const_k", k, DType.INT32)
    sides = [small.op("Squeeze", side, attrs={"axis": (0,)}, names="x") for side in (rows, columns)]
    padding = small.const("Const_padding", 0, dtype)
    names = "diagonal k num_rows num_cols padding_value"
    return [small.op("MatrixDiagV2", diagonal, place, *sides, padding, names=names)]


def _trilu(small: SmallGraph) -> Sequence[Ref]:
    attrs = {"upper": small.flag("upper", 1)}
    return [small.op("Trilu", small.need(0), small.given(1), attrs=attrs, names="x k")]


def _one_hot(small: SmallGraph) -> Sequence[Ref]:
    """Negative indices count from the end: the depth is added and the rest of the division taken."""
    indices, depth, values = (small.need(index) for index in range(3))
    dim = small.const("Const", 0, DType.INT32)
    first = small.op("Split", dim, values, attrs={"num_split": 2}, names="split_dim x", outputs=2)
    off, on = small.results(first, 2)
    shifted = small.op("Add", indices, depth, names="x1 x2")
    wrapped = small.op("Mod", shifted, depth, names="x1 x2")
    attrs = {"axis": small.attr("axis", -1)}
    return [small.op("OneHot", wrapped, depth, on, off, attrs=attrs, names="x depth on_value off_value")]


def _non_zero(small: SmallGraph) -> Sequence[Ref]:
    return [small.op("NonZero", small.need(0), attrs={"transpose": True, "dtype": DType.INT64.number}, names="x")]


def _compress(small: SmallGraph) -> Sequence[Ref]:
    x, condition = small.need(0), small.need(1)
    places = small.op("Squeeze", small.op("Where", condition, names="x"), attrs={"axis": (1,)}, names="x")
    flat = "axis" not in small.node.attrs
    if flat:
        x = small.op("Flatten", x, attrs={"axis": 0}, names="x")
    axis = small.const("Const", 1 if flat else small.attr("axis", 0))
    taken = small.op("GatherV2", x, places, axis, names="x indices axis")
    return [small.op("Squeeze", taken, attrs={"axis": (0,)}, names="x", suffix="Squeeze_row") if flat else taken]


def _unique(small: SmallGraph) -> Sequence[Ref]:
    attrs: dict[str, AttrValue] = {"return_inverse": True, "return_counts": True, "sorted": small.flag("sorted", 1)}
    if "axis" in small.node.attrs:
        raise small.wrong("has an axis; Ascend's plugin takes none")
    first = small.op("UniqueWithCountsAndSorting", small.need(0), attrs=attrs, names="x", outputs=3)
    values, inverse, counts = small.results(first, 3)
    shape = small.op("Shape", values, attrs={"dtype": DType.INT64.number}, names="x")
    places = small.op("Empty", shape, attrs={"dtype": DType.INT64.number}, names="shape")
    return [values, places, inverse, counts]


RULES: Final = {
    "Transpose": _transpose,
    "Concat": _concat,
    "Split": _split,
    "Slice": _slice,
    "Gather": _gather,
    "ScatterND": _scatter_nd,
    "Pad": _pad,
    "ConstantOfShape": _fill,
    "EyeLike": _eye_like,
    "Trilu": _trilu,
    "OneHot": _one_hot,
    "NonZero": _non_zero,
    "Compress": _compress,
    "Unique": _unique,
}
"""By name of ONNX."""
