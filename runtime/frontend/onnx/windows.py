"""Windows over pictures: strides, dilations and pads as Ascend's operators write them, and lines made pictures.

Convolutions and pools share it. ONNX lists the begins of all axes, then the ends; Ascend wants pairs, and numbers for
the batch and the channels, too. Ascend has no operators on lines: a line becomes a picture of one row.

Source: spec/formats.md 5.4 (Conv, ConvTranspose, MaxPool, AveragePool).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from getrace.dumps.snapshot import AttrValue
from runtime.frontend.onnx.pieces import Ref, SmallGraph

ROW_AXIS: Final = 2
_FORMATS: Final = {1: "NCHW", 2: "NCHW", 3: "NCDHW"}


@dataclass(frozen=True, slots=True)
class Window:
    """A window over 1, 2 or 3 dimensions."""

    dims: int
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    auto_pad: str

    @property
    def is_line(self) -> bool:
        """Whether it goes over a line."""
        return self.dims == 1

    @property
    def data_format(self) -> str:
        """The order of dimensions."""
        return _FORMATS[self.dims]

    def full(self, values: Sequence[int]) -> tuple[int, ...]:
        """Write a number per dimension for all dimensions: 1 for the batch, the channels and a line's row."""
        return (1, 1, *((1,) if self.is_line else ()), *values)

    @property
    def paired(self) -> tuple[int, ...]:
        """Pads as pairs of begin and end, axis by axis."""
        pairs = (value for at in range(self.dims) for value in (self.pads[at], self.pads[self.dims + at]))
        return (*((0, 0) if self.is_line else ()), *pairs)

    def attrs(self) -> dict[str, AttrValue]:
        """What a convolution is told of it."""
        return {
            "strides": self.full(self.strides),
            "dilations": self.full(self.dilations),
            "pads": self.paired,
            "auto_pad": self.auto_pad,
            "data_format": self.data_format,
        }


def window_of(small: SmallGraph, dims: int | None) -> Window:
    """Read the window of a node. ``dims`` counts where the node has no kernel_shape; None when nobody knows.

    Raises ModelError when lists do not fit each other, or there are more than three dimensions.
    """
    kernel = small.attr("kernel_shape", ())
    count = len(kernel) or dims
    if count is None or count not in _FORMATS:
        raise small.wrong(f"goes over {'an unknown number of' if count is None else count} dimensions")
    window = Window(
        count,
        kernel,
        small.attr("strides", ()) or (1,) * count,
        small.attr("dilations", ()) or (1,) * count,
        small.attr("pads", ()) or (0,) * (2 * count),
        small.attr("auto_pad", "NOTSET"),
    )
    if {len(window.strides), len(window.dilations)} != {count} or len(window.pads) != 2 * count:
        raise small.wrong(f"has strides, dilations or pads that do not fit {count} dimensions")
    return window


def dims_of(*values: Ref) -> int | None:
    """Tell the number of dimensions besides the batch and the channels from the first rank that is known."""
    ranks = [value.rank for value in values if value.rank is not None]
    return ranks[0] - ROW_AXIS if ranks else None


def over_pictures(
    small: SmallGraph, window: Window, values: Sequence[Ref], work: Callable[[Sequence[Ref]], Sequence[Ref]]
) -> list[Ref]:
    """Do work on pictures: lines become pictures before, and their results lines behind."""
    if not window.is_line:
        return list(work(values))
    attrs: dict[str, AttrValue] = {"axes": (ROW_AXIS,)}
    rows = [small.op("Unsqueeze", value, attrs=attrs, names="x") for value in values]
    return [small.op("Squeeze", result, attrs={"axis": (ROW_AXIS,)}, names="x") for result in work(rows)]
