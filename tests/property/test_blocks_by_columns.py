"""Lives of blocks, found by columns, against those of a slow walk over the same lines, one by one."""

import random

import naive_blocks
import pytest
from handmade import HandLog

from getrace.analysis.blocks import ALLOCS, FREES, RETURNS, TAKEN_BACK, blocks
from getrace.events import Event
from getrace.events.pools import SpanAlloc

KINDS: tuple[type[Event], ...] = (*ALLOCS, *FREES, *RETURNS, *TAKEN_BACK, SpanAlloc)
NAMES = ("AllocMemHbm_a_1", "AllocMemHost_a_1", "FreeMemory_a_2", None)
ADDRESSES = (0, 0x1000, 0x2000, 0x3000)
NUMBERS = {
    "addr": ADDRESSES,
    "size": (512, 65_536, None),
    "asked": (100, None),
    "stream": (0, 1, None),
    "block": (7, None),
}


def _log(seed: int) -> HandLog:
    """Any memory lines in any order, of two processes and two threads; a seed in two leaves the returns out."""
    dice = random.Random(seed)
    kinds = [kind for kind in KINDS if seed % 2 or kind not in (*RETURNS, SpanAlloc)]
    log = HandLog()
    for _ in range(dice.randrange(120)):
        kind = dice.choice(kinds)
        event = kind.__new__(kind)
        fields: tuple[str, ...] = getattr(kind, "__slots__", ())
        for field in fields:
            object.__setattr__(event, field, dice.choice(NUMBERS.get(field, (None,))))
        log.say(event, dice.choice(NAMES), tid=dice.randrange(2), pid=dice.randrange(2))
    return log


@pytest.mark.parametrize("seed", range(60))
def test_lives_by_columns_are_those_of_a_walk(seed: int) -> None:
    store = _log(seed).store()
    for wanted in (None, {0x1000}, {0x1000, 0x3000}, set()):
        assert list(blocks(store, wanted)) == naive_blocks.blocks(store, wanted)
