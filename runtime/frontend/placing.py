"""Which engine runs an operator of Ascend: the AI Core, unless GE's own engine takes it.

GE asks every engine in turn, by cost; here a table answers. If each rule chose for itself, Reshape would move data in
one model and none in another.

Source: spec/lowering.md 3 (types of GE's own engine).
"""

from typing import Final

from runtime.graph.builder import AI_CORE, GE_LOCAL

_LOCAL: Final = frozenset(
    {
        "Data",
        "Const",
        "FileConstant",
        "NetOutput",
        "If",
        "StatelessIf",
        "Case",
        "StatelessCase",
        "While",
        "StatelessWhile",
        "PartitionedCall",
        "StatefulPartitionedCall",
        "Constant",
        "Variable",
        "Identity",
        "Reshape",
        "ExpandDims",
        "Squeeze",
        "SqueezeV2",
        "SqueezeV3",
        "Unsqueeze",
        "UnsqueezeV2",
        "UnsqueezeV3",
        "Flatten",
        "FlattenV2",
        "Bitcast",
        "Shape",
        "ShapeN",
        "Size",
        "Rank",
    }
)


def engine_of(op_type: str) -> str:
    """Give the engine of an operator type."""
    return GE_LOCAL if op_type in _LOCAL else AI_CORE
