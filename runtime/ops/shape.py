"""A shape that an operator's code reads and fills in, with the accessors of ``gert::Shape``."""

from collections.abc import Iterable
from math import prod

from runtime.values import Shape


class GertShape:
    """``gert::Shape``: dimensions one may set. ``shape`` is what they are now."""

    __slots__ = ("_dims",)

    def __init__(self, dims: Iterable[int] = ()) -> None:
        self._dims = list(dims)

    def get_dim_num(self) -> int:
        """``GetDimNum``."""
        return len(self._dims)

    def get_dim(self, index: int) -> int:
        """``GetDim``. Raises IndexError beyond the last dimension."""
        return self._dims[index]

    def set_dim_num(self, count: int) -> None:
        """``SetDimNum``: new dimensions are 0."""
        self._dims = (self._dims + [0] * count)[:count]

    def set_dim(self, index: int, value: int) -> None:
        """``SetDim``. Raises IndexError beyond the last dimension."""
        self._dims[index] = value

    def get_shape_size(self) -> int:
        """``GetShapeSize``: elements; 1 for a scalar."""
        return prod(self._dims)

    @property
    def shape(self) -> Shape:
        """The dimensions as a value."""
        return Shape(self._dims)
