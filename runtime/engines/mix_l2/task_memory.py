"""The memory of an FFTS+ task: its descriptors and its arguments, one block on the host and its image on the device.

Both live as long as the model; a step fills the host block and copies it. Allocated per step, the descriptors would
have to be written anew each time.

Source: spec/lowering.md 4.10.
"""

from dataclasses import dataclass

from runtime.engines.allocators import allocator
from runtime.engines.context import LoweringContext
from runtime.engines.memory import at
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import FftsTask, MemorySlice
from runtime.values import Placement

_TASK_HEAD = 144
_CONTEXT_SIZE = 128
"""Bytes of a task's head and of one context behind it (``rtFftsPlusTaskInfo_t``, ``rtFftsPlusComCtx_t``)."""

_POINTER = 8
_REDIRECTED = 4
"""Outputs of RedirectLaunchArgs: tiling data of the operator and of its clean, each with that of the last thread."""


@dataclass(frozen=True, slots=True)
class TaskMemory:
    """The block and its parts.

    ``task`` and ``args`` are slices of it, ``task_info`` the prepared descriptors, ``device`` and ``host`` the block,
    ``guard`` says how it is cut, ``redirected`` where tiling data is written to.
    """

    task: ValueHolder
    args: ValueHolder
    task_info: ValueHolder
    device: ValueHolder
    host: ValueHolder
    guard: ValueHolder
    redirected: ValueHolder


def task_memory(context: LoweringContext, node: ComputeNode, arguments: int) -> TaskMemory:
    """Reserve the block of an operator with that many arguments, and cut it."""
    holders = context.holders
    kernels = len(kernel_prefixes(node))
    task_size = _TASK_HEAD + _CONTEXT_SIZE * kernels
    args_size = _POINTER * arguments + _tiling_size(node)
    descriptors = holders.const(FftsTask(node.name, kernels))
    of_task, of_args = holders.const(0), holders.const(arguments)
    guard = holders.const(MemorySlice(0, task_size + args_size))
    host = _block(context, task_size + args_size, Placement.HOST)
    device = _block(context, task_size + args_size, Placement.DEVICE_HBM)
    task = _cut(context, MemorySlice(0, task_size), of_task, guard, (device, host))
    info = holders.single("FftsTaskInfoPreProc", descriptors, task)
    args = _cut(context, MemorySlice(task_size, args_size), of_args, guard, (device, host))
    redirected = holders.many("RedirectLaunchArgs", _REDIRECTED, args)[0]
    return TaskMemory(task, args, info, device, host, guard, redirected)


def kernel_prefixes(node: ComputeNode) -> list[str]:
    """Names of the kernels an operator is made of, one per kind of core, or one for both."""
    prefixes = node.op.attrs.get("_kernel_names_prefix", ())
    return [str(prefix) for prefix in prefixes] if isinstance(prefixes, tuple) else []


def _block(context: LoweringContext, size: int, placement: Placement) -> ValueHolder:
    kernel = "AllocMemHost" if placement is Placement.HOST else "AllocMemHbm"

    def build() -> list[ValueHolder]:
        count = context.holders.const(size)
        block = at(context.holders.single(kernel, allocator(context, placement), count), placement)
        context.holders.guarder("FreeMemory", block)
        return [block]

    return context.selector.on_init_root(build)[0]


def _cut(
    context: LoweringContext,
    where: MemorySlice,
    what: ValueHolder,
    guard: ValueHolder,
    block: tuple[ValueHolder, ValueHolder],
) -> ValueHolder:
    cut = context.holders.many("NodeMemParaAssign", 2, context.holders.const(where), what, *block)[0]
    context.holders.order(guard, cut)
    return cut


def _tiling_size(node: ComputeNode) -> int:
    sizes = (node.op.attrs.get(name, 0) for name in ("op_para_size", "atomic_op_para_size"))
    return sum(size for size in sizes if isinstance(size, int) and size > 0)
