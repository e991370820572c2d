"""Shapes: what InferShape and its relatives saw and said (spec/kerneltrace.md 3.4).

A shape is a tuple of dimensions; a described tensor is ``(format, data type, dims)``; a described range is
``(format, data type, pairs)`` where pairs is a tuple of (min, max), or the text that GE prints when it cannot say.
"""

from dataclasses import dataclass

from getrace.events.base import Event

Dims = tuple[int, ...]
TensorDesc = tuple[str, str, Dims]
RangeDesc = tuple[str, str, tuple[tuple[int, int], ...] | str]


@dataclass(frozen=True, slots=True, repr=False)
class NodeType(Event):
    """The operator type of the kernel's compute node; printed by every shape kernel and by custom operators."""

    type: str


@dataclass(frozen=True, slots=True, repr=False)
class ShapesIn(Event):
    """InferShape's inputs: original and storage shapes."""

    original: tuple[TensorDesc, ...]
    storage: tuple[TensorDesc, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ShapesOut(Event):
    """InferShape's outputs: original and storage shapes."""

    original: tuple[TensorDesc, ...]
    storage: tuple[TensorDesc, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ShapesInFailed(Event):
    """InferShape's inputs could not be printed: fewer inputs than the first shape's index."""

    inputs: int
    start: int


@dataclass(frozen=True, slots=True, repr=False)
class ShapesSymbolic(Event):
    """Symbol values of an autofuse node, as the operator library prints them."""

    text: str


@dataclass(frozen=True, slots=True, repr=False)
class ShapeResult(Event):
    """The result of shape inference as the seed articles print it."""

    dims: Dims


@dataclass(frozen=True, slots=True, repr=False)
class RangesIn(Event):
    """InferShapeRange's inputs."""

    ranges: tuple[RangeDesc, ...]


@dataclass(frozen=True, slots=True, repr=False)
class RangesOut(Event):
    """InferShapeRange's outputs."""

    ranges: tuple[RangeDesc, ...]


@dataclass(frozen=True, slots=True, repr=False)
class RangesFailed(Event):
    """InferShapeRange's inputs could not be printed."""

    inputs: int
    start: int


@dataclass(frozen=True, slots=True, repr=False)
class TensorMissing(Event):
    """The n-th tensor, shape or range of a printer is missing; ``what`` is GE's words for it."""

    index: int
    what: str


@dataclass(frozen=True, slots=True, repr=False)
class NodeInfoMissing(Event):
    """The printer had no compute node information."""


@dataclass(frozen=True, slots=True, repr=False)
class TensorSize(Event):
    """CalcTensorSize: bytes of a tensor. ``dtype`` is the enum number."""

    dtype: int
    dims: Dims
    size: int


@dataclass(frozen=True, slots=True, repr=False)
class TensorSizeMissing(Event):
    """CalcTensorSize had no shape; ``what`` is ``shape`` or ``storage shape``."""

    what: str


@dataclass(frozen=True, slots=True, repr=False)
class ShapeTensorBuilt(Event):
    """BuildShapeTensorData: shapes became tensors; ``values`` is the text behind the data type."""

    dtype: str
    values: str


@dataclass(frozen=True, slots=True, repr=False)
class DynamicShape(Event):
    """GetCurDynamicShape: the shape that chooses a gear."""

    dims: Dims


@dataclass(frozen=True, slots=True, repr=False)
class ExtShapes(Event):
    """UpdateExtShape: the shapes an AI CPU kernel gets."""

    inputs: tuple[Dims, ...]
    outputs: tuple[Dims, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ExtShapesOut(Event):
    """GetExtOutputShapes: the shapes an AI CPU kernel computed."""

    original: tuple[Dims, ...]
    storage: tuple[Dims, ...]
