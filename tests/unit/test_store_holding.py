"""Columns of which few rows have a value: what they hold where, asked in several ways, against a plain list."""

import random

import numpy as np
import pytest

from getrace.store.columns import Columns, none_of
from getrace.store.forms import Sparse

NONE = none_of("rt_stream")


def columns_of(blocks: list[list[int]]) -> tuple[Columns, list[int]]:
    columns, whole = Columns(), [value for block in blocks for value in block]
    for block in blocks:
        at = [row for row, value in enumerate(block) if value != NONE]
        held = Sparse(np.array(at, np.int64), np.array([block[row] for row in at], np.int64))
        columns.extend(len(block), {"rt_stream": held})
    return columns, whole


def blocks_of(seed: int, share: float) -> list[list[int]]:
    dice = random.Random(seed)
    sizes = [dice.choice([0, 1, 40, 300]) for _ in range(12)]
    return [[dice.randrange(4) if dice.random() < share else NONE for _ in range(size)] for size in sizes]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [0.0, 0.01, 0.2])
def test_rows_are_found_in_blocks_as_in_a_list(seed: int, share: float) -> None:
    columns, whole = columns_of(blocks_of(seed, share))
    dice = random.Random(seed)
    for count in (0, 1, 5, len(whole)):
        rows = sorted(dice.sample(range(len(whole)), min(count, len(whole))))
        assert columns.at("rt_stream", np.array(rows, np.int64)).tolist() == [whole[row] for row in rows]
        shuffled = [*rows[::-1], *rows[:3]]
        assert columns.at("rt_stream", np.array(shuffled, np.int64)).tolist() == [whole[row] for row in shuffled]


@pytest.mark.parametrize("number", [0, 3, 7, NONE])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9])
def test_the_rows_that_hold_a_number_come_in_order(number: int, share: float) -> None:
    columns, whole = columns_of(blocks_of(5, share))
    wanted = [row for row, value in enumerate(whole) if value == number]
    assert columns.holding("rt_stream", number).tolist() == wanted
    columns.view("rt_stream")  # whole now
    assert columns.holding("rt_stream", number).tolist() == wanted


def test_rows_before_the_first_value_have_none() -> None:
    columns, _ = columns_of([[NONE] * 3 + [5] * 2, [NONE] * 20])
    assert columns.at("rt_stream", np.array([0, 1, 3])).tolist() == [NONE, NONE, 5]
    assert columns.at("rt_stream", np.array([4, 5, 24])).tolist() == [5, NONE, NONE]
