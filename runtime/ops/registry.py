"""The register of operators, and the three ways an author enters something into it.

Entering is explicit and a second entry is refused with both names. If operators entered themselves while being
imported, what a model can do would depend on what somebody imported before.
"""

import ctypes
from collections.abc import Iterator
from dataclasses import replace

from getrace.errors import InternalError, ModelError
from runtime.ops.op_def import Compute, InferShape, InferShapeRange, OpDef, TilingFunc, TilingParse
from runtime.ops.operator_v1 import InferFunc, OldTiling

_DEFAULT = "DefaultImpl"


class OpRegistry:
    """Operators by type."""

    def __init__(self) -> None:
        self._ops: dict[str, OpDef] = {}

    def __iter__(self) -> Iterator[OpDef]:
        return iter(self._ops.values())

    def add(self, definition: OpDef) -> None:
        """Enter a definition. Raises InternalError when the type has one."""
        if definition.name in self._ops:
            raise InternalError(f"operator {definition.name} is defined twice")
        self._ops[definition.name] = replace(definition)

    def get(self, type_name: str) -> OpDef | None:
        """Give the operator of a type, or None."""
        return self._ops.get(type_name)

    def implementing(self, type_name: str, part: str) -> OpDef | None:
        """Give the operator of a type that has ``part``, else ``DefaultImpl`` that has it, else None.

        ``part`` is a field of OpDef; GE's look-ups of operator functions fall back in this way.
        """
        candidates = (self._ops.get(name) for name in (type_name, _DEFAULT))
        return next((op for op in candidates if op is not None and getattr(op, part) is not None), None)

    def find(self, type_name: str) -> OpDef:
        """Give the operator of a type. Raises ModelError that lists what there is."""
        found = self._ops.get(type_name)
        if found is None:
            known = ", ".join(sorted(self._ops))
            raise ModelError(f"no operator of type {type_name!r} is registered", f"there are: {known}")
        return found


def op_add(ops: OpRegistry, definition: OpDef) -> None:
    """``OP_ADD``: enter an operator's definition. Raises InternalError for a second one of its type."""
    ops.add(definition)


def impl_op_infershape(ops: OpRegistry, type_name: str, infer_shape: InferShape) -> None:
    """``IMPL_OP_INFERSHAPE(type).InferShape(function)``. Raises InternalError for a second one."""
    op = ops.find(type_name)
    _once(type_name, "shape inference", op.infer_shape)
    op.infer_shape = infer_shape


def impl_op_infershaperange(ops: OpRegistry, type_name: str, infer_shape_range: InferShapeRange) -> None:
    """``IMPL_OP(type).InferShapeRange(function)``. Raises InternalError for a second one."""
    op = ops.find(type_name)
    _once(type_name, "shape range inference", op.infer_shape_range)
    op.infer_shape_range = infer_shape_range


def infer_func_reg(ops: OpRegistry, type_name: str, infer_func: InferFunc) -> None:
    """``INFER_FUNC_REG(type, function)`` of the old registry. Raises InternalError for a second one."""
    op = ops.find(type_name)
    _once(type_name, "infer function", op.infer_func)
    op.infer_func = infer_func


def register_op_tiling(ops: OpRegistry, type_name: str, tiling: OldTiling) -> None:
    """``REGISTER_OP_TILING_V3`` and ``_V4`` of the old registry. Raises InternalError for a second one."""
    op = ops.find(type_name)
    _once(type_name, "old tiling", op.old_tiling)
    op.old_tiling = tiling


def impl_op_optiling(
    ops: OpRegistry,
    type_name: str,
    tiling: TilingFunc,
    tiling_data: type[ctypes.Structure] | None = None,
    tiling_parse: TilingParse | None = None,
) -> None:
    """``IMPL_OP_OPTILING(type).Tiling(function).TilingParse<...>(function)``. Raises InternalError for a second one."""
    op = ops.find(type_name)
    _once(type_name, "tiling", op.tiling)
    op.tiling, op.tiling_data, op.tiling_parse = tiling, tiling_data, tiling_parse


def kernel_binary(ops: OpRegistry, type_name: str, compute: Compute) -> None:
    """Enter the kernel itself, which GE gets as a compiled binary. Raises InternalError for a second one."""
    op = ops.find(type_name)
    _once(type_name, "kernel", op.compute)
    op.compute = compute


def _once(type_name: str, what: str, present: object) -> None:
    if present is not None:
        raise InternalError(f"operator {type_name} has a second {what}")
