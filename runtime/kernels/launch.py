"""AI Core launches (spec/lowering.md 11.K, 4.1).

Six kernels share one way: fill the argument block in, put work on the stream. A mix launch splits the blocks between
two streams in the launch alone; the work is one, so it is computed on the first.
"""

from typing import Final

from runtime.device.tasks import AICORE
from runtime.kernels.context import KernelContext
from runtime.kernels.kernel_work import CleanWork, KernelWork, Operand, blocks_of
from runtime.kernels.launch_args import LaunchArgs
from runtime.kernels.launch_inputs import FORMS, LaunchForm, LaunchInput, addressed, tail_values
from runtime.kernels.launch_trace import trace_launch
from runtime.kernels.payloads import MixCoreArgs
from runtime.kernels.registry import LAUNCH, Kernel, RunFunc
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.kernels.work import task_of
from runtime.memory.tensor_data import GertTensorData
from runtime.ops.context import TilingContext
from runtime.ops.op_def import OpDef
from runtime.values import StorageShape

_NO_BLOCKS = ("ai_core_launch_kernel.cc", 552, "LaunchMixKernel")
_MIX_LAUNCHED = ("ai_core_launch_kernel.cc", 612, "LaunchMixKernel")
_MIX_VECTOR_CORE = "MIX_VECTOR_CORE"


def launch_kernel(context: KernelContext, form: LaunchForm) -> int:
    """Launch the operator's kernel."""
    block: LaunchArgs = context.input(LaunchInput.RT_ARG)
    data = addressed(context, form)
    workspaces = [item for item in context.input(LaunchInput.WORKSPACES) if item.block]
    buffer: GertTensorData | None = context.input(LaunchInput.SHAPE_BUFFER)
    shape_buffer = buffer.addr if buffer is not None else 0
    block.fill([item.addr for item in data], [item.addr for item in workspaces], shape_buffer)
    operands = _operands(context, form, data)
    inputs = len(context.compute_node.inputs)
    op: OpDef = context.input(LaunchInput.BINARY).op
    work = KernelWork(
        context.machine.device,
        op,
        operands[:inputs],
        operands[inputs:],
        blocks_of(workspaces),
        block.tiling or tiled_by_compiler(context, op, operands),
        0 if form.key is None else context.input(form.key),
        context.input(LaunchInput.BLOCK_DIM),
        dict(block.host_inputs),
        shape_buffer,
        context.compute_node.attrs,
    )
    _put(context, context.input(LaunchInput.STREAM), work)
    return Status.SUCCESS


def _operands(context: KernelContext, form: LaunchForm, data: list[GertTensorData]) -> tuple[Operand, ...]:
    node = context.compute_node
    # A mix operator on a single stream is launched as an ordinary one, with its numbers of cores behind the shapes.
    shapes = [shape_of(value).storage for value in tail_values(context, form)[len(data) : 2 * len(data)]]
    described = zip(data, (*node.inputs, *node.outputs), shapes, strict=True)
    return tuple(Operand(item.addr, desc, shape) for item, desc, shape in described)


def tiled_by_compiler(context: KernelContext, op: OpDef, operands: tuple[Operand, ...]) -> bytes:
    """Give the tiling data that a binary for known shapes has inside, b"" for an operator that wants none.

    GE's compiler tiles such an operator while it builds the binary; its launch brings no tiling data along.
    """
    if op.tiling is None or op.tiling_data is None:
        return b""
    node = context.compute_node
    shapes = [StorageShape(operand.shape, operand.shape) for operand in operands]
    inputs = len(node.inputs)
    dtypes = [desc.dtype for desc in node.inputs]
    seen = TilingContext(node.type, shapes[:inputs], shapes[inputs:], dtypes=dtypes, attrs=node.attrs)
    return b"" if op.tiling(seen) else seen.data


def _put(context: KernelContext, handle: int, work: KernelWork | CleanWork) -> None:
    device = context.machine.device
    device.launch(device.stream(handle), task_of(context, work, AICORE, device.kernel_ns(work.moved_bytes)))


def launch_atomic_clean(context: KernelContext, form: LaunchForm) -> int:
    """Launch the kernel that clears outputs and workspaces before an operator adds to them."""
    block: LaunchArgs = context.input(LaunchInput.RT_ARG)
    data = addressed(context, form)
    # The block has a slot for each address of the operator; those that are not cleaned stay 0.
    block.fill([item.addr for item in data], [])
    _put(context, context.input(LaunchInput.STREAM), CleanWork(context.machine.device, blocks_of(data)))
    return Status.SUCCESS


def launch_mix_kernel(context: KernelContext, form: LaunchForm) -> int:
    """Launch on AI cores and vector cores at once. A part of a launch without blocks is not launched.

    The second stream begins when the first has come so far, and the first goes on when the second is done: each is told
    by a notify.
    """
    mix, sub_stream, begins, done = (context.input(len(context.inputs) - place) for place in (4, 3, 2, 1))
    main, sub = split_blocks(mix, context.input(LaunchInput.BLOCK_DIM))
    if not main and not sub:
        return context.assert_failed(_NO_BLOCKS, "block dim is 0, no task to launch")
    device = context.machine.device
    first, second = device.stream(context.input(LaunchInput.STREAM)), device.stream(sub_stream)
    if sub:
        device.record_notify(first, begins)
        device.wait_notify(second, begins)
    if status := launch_kernel(context, form):
        return status
    if sub:
        _put(context, sub_stream, CleanWork(device, ()))
        device.record_notify(second, done)
        device.wait_notify(first, done)
    context.info(_MIX_LAUNCHED, f"Mix vector core launched main/sub block dim [{main}][{sub}] successfully")
    return Status.SUCCESS


def split_blocks(mix: MixCoreArgs, blocks: int) -> tuple[int, int]:
    """Give the blocks of the first stream and of the second, in the proportion of the cores.

    The first stream has the AI cores for MIX_AICORE and the vector cores for MIX_VECTOR_CORE.
    """
    own = mix.vector_cores if mix.core_type == _MIX_VECTOR_CORE else mix.ai_cores
    main = min(blocks, -(-blocks * own // mix.all_cores))
    return main, blocks - main


def _kernel(name: str) -> Kernel:
    form = FORMS[name]
    launch = launch_mix_kernel if form.mix else launch_atomic_clean if form.cleaned is not None else launch_kernel

    def run(context: KernelContext) -> int:
        return launch(context, form)

    function: RunFunc = run
    return Kernel(name, function, trace_printer=trace_launch, critical_section=LAUNCH)


KERNELS: Final = tuple(_kernel(name) for name in FORMS)
