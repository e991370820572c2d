"""AddExample's kernel (``add_example.h`` and ``add_example.cpp``), core by core and tile by tile.

It reads its length from the tiling data alone, as the code on the device does: wrong tiling data give wrong sums.
"""

from collections.abc import Iterator

import numpy as np

from runtime.ops.add_example.tiling_data import AddExampleTilingData
from runtime.ops.op_def import KernelArgs


def add_example(args: KernelArgs) -> None:
    """Add the inputs into the output."""
    tiling = AddExampleTilingData.from_buffer_copy(args.tiling)
    x1, x2 = args.inputs
    (y,) = args.outputs
    for begin, end in _tiles(tiling.totalLength, args.block_dim, tiling.tileNum):
        np.add(x1[begin:end], x2[begin:end], out=y[begin:end])


def _tiles(length: int, cores: int, tiles: int) -> Iterator[tuple[int, int]]:
    per_core = -(-length // cores)
    for first in range(0, length, max(per_core, 1)):
        last = min(first + per_core, length)
        step = max(-(-per_core // tiles), 1)
        yield from ((begin, min(begin + step, last)) for begin in range(first, last, step))
