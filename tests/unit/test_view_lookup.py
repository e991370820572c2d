"""Where a row stands among rows, whatever their type."""

import numpy as np
import pytest

from views.model.lookup import place_of


@pytest.mark.parametrize("dtype", ["i2", "i4", "i8", "u4"])
@pytest.mark.parametrize(("row", "before", "behind"), [(-1, 0, 0), (3, 0, 1), (4, 1, 1), (9, 1, 2), (2**40, 2, 2)])
def test_a_row_finds_its_place(dtype: str, row: int, before: int, behind: int) -> None:
    rows = np.array([3, 9], dtype)
    assert (place_of(rows, row), place_of(rows, row, "right")) == (before, behind)
