"""A filled curve in characters: braille dots, two samples and four levels a cell, or ASCII bars."""

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_LEFT = np.array([0x00, 0x40, 0x44, 0x46, 0x47])
_RIGHT = np.array([0x00, 0x80, 0xA0, 0xB0, 0xB8])
_BRAILLE = 0x2800
_LEVELS = 4


def filled(samples: Ints, peak: int, height: int, *, ascii_only: bool = False) -> list[str]:
    """Draw ``samples`` (two a cell) as ``height`` lines, the topmost first; ``peak`` is the value of the full height.

    A value above 0 is never invisible. ``ascii_only`` draws with ``#`` and ``.`` instead of braille.
    """
    levels = np.ceil(samples.astype(np.float64) / max(peak, 1) * (height * _LEVELS)).astype(np.int64)
    if ascii_only:
        return [_bars(levels[0::2], levels[1::2], row) for row in reversed(range(height))]
    return [_dots(levels, row) for row in reversed(range(height))]


def _dots(levels: Ints, row: int) -> str:
    here = np.clip(levels - row * _LEVELS, 0, _LEVELS)
    codes = _BRAILLE + (_LEFT[here[0::2]] | _RIGHT[here[1::2]])
    return "".join(map(chr, codes.tolist())).replace(chr(_BRAILLE), " ")


def _bars(left: Ints, right: Ints, row: int) -> str:
    here = np.maximum(left, right) - row * _LEVELS
    return "".join(" " if level <= 0 else "." if level <= _LEVELS // 2 else "#" for level in here.tolist())


def sparkline(samples: Ints, *, ascii_only: bool = False) -> str:
    """Draw samples (two a cell) in one line, on a scale that keeps single ones visible beside thousands.

    The scale is logarithmic: a level over time is looked at for when, not for how many.
    """
    scaled = np.ceil(np.log2(samples.astype(np.float64) + 1)).astype(np.int64)
    peak = max(int(scaled.max(initial=0)), _LEVELS)
    return filled(scaled, peak, 1, ascii_only=ascii_only)[0]
