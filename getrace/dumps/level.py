"""How much a dump says: the value of ``DUMP_GE_GRAPH`` (spec/lowering.md 9.2)."""

from enum import IntEnum


class Level(IntEnum):
    """Content of dumps, by GE's numbers."""

    NONE = 0
    ALL = 1
    """With weights and texts."""
    NO_DATA = 2
    """Without the data of constants, and in ge_onnx without texts."""
    STRUCTURE = 3
    """As ``NO_DATA``; in ge_onnx nodes and edges only."""

    @property
    def has_data(self) -> bool:
        """Whether the data of constants is written, and in ge_onnx texts."""
        return self is Level.ALL
