"""The operator library as lowering sees it: what the authors of operators registered beside their kernels.

Which kernels an operator needs depends on facts that stand in no model: whether its shape depends on the elements of
an input, whether a function for shape ranges exists. They are asked for here and nowhere else; two tables of them
would lower one operator in two ways.

Source: spec/lowering.md 5.1, 4.1 (2); GE keeps these facts in its OpImplSpaceRegistry (``IMPL_OP(type)``).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from getrace.errors import InternalError
from runtime.ops.builtin import builtin_ops
from runtime.ops.op_def import OpDef
from runtime.ops.registry import OpRegistry


@dataclass(frozen=True, slots=True)
class OpTraits:
    """What is registered for a type. Inputs are numbered as in the operator's definition (IR), not as in a node.

    ``data_dependency``: inputs whose elements shape inference reads; ``tiling_dependency``: those that only tiling
    reads. ``infer_shape_range``: a function for shape ranges exists.

    ``infer_shape`` and ``tiling``: the functions stand in the register of today; False for an operator whose author
    left them in an old one (v1; v3 or v4). ``execute_phases``: an aclnn operator computes in one call, or prepares and
    launches in two; 0 for an operator that is none. ``host_inputs``: inputs it reads on the host.
    ``custom_infer_shape``: a user's object tells its output shapes before it runs.
    """

    name: str
    data_dependency: frozenset[int] = frozenset()
    tiling_dependency: frozenset[int] = frozenset()
    infer_shape_range: bool = False
    infer_shape: bool = True
    tiling: bool = True
    execute_phases: int = 0
    host_inputs: frozenset[int] = frozenset()
    custom_infer_shape: bool = False


class OpLibrary:
    """Traits by operator type; a type that is not in it has nothing registered."""

    def __init__(self, traits: Iterable[OpTraits] = ()) -> None:
        self._by_name: dict[str, OpTraits] = {}
        for row in traits:
            if row.name in self._by_name:
                raise InternalError(f"operator {row.name} stands twice in the library")
            self._by_name[row.name] = row

    def traits(self, op_type: str) -> OpTraits:
        """Give what is registered for a type: nothing, when it is unknown."""
        return self._by_name.get(op_type) or OpTraits(op_type)

    def extended(self, traits: Iterable[OpTraits]) -> "OpLibrary":
        """Give a library with some more operators; one of a known name takes its place."""
        return OpLibrary((self._by_name | {row.name: row for row in traits}).values())


_FIRST = frozenset({0})

_BUILTIN = tuple(OpTraits(name, _FIRST) for name in ("If", "_If", "StatelessIf", "Case"))
"""Dependencies of GE's own operators that its dumps show (spec/lowering.md 5.1, 4.12)."""


def builtin_library() -> OpLibrary:
    """Give the library of the operators that come with the simulator, and of those GE's converters know by name."""
    return library_of(builtin_ops())


def library_of(ops: OpRegistry) -> OpLibrary:
    """Give what the operators of a register say of themselves, beside those that GE's converters know by name.

    They say it themselves: a table of it beside them would lower an operator to kernels that look for functions
    it does not have.
    """
    return OpLibrary(_BUILTIN).extended(_traits(op) for op in ops)


def _traits(op: OpDef) -> OpTraits:
    """An operator without any function counts as one of today: lowering it fails where its function is looked for."""
    return OpTraits(
        op.name,
        frozenset(op.data_dependency),
        infer_shape_range=op.infer_shape_range is not None,
        infer_shape=op.infer_shape is not None or op.infer_func is None,
        tiling=op.tiling is not None or op.old_tiling is None,
    )
