"""Tasks of an operator by its engine: what a compiler leaves on it when nothing better is known.

A compile result is in no dump of a graph. If each reader of dumps guessed it, one dump would lower to several graphs.

Source: spec/lowering.md 4.1, 4.5, 4.7 (dispatch by task).
"""

from collections.abc import Mapping

from getrace.dumps.snapshot import AttrValue
from runtime.graph.compute_graph import ALL_KERNEL, DSA, KERNEL, KERNEL_EX

_BY_ENGINE: Mapping[str, tuple[str, ...]] = {
    "AIcoreEngine": (ALL_KERNEL,),
    "VectorEngine": (ALL_KERNEL,),
    "aicpu_tf_kernel": (KERNEL_EX,),
    "aicpu_ascend_kernel": (KERNEL,),
    "DNN_VM_HOST_CPU_OP_STORE": (KERNEL,),
    "dvpp_ops_kernel": (KERNEL,),
    "DSAEngine": (DSA,),
}

_ON_AICPU = frozenset({"aicpu_tf_kernel", "aicpu_ascend_kernel"})
_TELLS_RESULT = 4
"""``_unknown_shape_type`` of an AI CPU operator whose results a second task copies out (spec/lowering.md 5.3)."""


def usual_tasks(engine: str, attrs: Mapping[str, AttrValue]) -> tuple[str, ...]:
    """Task types that the compiler of an engine leaves on an operator with these attributes; empty for none."""
    tasks = _BY_ENGINE.get(engine, ())
    copied_out = engine in _ON_AICPU and attrs.get("_unknown_shape_type") == _TELLS_RESULT
    return tasks * 2 if copied_out else tasks
