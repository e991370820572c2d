"""What the operator compiler left on a node, read and checked once.

The converter's steps take these fields; if each step read attributes itself, a broken compile result would fail
halfway through a lowering.

Source: spec/lowering.md 4.1 (dispatch, steps 1, 5 and 11).
"""

from dataclasses import dataclass

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.graph.compute_graph import ALL_KERNEL, ComputeNode

DEFAULT_BIN_PREFIX = "te_"

# (attribute, values, what the operator then is): forms of spec/lowering.md 4.1 that need kernels this version lacks.
# Lowering them as an ordinary operator would give a graph that runs and is wrong.
_OTHER_FORMS: tuple[tuple[str, frozenset[AttrValue], str], ...] = (
    ("_no_task", frozenset({True}), "an operator without a task"),
    ("_unknown_shape_type", frozenset({3, 4}), "an operator that tells its output shape only after it ran"),
    ("partially_supported", frozenset({True}), "an operator that may fall back to the AI CPU"),
    ("_cube_vector_core_type", frozenset({"MIX_AICORE", "MIX_VECTOR_CORE"}), "an operator for two kinds of cores"),
)


@dataclass(frozen=True, slots=True)
class CompileResult:
    """Sizes are in bytes; ``original_para_size`` is the attribute ``ori_op_para_size``."""

    max_tiling_data: int
    original_para_size: int
    compile_info: str
    bin_id: str
    core_type: str
    static_workspaces: tuple[int, ...]
    memory_check: bool


def read_compile_result(node: ComputeNode) -> CompileResult:
    """Read the attributes of a compiled operator. Raises ModelError, in GE's words, when one is missing or wrong."""
    attrs = node.op.attrs
    if not node.op.tasks:
        raise ModelError(f"Can not find compile result of node {node.name}", "the model was not built for this engine")
    if node.op.tasks != (ALL_KERNEL,):
        raise ModelError(
            f"node {node.name} has the tasks {', '.join(node.op.tasks)}",
            f"this version lowers {ALL_KERNEL}, launched by handle",
        )
    _refuse_other_forms(node)
    max_tiling_data = attrs.get("op_para_size", -1)
    if not isinstance(max_tiling_data, int) or max_tiling_data < 0:
        raise ModelError(f"Invalid max tiling size of node {node.name}", "set attribute 'op_para_size' in bytes")
    original = attrs.get("ori_op_para_size", 0)
    return CompileResult(
        max_tiling_data,
        original if isinstance(original, int) else 0,
        _text(node, "compile_info_json", "{}"),
        _text(node, "_kernel_bin_id", DEFAULT_BIN_PREFIX + node.type.lower()),
        _text(node, "_cube_vector_core_type", "AiCore"),
        _sizes(node, attrs.get("workspace_bytes", ())),
        bool(attrs.get("_memcheck", False)),
    )


def _refuse_other_forms(node: ComputeNode) -> None:
    for attribute, wanted, form in _OTHER_FORMS:
        if node.op.attrs.get(attribute) in wanted:
            raise ModelError(f"node {node.name} is {form} (attribute '{attribute}')", "this version does not lower it")


def _text(node: ComputeNode, name: str, default: str) -> str:
    value = node.op.attrs.get(name, default)
    if not isinstance(value, str):
        raise ModelError(f"attribute '{name}' of node {node.name} is not a text")
    return value


def _sizes(node: ComputeNode, value: AttrValue) -> tuple[int, ...]:
    sizes = value if isinstance(value, tuple) else (value,)
    checked = tuple(size for size in sizes if isinstance(size, int) and size >= 0)
    if len(checked) != len(sizes):
        raise ModelError(f"attribute 'workspace_bytes' of node {node.name} is not a list of sizes")
    return checked
