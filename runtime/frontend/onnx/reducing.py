"""Along axes, in several operators of Ascend: reductions before version 13, and the place of the largest element.

Source: spec/formats.md 5.4.
"""

from collections.abc import Callable, Sequence
from typing import Final

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.pieces import Ref, SmallGraph
from runtime.values import DType

_TOP_K_TAKES_INPUT: Final = 10


def _keep(small: SmallGraph) -> dict[str, AttrValue]:
    return {"keep_dims": small.flag("keepdims", 1)}


def _axes(small: SmallGraph) -> Ref:
    return small.const("Const", small.attr("axes", ()))


def _reduced(small: SmallGraph) -> Sequence[Ref]:
    """Axes become a constant before version 13, and are the second input from then on; none means all."""
    name = small.node.op_type
    if small.plugin.type == name:
        attrs = {**_keep(small), "noop_with_empty_axes": small.flag("noop_with_empty_axes", 0)}
        axes = small.given(1)
        if axes is None and not attrs["noop_with_empty_axes"]:
            return [small.op(name, small.need(0), attrs=attrs, names="x")]
        return [small.op(name, small.need(0), axes, attrs=attrs, names="x axes")]
    return [small.op(name, small.need(0), _axes(small), attrs=_keep(small), names="x axes")]


def _log_sum(small: SmallGraph) -> Sequence[Ref]:
    if small.plugin.type == "ReduceLogSum":
        return _reduced(small)
    total = small.op("ReduceSum", small.need(0), _axes(small), attrs=_keep(small), names="x axes")
    return [small.op("Log", total, names="x")]


def _extreme_place(op_type: str) -> Callable[[SmallGraph], Sequence[Ref]]:
    def rule(small: SmallGraph) -> Sequence[Ref]:
        if small.attr("select_last_index", 0):
            raise small.wrong("asks for the last of equal elements; Ascend gives the first")
        axis = small.attr("axis", 0)
        dimension = small.const("Const", axis, DType.INT64)
        attrs = {"dtype": DType.INT64.number}
        place = small.op(op_type, small.need(0), dimension, attrs=attrs, names="x dimension")
        if not small.flag("keepdims", 1):
            return [place]
        axes = small.const("Const_axis", (axis,), DType.INT64)
        return [small.op("ExpandDims", place, axes, names="x axis")]

    return rule


def _global_max(small: SmallGraph) -> Sequence[Ref]:
    x = small.need(0)
    if x.rank is None:
        raise small.wrong("reads a tensor whose rank is open", "describe the value in the model's value_info")
    axes = small.const("Const", tuple(range(2, x.rank)))
    return [small.op("ReduceMax", x, axes, attrs={"keep_dims": True}, names="x axes")]


def _top_k(small: SmallGraph) -> Sequence[Ref]:
    attrs: dict[str, AttrValue] = {
        "dim": small.attr("axis", -1),
        "largest": small.flag("largest", 1),
        "sorted": small.flag("sorted", 1),
    }
    x = small.need(0)
    old = small.opset < _TOP_K_TAKES_INPUT
    k = small.const("Const", small.attr("k", 1), DType.INT32) if old else small.need(1)
    first = small.op("TopK", x, k, attrs=attrs, names="x k", outputs=2)
    values, indices = small.results(first, 2)
    return [values, indices]


RULES: Final = {
    **dict.fromkeys(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceLogSumExp"), _reduced),
    "ReduceLogSum": _log_sum,
    "ArgMax": _extreme_place("ArgMaxV2"),
    "ArgMin": _extreme_place("ArgMin"),
    "GlobalMaxPool": _global_max,
    "TopK": _top_k,
}
"""By name of ONNX."""
