"""Products of matrices and convolutions.

Source: spec/formats.md 5.4 (Gemm, Conv, ConvTranspose).
"""

from collections.abc import Sequence
from typing import Final

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.pieces import Ref, SmallGraph
from runtime.frontend.onnx.windows import dims_of, over_pictures, window_of


def _gemm(small: SmallGraph) -> Sequence[Ref]:
    """Without a third input alpha is ignored, as GE's plugin does."""
    transposed: dict[str, AttrValue] = {
        "transpose_x1": small.flag("transA", 0),
        "transpose_x2": small.flag("transB", 0),
    }
    product = small.op("MatMulV2", small.need(0), small.need(1), attrs=transposed, names="x1 x2")
    added = small.given(2)
    alpha, beta = small.attr("alpha", 1.0), small.attr("beta", 1.0)
    if added is None:
        if alpha != 1.0:
            small.warnings.append(f"node '{small.label}': alpha {alpha} is ignored without a third input, as in GE")
        return [product]
    if (alpha, beta) != (1.0, 1.0):
        product = small.op("Muls", product, attrs={"value": alpha}, names="x", suffix="Muls_alpha")
        added = small.op("Muls", added, attrs={"value": beta}, names="x", suffix="Muls_beta")
    return [small.op("Add", product, added, names="x1 x2")]


def _conv(small: SmallGraph) -> Sequence[Ref]:
    x, weight, bias = small.need(0), small.need(1), small.given(2)
    window = window_of(small, dims_of(weight, x))
    attrs = {**window.attrs(), "groups": small.attr("group", 1)}
    op_type = "Conv3D" if window.dims == 3 else "Conv2D"
    return over_pictures(
        small,
        window,
        (x, weight),
        lambda fed: [small.op(op_type, *fed, bias, attrs=attrs, names="x filter bias")],
    )


def _conv_transpose(small: SmallGraph) -> Sequence[Ref]:
    """The size of the result comes first, as a constant; zeros when the model leaves it to the operator."""
    x, weight, bias = small.need(0), small.need(1), small.given(2)
    window = window_of(small, dims_of(weight, x))
    wanted = small.attr("output_shape", ())
    sizes = window.full(wanted)[: 2 + len(wanted) + window.is_line] if wanted else (0,) * (2 + max(window.dims, 2))
    input_size = small.const("Const_input_size", sizes)
    padding = small.attr("output_padding", ()) or (0,) * window.dims
    attrs: dict[str, AttrValue] = {
        **window.attrs(),
        "groups": small.attr("group", 1),
        "output_padding": (0, 0, *((0,) if window.is_line else ()), *padding),
        "output_shape": wanted,
    }
    op_type = "Conv3DTranspose" if window.dims == 3 else "Conv2DTranspose"
    return over_pictures(
        small,
        window,
        (x, weight),
        lambda fed: [small.op(op_type, input_size, *fed, bias, attrs=attrs, names="input_size x filter bias")],
    )


RULES: Final = {"Gemm": _gemm, "Conv": _conv, "ConvTranspose": _conv_transpose}
"""By name of ONNX."""
