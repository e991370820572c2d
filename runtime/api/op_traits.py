"""What lowering may know of the operators that a process has.

The operators say it themselves: which functions they have, in which register, and whose values they read. A table of it
beside them would lower an operator to kernels that look for functions it does not have.
"""

from runtime.engines.op_library import OpLibrary, OpTraits, builtin_library
from runtime.ops.op_def import OpDef
from runtime.ops.registry import OpRegistry


def library_of(ops: OpRegistry) -> OpLibrary:
    """Give GE's own library with the operators of a register in the places of those that it knows by name."""
    return builtin_library().extended(_traits(op) for op in ops)


def _traits(op: OpDef) -> OpTraits:
    """An operator without any function counts as one of today: lowering it fails where its function is looked for."""
    return OpTraits(
        op.name,
        frozenset(op.data_dependency),
        infer_shape_range=op.infer_shape_range is not None,
        infer_shape=op.infer_shape is not None or op.infer_func is None,
        tiling=op.tiling is not None or op.old_tiling is None,
    )
