"""What AddExample's tiling tells its kernel: 16 bytes, shared by both (``add_example_tiling_data.h``)."""

import ctypes


class AddExampleTilingData(ctypes.LittleEndianStructure):
    """``totalLength`` elements in all, each core's share in ``tileNum`` tiles."""

    _fields_ = (("totalLength", ctypes.c_int64), ("tileNum", ctypes.c_int64))
    totalLength: int  # noqa: N815 - the name in the structure that host and device share
    tileNum: int  # noqa: N815 - the same
