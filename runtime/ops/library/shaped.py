"""Operators of which only the shapes are known here: engines with kernels of their own compute them.

Without these rows no collective, no random number and no sequence could run: their converters infer shapes as for any
other operator.
"""

from typing import Final, NamedTuple

from runtime.ops.library.row import Asked, ShapeRule, infer_shape_by
from runtime.ops.library.shape_rules import same
from runtime.ops.op_def import DYNAMIC, IoDef, OpDef
from runtime.ops.registry import OpRegistry, impl_op_infershape, op_add
from runtime.values import DType, Shape

_TYPES: Final = tuple(DType)


class ShapeRow(NamedTuple):
    """An operator's shapes; ``depends`` are the inputs whose elements they depend on."""

    name: str
    shapes: ShapeRule
    depends: tuple[int, ...] = ()


def _gathered(asked: Asked) -> list[Shape]:
    first, *rest = asked.shapes[0]
    return [Shape((first * int(asked.attrs["rank_size"]), *rest))]


def _scattered(asked: Asked) -> list[Shape]:
    (first, *rest), ranks = asked.shapes[0], int(asked.attrs.get("rank_size", 1))
    if first % ranks:
        raise ValueError(f"{first} rows do not come out even for {ranks} ranks")
    return [Shape((first // ranks, *rest))]


def _counted(asked: Asked) -> list[Shape]:
    """The first input of a random number operator says how many it wants."""
    count = asked.elements(0)
    if count is None:
        raise ValueError("the count is not known on the host")
    return [Shape((int(count.reshape(-1)[0]),))]


def _scalar(_asked: Asked) -> list[Shape]:
    return [Shape()]


def _given_counts(asked: Asked) -> list[Shape]:
    """What the counts of a rank say it receives; only they know."""
    counts = asked.elements(3)
    if counts is None:
        return [asked.shapes[0]]
    return [Shape((int(counts.sum()), *asked.shapes[0][1:]))]


_DISTRIBUTIONS: Final = ("GenBitMask", "RandomUniform", "RandomNormal", "RandomTruncatedNormal")

ROWS: Final = (
    *(ShapeRow(name, same) for name in ("HcomAllReduce", "HcomReduce", "HcomAllToAll", "HcomAllToAllVC")),
    *(ShapeRow(name, _gathered) for name in ("HcomAllGather",)),
    *(ShapeRow(name, _scattered) for name in ("HcomReduceScatter",)),
    ShapeRow("HcomAllToAllV", _given_counts, (3,)),
    *(
        ShapeRow(f"DSA{state}{name}", _counted, (0,))
        for state in ("", "Stateless")
        for name in _DISTRIBUTIONS
        if "Mask" not in name
    ),
    *(ShapeRow(name, _scalar) for name in ("SequenceEmpty", "SequenceLength")),
)


def register_shapes(ops: OpRegistry) -> None:
    """Enter the rows into a registry."""
    for row in ROWS:
        inputs = (IoDef("x", _TYPES, param=DYNAMIC),)
        op_add(ops, OpDef(row.name, inputs, (IoDef("y", _TYPES),), data_dependency=row.depends))
        impl_op_infershape(ops, row.name, infer_shape_by(row.shapes))
