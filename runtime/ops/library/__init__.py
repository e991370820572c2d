"""Operators whose kind is the same for many: one row each, in place of six files each.

row.py          what a row says, and how it becomes a definition with all its functions
shape_rules.py  the shapes of outputs, as functions on shapes, elements and attributes
elementwise.py  one or two inputs, element by element
comparing.py    the same with a truth value as result, and choosing by one
reducing.py     sums along axes, concatenation
shaping.py      the same bytes under another shape
asking.py       what a tensor's shape is: Shape, ShapeN, Rank, Size, GatherShapes
networks.py     what networks are made of: products of matrices, softmax, transposing, picking
storing.py      writing into the first input: Assign and its kin
shaped.py       operators that other engines compute: their shapes alone
searching.py    operators that know their output's shape only after they ran
"""

from runtime.ops.library import asking, comparing, elementwise, networks, reducing, searching, shaping, storing
from runtime.ops.library.row import register_rows
from runtime.ops.library.shaped import register_shapes
from runtime.ops.registry import OpRegistry

ROWS = (
    *elementwise.ROWS,
    *comparing.ROWS,
    *reducing.ROWS,
    *networks.ROWS,
    *shaping.ROWS,
    *asking.ROWS,
    *storing.ROWS,
    *searching.ROWS,
)
"""Every operator of the library."""


def register(ops: OpRegistry) -> None:
    """Enter the library into a registry."""
    register_rows(ops, ROWS)
    register_shapes(ops)
