"""Operators of ONNX that become one operator of Ascend: names of inputs and what attributes are called there.

It is a table; an operator that needs more than renaming stands in one of the other modules.

Source: spec/formats.md 5.4. Attributes that the table does not name keep their names, as "attrs same" says there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.pieces import Ref, SmallGraph

Scalar = int | float | str


@dataclass(frozen=True, slots=True)
class Direct:
    """One operator: ``inputs`` and ``outputs`` are names (``*``: any number).

    ``attrs`` gives, for an attribute of ONNX, Ascend's name and the default that is written when the node has none;
    ``fixed`` is what the plugin always writes; ``dropped`` is what it never looks at; ``only`` holds attributes that
    must have one value. ``count`` names the attribute that holds the number of inputs.
    """

    inputs: str = "x"
    outputs: int = 1
    attrs: Mapping[str, tuple[str, Scalar]] = field(default_factory=dict)
    fixed: Mapping[str, AttrValue] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    only: Mapping[str, Scalar] = field(default_factory=dict)
    count: str = ""
    flags: tuple[str, ...] = ()

    def __call__(self, small: SmallGraph) -> Sequence[Ref]:
        """Write the operator."""
        for name, value in self.only.items():
            if _said(small, name, value) != value:
                raise small.wrong(f"has {name} {small.node.attrs[name]}; Ascend's plugin takes {value} only")
        attrs = self._attrs(small)
        if self.count:
            attrs[self.count] = len(small.inputs)
        first = small.op(
            small.plugin.type,
            *(small.given(index) for index in range(len(small.inputs))),
            attrs=attrs,
            names=self.inputs,
            outputs=max(self.outputs, len(small.node.outputs)),
        )
        return small.results(first, max(self.outputs, len(small.node.outputs)))

    def _attrs(self, small: SmallGraph) -> dict[str, AttrValue]:
        special = {*self.attrs, *self.dropped, *self.only}
        attrs = {name: _plain(small, name) for name in small.node.attrs if name not in special}
        for name, (called, default) in self.attrs.items():
            value = _said(small, name, default)
            attrs[called] = bool(value) if called in self.flags else value
        return {**attrs, **self.fixed}


def _said(small: SmallGraph, name: str, default: Scalar) -> Scalar:
    """Give an attribute of the kind of its default."""
    match default:
        case str():
            return small.attr(name, default)
        case float():
            return small.attr(name, default)
        case int():
            return small.attr(name, default)


def _plain(small: SmallGraph, name: str) -> AttrValue:
    """Give an attribute as it is. Raises ModelError for tensors and graphs, which no operator of the table takes."""
    value = small.node.attrs[name]
    items = value if isinstance(value, tuple) else (value,)
    plain = tuple(item for item in items if isinstance(item, int | float | str))
    if len(plain) != len(items):
        raise small.wrong(f"has an attribute '{name}' that is a tensor or a graph")
    return plain if isinstance(value, tuple) else plain[0]


_ONE: Final = Direct()
_TWO: Final = Direct("x1 x2", dropped=("axis", "broadcast"))

# fmt: off
_SAME: Final = (
    "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor",
    "Identity", "Log", "Mish", "Neg", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh", "Softplus",
    "Softsign", "Sqrt", "Tan", "Tanh", "BitwiseNot", "Det", "HardSwish", "Not", "SequenceLength", "IsNaN",
)
_PAIRS: Final = (
    "Add", "Sub", "Mul", "Div", "Pow", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "And", "Or",
    "BitwiseAnd", "BitwiseOr", "BitwiseXor", "CastLike",
)
# fmt: on

TABLE: Final[Mapping[str, Direct]] = {
    **dict.fromkeys(_SAME, _ONE),
    **dict.fromkeys(_PAIRS, _TWO),
    "Mod": Direct("x1 x2", dropped=("fmod",)),
    "Where": Direct("condition then else"),
    "Sum": Direct("x*", count="N"),
    "IsInf": Direct(only={"detect_negative": 1, "detect_positive": 1}),
    "PRelu": Direct("x weight"),
    "LeakyRelu": Direct(attrs={"alpha": ("negative_slope", 0.01)}),
    "Elu": Direct(attrs={"alpha": ("alpha", 1.0)}),
    "Selu": Direct(only={"alpha": 1.6732631921768188, "gamma": 1.0507010221481323}),
    "HardSigmoid": Direct("input_x", attrs={"alpha": ("alpha", 0.2), "beta": ("beta", 0.5)}),
    "Shrink": Direct("input_x", attrs={"lambd": ("lambd", 0.5), "bias": ("bias", 0.0)}),
    "Dropout": Direct(),
    "Hardmax": Direct(attrs={"axis": ("axis", -1)}),
    "MatMul": Direct("x1 x2 bias", fixed={"adj_x1": False, "adj_x2": False}),
    "Einsum": Direct("x*", attrs={"equation": ("equation", "")}, count="N"),
    "BatchNormalization": Direct(
        "x scale offset mean variance",
        5,
        {"epsilon": ("epsilon", 1e-5), "training_mode": ("is_training", 0)},
        {"data_format": "NCHW"},
        ("momentum", "spatial"),
        flags=("is_training",),
    ),
    "InstanceNormalization": Direct("x gamma beta", 3, {"epsilon": ("epsilon", 1e-5)}, {"data_format": "NCHW"}),
    "GlobalAveragePool": Direct(),
    "GlobalLpPool": Direct(attrs={"p": ("p", 2)}),
    "Reshape": Direct("x shape", attrs={"allowzero": ("allowzero", 0)}),
    "Flatten": Direct(attrs={"axis": ("axis", 1)}),
    "GatherElements": Direct("x index", attrs={"axis": ("dim", 0)}),
    "GatherND": Direct("x indices", attrs={"batch_dims": ("batch_dims", 0)}),
    "ScatterElements": Direct("data indices updates", attrs={"axis": ("axis", 0), "reduction": ("reduction", "none")}),
    "Scatter": Direct("data indices updates", attrs={"axis": ("axis", 0)}),
    "Tile": Direct("x multiples"),
    "Expand": Direct("x shape"),
    "Range": Direct("start limit delta"),
    "Size": Direct(fixed={"dtype": 9}),
    "CumSum": Direct(
        "x axis",
        attrs={"exclusive": ("exclusive", 0), "reverse": ("reverse", 0)},
        flags=("exclusive", "reverse"),
    ),
    "DepthToSpace": Direct(
        attrs={"blocksize": ("block_size", 1), "mode": ("mode", "DCR")}, fixed={"data_format": "NCHW"}
    ),
    "SpaceToDepth": Direct(attrs={"blocksize": ("block_size", 1)}, fixed={"data_format": "NCHW"}),
    "GridSample": Direct("x grid", attrs={"mode": ("interpolation_mode", "bilinear")}),
    "AffineGrid": Direct("theta output_size", attrs={"align_corners": ("align_corners", 0)}, flags=("align_corners",)),
    "ReverseSequence": Direct("x seq_lengths", attrs={"batch_axis": ("batch_dim", 1), "time_axis": ("seq_dim", 0)}),
    "LSTM": Direct("x w r b sequence_lens initial_h initial_c p", 3),
    "GRU": Direct("x w r b sequence_lens initial_h", 2),
    "SoftmaxCrossEntropyLoss": Direct("scores labels weights", 2, {"reduction": ("reduction", "mean")}),
    "SequenceConstruct": Direct("inputs*"),
    "SequenceAt": Direct("handle index"),
    "SequenceEmpty": Direct(""),
    "SequenceErase": Direct("handle index"),
    "SequenceInsert": Direct("handle value index"),
    "SplitToSequence": Direct(
        "x split", attrs={"axis": ("axis", 0), "keepdims": ("keep_dims", 1)}, flags=("keep_dims",)
    ),
    "ConcatFromSequence": Direct(
        "handle", attrs={"axis": ("axis", 0), "new_axis": ("new_axis", 0)}, flags=("new_axis",)
    ),
    "NPUFormatCast": Direct(),
}
"""Operators whose inputs and attributes are known; all others of the register keep theirs (``UNLISTED``)."""

UNLISTED: Final = Direct("x*")
"""An operator of the register that no table of the specification describes: its attributes stay as they are."""
