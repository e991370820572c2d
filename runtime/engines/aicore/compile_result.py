"""What the operator compiler left on a node, read and checked once.

The converter's steps take these fields; if each step read attributes itself, a broken compile result would fail
halfway through a lowering.

Source: spec/lowering.md 4.1 (dispatch, steps 1, 5, 7 and 10 to 12).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.graph.compute_graph import ALL_KERNEL, KERNEL, VECTOR_ALL_KERNEL, VECTOR_KERNEL, ComputeNode

DEFAULT_BIN_PREFIX = "te_"

COMPILE_INFO = "compile_info_json"
ATOMIC_COMPILE_INFO = "_atomic_compile_info_json"
OP_RUN_INFO = "op_run_info"
"""Result of a tiling that the compiler ran itself (GE keeps it as an extended attribute)."""

_DEPEND_SHAPE_RANGE = 3
"""``_unknown_shape_type`` of an operator that tells its output shapes only after it ran."""


class LaunchForm(Enum):
    """How a binary is loaded and launched: all kernels through a handle, or one through its stub function."""

    HANDLE = "WithHandle"
    FLAG = "WithFlag"


_FORMS: Mapping[str, LaunchForm] = {
    ALL_KERNEL: LaunchForm.HANDLE,
    VECTOR_ALL_KERNEL: LaunchForm.HANDLE,
    KERNEL: LaunchForm.FLAG,
    VECTOR_KERNEL: LaunchForm.FLAG,
}
_WITH_CLEAN = 2
"""An operator has one task of its own, and one more in front when memory must be cleaned for it."""


@dataclass(frozen=True, slots=True)
class CompileResult:
    """Sizes are in bytes. ``form`` is the operator's own task; ``clean`` the one that cleans memory first, or None.

    ``may_clean``: there are two tasks, of which one may be none for a core; GE prepares a clean for it all the same.
    ``compile_info`` is None for an operator whose tiling was done by the compiler. ``block_dim`` and ``schedule_mode``
    count where nothing is tiled at run time.
    """

    form: LaunchForm
    clean: LaunchForm | None
    may_clean: bool
    max_tiling_data: int
    original_para_size: int
    compile_info: str | None
    compile_info_key: str
    bin_id: str
    metadata: str
    kernel_name: str
    static_workspaces: tuple[int, ...]
    memory_check: bool
    dfx_buffer_size: int
    dfx_options: frozenset[str]
    block_dim: int
    schedule_mode: int
    local_memory: int
    tiled_by_compiler: bool
    partially_supported: bool
    needs_tiling: bool

    @property
    def falls_back(self) -> bool:
        """Whether another engine takes over when tiling fails."""
        return self.partially_supported and self.compile_info is not None


def is_third_class(node: ComputeNode) -> bool:
    """Say whether an operator tells its output shapes only after it ran."""
    return node.op.attrs.get("_unknown_shape_type") == _DEPEND_SHAPE_RANGE


def read_compile_result(node: ComputeNode) -> CompileResult:
    """Read the attributes of a compiled operator. Raises ModelError, in GE's words, when one is missing or wrong."""
    attrs = node.op.attrs
    forms = _task_forms(node)
    return CompileResult(
        form=forms[-1],
        clean=forms[0] if len(forms) == _WITH_CLEAN else None,
        may_clean=len(node.op.tasks) >= _WITH_CLEAN,
        max_tiling_data=tiling_size(node, "op_para_size"),
        original_para_size=node.op.number("ori_op_para_size"),
        compile_info=text(node, COMPILE_INFO, "") if COMPILE_INFO in attrs else None,
        compile_info_key=text(node, "compile_info_key", ""),
        bin_id=text(node, "_kernel_bin_id", DEFAULT_BIN_PREFIX + node.type.lower()),
        metadata=text(node, "tvm_metadata", ""),
        kernel_name=text(node, f"{node.name}_kernelname", text(node, "_kernelname", "")),
        static_workspaces=_sizes(node, attrs.get("workspace_bytes", ())),
        memory_check=bool(attrs.get("_memcheck", False)),
        dfx_buffer_size=node.op.number("_op_dfx_buffer_size"),
        dfx_options=_texts(attrs.get("_op_dfx_options", ())),
        block_dim=node.op.number("tvm_blockdim", 1),
        schedule_mode=node.op.number("_soft_sync_schedule_mode"),
        local_memory=node.op.number("local_memory_size"),
        tiled_by_compiler=OP_RUN_INFO in attrs,
        partially_supported=bool(attrs.get("partially_supported", False)) and not is_third_class(node),
        needs_tiling=bool(attrs.get("_dynamic_tiling_depend_op", False)) or "_static_to_dynamic_softsync_op" in attrs,
    )


def _task_forms(node: ComputeNode) -> list[LaunchForm]:
    """Give the forms of the tasks that run on a core, in GE's order."""
    if not node.op.tasks:
        raise ModelError(
            f"Can not find compile result for node {node.name} type {node.type}",
            "the model was not built for this engine",
        )
    forms = [_FORMS[task] for task in node.op.tasks if task in _FORMS]
    if not forms:
        raise ModelError(f"Not find AI core taskdef of node {node.name}", f"it has {', '.join(node.op.tasks)}")
    if len(forms) > _WITH_CLEAN:
        raise ModelError(
            f"[NodeConverter][GetTaskDef][{node.name}({node.type})] At most {_WITH_CLEAN} task was supported, "
            f"but got {len(forms)}",
            "an operator has its own task and one that cleans memory",
        )
    return forms


def tiling_size(node: ComputeNode, attribute: str) -> int:
    """Bytes that tiling may fill. Raises ModelError when the attribute is missing or no size."""
    size = node.op.attrs.get(attribute, -1)
    if not isinstance(size, int) or size < 0:
        raise ModelError(f"Invalid max tiling size of node {node.name}", f"set attribute '{attribute}' in bytes")
    return size


def text(node: ComputeNode, name: str, default: str) -> str:
    """Give a text attribute. Raises ModelError when it is something else."""
    value = node.op.attrs.get(name, default)
    if not isinstance(value, str):
        raise ModelError(f"attribute '{name}' of node {node.name} is not a text")
    return value


def _texts(value: AttrValue) -> frozenset[str]:
    return frozenset(item for item in value if isinstance(item, str)) if isinstance(value, tuple) else frozenset()


def _sizes(node: ComputeNode, value: AttrValue) -> tuple[int, ...]:
    sizes = value if isinstance(value, tuple) else (value,)
    checked = tuple(size for size in sizes if isinstance(size, int) and size >= 0)
    if len(checked) != len(sizes):
        raise ModelError(f"attribute 'workspace_bytes' of node {node.name} is not a list of sizes")
    return checked
