"""The shape that a tensor has in memory, from the one the model means (spec/lowering.md 1.5).

GE's transformer knows every pair of formats. Here are the pairs that its own logs show, and the most common one beside
them; for others no shape is given, so that a kernel fails in GE's words and does not go on with a wrong size.
"""

from collections.abc import Callable, Mapping
from typing import Final

from runtime.values import DType, Format, Shape, StorageFormat

_CUBE = 16
"""Rows of a block of FRACTAL_NZ, and the columns of one for types of 16 bits and more."""

_COLUMNS: Final[Mapping[int, int]] = {1: 256, 2: 128, 4: 64, 8: 32}
"""Columns of a block by the bits of an element, for types below 16 bits."""

_Transform = Callable[[Shape, int], Shape | None]


def storage_shape(origin: Shape, storage: StorageFormat, dtype: DType) -> Shape | None:
    """Give the shape in memory, or None for a pair of formats, or a number of dimensions, that is not known here."""
    if storage.storage == storage.origin:
        return origin
    transform = _TRANSFORMS.get((storage.origin, storage.storage))
    return None if transform is None else transform(origin, _COLUMNS.get(dtype.bits, _CUBE))


def _fractal_nz(origin: Shape, columns: int) -> Shape:
    """Cut the last two dimensions into blocks, columns of blocks first. A vector is a matrix of one column."""
    *outer, rows, width = origin if len(origin) > 1 else (*origin, *(1,) * (2 - len(origin)))
    return Shape((*outer, -(-width // columns), -(-rows // _CUBE), _CUBE, columns))


def _as_it_is(origin: Shape, _columns: int) -> Shape:
    """Nothing moves: ND says no order of dimensions that NCHW could change."""
    return origin


def _from_nchw(origin: Shape, columns: int) -> Shape | None:
    if len(origin) != len("NCHW"):
        return None
    n, c, h, w = origin
    return Shape((n, -(-c // columns), h, w, columns))


def _from_nhwc(origin: Shape, columns: int) -> Shape | None:
    if len(origin) != len("NHWC"):
        return None
    n, h, w, c = origin
    return Shape((n, -(-c // columns), h, w, columns))


_TRANSFORMS: Final[Mapping[tuple[Format, Format], _Transform]] = {
    **{(origin, Format.FRACTAL_NZ): _fractal_nz for origin in (Format.ND, Format.NCHW, Format.NHWC)},
    (Format.ND, Format.NCHW): _as_it_is,
    (Format.NCHW, Format.NC1HWC0): _from_nchw,
    (Format.NHWC, Format.NC1HWC0): _from_nhwc,
}
