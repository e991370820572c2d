"""Where a row stands among rows that are in order.

numpy looks for a number of another type than the rows' by copying all of them, which over millions takes a key's time.
"""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt


def place_of(rows: npt.NDArray[Any], row: int, side: Literal["left", "right"] = "left") -> int:
    """Give the place of a row, before (``left``) or behind (``right``) those equal to it."""
    limits = np.iinfo(rows.dtype)
    if row < limits.min:
        return 0
    return len(rows) if row > limits.max else int(np.searchsorted(rows, rows.dtype.type(row), side))
