"""Memory of blocks: used again when nobody holds a part of it, and not before."""

import numpy as np

from getrace.plog.scan_plan import EVENT_NAMES
from getrace.plog.scan_room import Rooms
from getrace.store.forms import Sparse

NAMES = ("time", "level", "offset")


def test_memory_is_used_again_when_the_block_is_gone() -> None:
    rooms, counts = Rooms(NAMES), np.zeros(len(EVENT_NAMES), np.int64)
    first = rooms.free(100)
    block = first.block(3, counts)
    assert rooms.free(100) is not first
    del block
    assert first.is_free()
    assert rooms.free(200) is not first


def test_one_column_that_is_kept_keeps_the_memory() -> None:
    rooms, counts = Rooms(NAMES), np.zeros(len(EVENT_NAMES), np.int64)
    counts[2] = 2
    room = rooms.free(100)
    block = room.block(3, counts)
    events = block[EVENT_NAMES[2]]
    assert isinstance(events, Sparse)
    kept = events.values
    del block, events
    assert not room.is_free()
    room.event_values[2, :2] = 7, 8
    assert kept.tolist() == [7, 8]
    del kept
    assert room.is_free()
