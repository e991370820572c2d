"""AddExample's tiling (``add_example_tiling.cpp``): eight cores, eight tiles each, whatever the shape."""

from runtime.ops.add_example.tiling_data import AddExampleTilingData
from runtime.ops.add_example.tiling_key import ELEMENTWISE
from runtime.ops.context import TilingContext
from runtime.ops.op_def import GRAPH_FAILED, GRAPH_SUCCESS

_CORES = 8
_TILES = 8


def add_example_tiling_func(context: TilingContext) -> int:
    """Fill in the tiling data and choose cores and branch."""
    tiling = context.get_tiling_data(AddExampleTilingData)
    if tiling is None:
        return GRAPH_FAILED
    tiling.totalLength = context.get_input_shape(0).get_storage_shape().get_shape_size()
    tiling.tileNum = _TILES
    context.set_block_dim(_CORES)
    context.set_tiling_key(ELEMENTWISE)
    return GRAPH_SUCCESS
