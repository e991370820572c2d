"""THE TABLE: every message of the grammar, family by family."""

from getrace.plog.row import Row
from getrace.plog.rows import (
    allocators,
    device,
    engines,
    failures,
    guide,
    launch,
    markers,
    memory,
    neighbours,
    older,
    pool_words,
    pools,
    shapes,
    streams,
)

ROWS: tuple[Row, ...] = (
    *markers.ROWS,
    *memory.ROWS,
    *allocators.ROWS,
    *streams.ROWS,
    *shapes.ROWS,
    *launch.ROWS,
    *engines.ROWS,
    *pools.ROWS,
    *pool_words.ROWS,
    *neighbours.ROWS,
    *older.ROWS,
    *device.ROWS,
    *failures.ROWS,
    *guide.ROWS,
)

__all__ = ["ROWS", "Row"]
