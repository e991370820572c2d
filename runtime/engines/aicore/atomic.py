"""Atomic clean: the launch that sets outputs and workspaces to a value before an operator adds to them.

Its kernels belong to an operator of their own that no model holds, named after the one it cleans for.

Source: spec/lowering.md 4.1 (10).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from getrace.errors import ModelError
from runtime.engines.aicore.binary import Binary, sink_binary
from runtime.engines.aicore.compile_result import (
    ATOMIC_COMPILE_INFO,
    DEFAULT_BIN_PREFIX,
    CompileResult,
    LaunchForm,
    text,
    tiling_size,
)
from runtime.engines.aicore.launch import Prepared, dfx_argument, launch_head, task_config
from runtime.engines.aicore.launch_arg import alloc_launch_arg
from runtime.engines.aicore.tiling import determinism, find_tiling, parse_compile_info
from runtime.engines.aicore.tiling_outputs import Tiled, TilingOutput, tiled_by
from runtime.engines.aicore.workspace import allocate_workspaces, free_workspaces
from runtime.engines.contract import LowerInput
from runtime.engines.core_platform import CORE_TYPE_ATTR, platform_of
from runtime.graph.compute_graph import ComputeNode, OpDesc, nd_desc
from runtime.graph.value_holder import ValueHolder
from runtime.values import Int32

SIZE_ATTR = "atomic_op_para_size"
OUTPUT_INDEX_ATTR = "atomic_output_index"
WORKSPACE_INFO_ATTR = "sub_node_workspace_info"
"""Workspaces to clean, as pairs of index and offset one behind the other."""

CLEAN, MEM_SET = "DynamicAtomicAddrClean", "MemSet"
_MEM_SET_ATTR = "tbe_op_atomic_dtypes"
_CORE_TYPE_ATTR = "_atomic_cube_vector_core_type"


@dataclass(frozen=True, slots=True)
class Dirty:
    """What may be cleaned: the sizes of the workspaces and their memory, sizes and addresses of the outputs."""

    workspace_sizes: ValueHolder
    workspaces: ValueHolder
    output_sizes: list[ValueHolder]
    output_addresses: list[ValueHolder]


def launch_clean(
    node: ComputeNode, lowered: LowerInput, compiled: CompileResult, dirty: Dirty, static: bool = False
) -> ValueHolder | None:
    """Write the launch that cleans for an operator; None for one that has no such task.

    An operator with the task that does not say how large its arguments may become gets none either: GE reports it and
    goes on, as its dumps show (SingleNodeAiCore_CopyFlowLaunch_NoFlowLaunch).
    ``static``: an operator of known shapes, which brings no compile information for its clean, is cleaned without
    tiling. Raises ModelError when the clean lacks its compile information, or cleans an output that is not there.
    """
    if not compiled.may_clean:
        return None
    outputs = clean_indices(node, OUTPUT_INDEX_ATTR)
    if any(index >= len(dirty.output_addresses) for index in outputs):
        raise ModelError(
            f"attribute '{OUTPUT_INDEX_ATTR}' of node {node.name} names output {max(outputs)}",
            f"it has {len(dirty.output_addresses)}",
        )
    clean = clean_node(node, len(outputs))
    with lowered.context.holders.working_on(clean):
        if compiled.clean is None or SIZE_ATTR not in node.op.attrs:
            return None
        form = _static_launch if static else _tiled_launch
        return form(_Clean(node, clean, lowered, compiled, compiled.clean, dirty, outputs))


@dataclass(frozen=True, slots=True)
class _Clean:
    owner: ComputeNode
    node: ComputeNode
    lowered: LowerInput
    compiled: CompileResult
    form: LaunchForm
    dirty: Dirty
    outputs: list[int]

    @property
    def workspace_indices(self) -> tuple[int, ...]:
        """Which workspaces of the operator are cleaned."""
        return tuple(clean_indices(self.owner, WORKSPACE_INFO_ATTR)[::2])

    def launch_arg(self) -> ValueHolder:
        """The argument block, as large as the operator's own would be."""
        counts = len(self.lowered.shapes), len(self.owner.op.outputs)
        size = tiling_size(self.owner, SIZE_ATTR)
        return alloc_launch_arg(self.lowered.context, *counts, size)

    def binary(self) -> ValueHolder:
        """The compiled clean, found beside the operator's own binary."""
        owner = self.owner
        binary = Binary(
            self.node.type,
            text(owner, "_memset_kernel_bin_id", DEFAULT_BIN_PREFIX + self.node.type.lower()),
            text(owner, "_atomic_tvm_metadata", ""),
            text(owner, f"{owner.name}_atomic_kernelname", text(owner, "_atomic_kernelname", "")),
        )
        return sink_binary(self.lowered.context, binary, self.form)

    def launch(self, prepared: Prepared) -> ValueHolder:
        """The launch itself: what is cleaned stands behind the common head."""
        holders = self.lowered.context.holders
        indices = holders.const(self.workspace_indices)
        key = [prepared.tiled[TilingOutput.TILING_KEY]] if self.form is LaunchForm.HANDLE else []
        inputs = [*launch_head(self.lowered.context, prepared, len(self.outputs)), *key, indices]
        addresses = [self.dirty.output_addresses[index] for index in self.outputs]
        kernel = f"AtomicLaunchKernel{self.form.value}"
        return holders.void(kernel, *inputs, *addresses, self.dirty.workspaces)


def _tiled_launch(clean: _Clean) -> ValueHolder:
    context = clean.lowered.context
    rt_arg = clean.launch_arg()
    tiled = _tile(clean, rt_arg)
    workspaces = allocate_workspaces(context, tiled.workspaces)
    buffer = context.holders.const(None)
    binary, task = clean.binary(), task_config(context)
    dfx = dfx_argument(context)
    launched = clean.launch(Prepared(tiled, workspaces, buffer, binary, task, None, dfx))
    free_workspaces(context, workspaces, launched)
    return launched


def _static_launch(clean: _Clean) -> ValueHolder:
    context = clean.lowered.context
    holders = context.holders
    rt_arg = clean.launch_arg()
    binary = clean.binary()
    tiled = Tiled(
        {
            TilingOutput.BLOCK_DIM: holders.const(Int32(clean.compiled.block_dim)),
            TilingOutput.SCHEDULE_MODE: holders.const(Int32(clean.compiled.schedule_mode)),
            TilingOutput.LOCAL_MEMORY: holders.const(Int32(clean.compiled.local_memory)),
            TilingOutput.RT_ARG: rt_arg,
        },
        clean.dirty.workspace_sizes,
    )
    workspaces = holders.const(())
    buffer = holders.const(None)
    task = task_config(context)
    return clean.launch(Prepared(tiled, workspaces, buffer, binary, task, None, dfx_argument(context)))


def _tile(clean: _Clean, rt_arg: ValueHolder) -> Tiled:
    """Cut the work: never through the cache, since sizes are its inputs and not shapes."""
    context = clean.lowered.context
    info = clean_compile_info(clean.owner, clean.node, clean.workspace_indices)
    parsed = parse_compile_info(context, clean.node, info, platform_of(context, clean.node).infos)
    function = find_tiling(context, clean.node.type)
    framework = context.holders.single("PrepareTilingFwkData", function, rt_arg)
    sizes = [clean.dirty.output_sizes[index] for index in clean.outputs]
    outputs = context.holders.many(
        "Tiling",
        TilingOutput.STATUS,
        clean.dirty.workspace_sizes,
        *sizes,
        parsed,
        framework,
        *determinism(context),
    )
    return tiled_by(outputs)


def clean_compile_info(owner: ComputeNode, clean: ComputeNode, workspaces: Sequence[int]) -> str:
    """The compile information of the clean with the workspaces it is for (``AssembleCompileInfoJson``)."""
    given = owner.op.attrs.get(ATOMIC_COMPILE_INFO)
    if not isinstance(given, str):
        raise ModelError(
            f"Op[{owner.name}] does not have attr[{ATOMIC_COMPILE_INFO}].", "compile the operator with its clean"
        )
    try:
        info = json.loads(given)
    except json.JSONDecodeError as error:
        raise ModelError(
            f"Failed to set compile_info_value to json of op[{clean.name}]. op_compile_info_json:{given}",
            f"the text is no JSON: {error}",
        ) from None
    info["_workspace_index_list"] = list(workspaces)
    return json.dumps(info, sort_keys=True, separators=(",", ":"))


def clean_node(owner: ComputeNode, outputs: int) -> ComputeNode:
    """The operator the kernels of a clean belong to; it takes the workspaces and each output to clean."""
    attrs = owner.op.attrs
    type_name, suffix = (MEM_SET, "_MemSet") if _MEM_SET_ATTR in attrs else (CLEAN, "_AtomicClean")
    core_type = attrs.get(_CORE_TYPE_ATTR)
    op = OpDesc(
        owner.name + suffix,
        type_name,
        (nd_desc(()),) * (1 + outputs),
        attrs={} if core_type is None else {CORE_TYPE_ATTR: core_type},
        stream_id=owner.op.stream_id,
    )
    return ComputeNode(op, owner.id, owner.graph)


def clean_indices(node: ComputeNode, attribute: str) -> list[int]:
    """Give the numbers of a list attribute that count something."""
    value = node.op.attrs.get(attribute, ())
    items = value if isinstance(value, tuple) else (value,)
    return [item for item in items if isinstance(item, int) and item >= 0]
