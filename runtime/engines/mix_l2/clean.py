"""Atomic clean inside an FFTS+ task: one more context of the task, not a launch of its own.

Source: spec/lowering.md 4.10.
"""

from dataclasses import dataclass

from runtime.engines.aicore.atomic import OUTPUT_INDEX_ATTR, clean_compile_info, clean_indices, clean_node
from runtime.engines.aicore.tiling import find_tiling, parse_compile_info
from runtime.engines.aicore.tiling_outputs import TilingOutput
from runtime.engines.context import LoweringContext
from runtime.engines.core_platform import platform_of
from runtime.engines.mix_l2.task_memory import TaskMemory
from runtime.engines.mix_l2.tiling import LEGACY_OUTPUTS, TILING_DATA_ATTR
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import KernelBinary
from runtime.values import Int32

CONTEXT_IDS_ATTR = "_atomic_context_id_list"
"""Contexts of the task that clean; an operator without them needs no clean."""

_STATIC, _DYNAMIC = Int32(2), Int32(1)
"""How the arguments of the clean are filled."""


@dataclass(frozen=True, slots=True)
class MixDirty:
    """What may be cleaned, and the constants the clean shares with its operator: threads, windows and memory types."""

    workspace_sizes: ValueHolder
    workspaces: ValueHolder
    output_sizes: list[ValueHolder]
    output_addresses: list[ValueHolder]
    threads: ValueHolder
    output_types: tuple[ValueHolder, ValueHolder]


@dataclass(frozen=True, slots=True)
class _Cut:
    """How the clean is cut: its blocks, the form of its arguments, and the kernel that wrote its tiling data."""

    block_dim: ValueHolder
    form: Int32
    written: ValueHolder | None


def update_clean(
    context: LoweringContext, owner: ComputeNode, memory: TaskMemory, dirty: MixDirty, *, tiled: bool
) -> ValueHolder | None:
    """Write the context that cleans for an operator; None for one that needs no clean."""
    contexts = clean_indices(owner, CONTEXT_IDS_ATTR)
    if not contexts:
        return None
    outputs = clean_indices(owner, OUTPUT_INDEX_ATTR)
    clean = clean_node(owner, len(outputs))
    with context.holders.working_on(clean):
        sizes = [dirty.output_sizes[index] for index in outputs]
        cut = _cut(context, owner, clean, memory, [dirty.workspace_sizes, *sizes], tiled)
        flushed = _arguments(context, owner, memory, dirty, cut, outputs)
        ids = context.holders.const(tuple(contexts))
        return context.holders.void("AtomicUpdateContext", flushed, ids, cut.block_dim, cut.block_dim, memory.task_info)


def _cut(
    context: LoweringContext,
    owner: ComputeNode,
    clean: ComputeNode,
    memory: TaskMemory,
    sizes: list[ValueHolder],
    tiled: bool,
) -> _Cut:
    holders = context.holders
    if tiled:
        info = clean_compile_info(owner, clean, ())
        platform = platform_of(context, clean).infos
        parsed = parse_compile_info(context, clean, info, platform)
        outputs = holders.many("TilingLegacy", LEGACY_OUTPUTS, *sizes, parsed, find_tiling(context, clean.type))
        return _Cut(outputs[TilingOutput.BLOCK_DIM], _DYNAMIC, outputs[0])
    block_dim = holders.const(Int32(1))
    data = owner.op.attrs.get(TILING_DATA_ATTR)
    if not isinstance(data, str):
        return _Cut(block_dim, _STATIC, None)
    content, size = holders.const(data.encode()), holders.const(len(data))
    return _Cut(block_dim, _DYNAMIC, holders.void("CopyAtomicTilingdata", memory.args, content, size))


def _arguments(
    context: LoweringContext,
    owner: ComputeNode,
    memory: TaskMemory,
    dirty: MixDirty,
    cut: _Cut,
    outputs: list[int],
) -> ValueHolder:
    holders = context.holders
    form = holders.const(cut.form)
    binary = holders.const(KernelBinary(owner.type, "_atomic"))
    names = [holders.const(text) for text in ("", owner.name, "")]
    kernel = holders.single("SinkFFTSStaManualNodeBin", *names, binary)
    workspace_indices, output_indices = holders.const(()), holders.const(tuple(outputs))
    flushed = holders.single(
        "FFTSUpdateAtomicArgs",
        dirty.threads,
        dirty.threads,
        form,
        kernel,
        memory.args,
        workspace_indices,
        output_indices,
        dirty.workspaces,
        *dirty.output_types,
        *(dirty.output_addresses[index] for index in outputs),
    )
    if cut.written is not None:
        holders.order(cut.written, flushed)
    return flushed
