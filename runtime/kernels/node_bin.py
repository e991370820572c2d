"""Kernel binaries and argument blocks, made once per model (spec/lowering.md 11.K)."""

from typing import Final

from runtime.kernels.context import KernelContext, Place
from runtime.kernels.launch_args import new_block
from runtime.kernels.machine import BinaryHandle
from runtime.kernels.payloads import ArgsInfosDesc, KernelBinary, NodeDesc
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status

_WITH_HANDLE = ("sink_node_bin.cc", 78, "SinkNodeBinWithHandle")
_WITHOUT_HANDLE = ("sink_node_bin.cc", 46, "SinkNodeBinWithoutHandle")
_REGISTERED = ("sink_node_bin.cc", 52, "SinkNodeBinWithoutHandle")
_BINARY_OBJECT = 0x80


def launch_arg_outputs(context: KernelContext) -> int:
    """Make the argument block when the executor is built: holder, block, its base, and where tiling data begin."""
    node: NodeDesc = context.input(0)
    args: ArgsInfosDesc = context.input(1)
    block = new_block(
        context.machine.device,
        (args.input_args, args.output_args),
        node.workspace_cap,
        node.max_tiling_data,
        shape_buffer=node.need_shape_buffer,
    )
    for index, value in enumerate((block, block, block.base, block.base + block.tiling_offset)):
        context.set(index, value)
    return Status.SUCCESS


def alloc_launch_arg(_context: KernelContext) -> int:
    """Run nothing: the block was made when the executor was built."""
    return Status.SUCCESS


def sink_node_bin_with_handle(context: KernelContext) -> int:
    """Load a kernel binary onto the device; one with a known id is loaded once per process."""
    return _sink(context, context.input(1), _WITH_HANDLE)


def sink_node_bin_without_handle(context: KernelContext) -> int:
    """Load a binary and find its function, which the stub name stands for from now on."""
    binary: KernelBinary | None = context.input(0)
    stub: str = context.input(1)
    status = _sink(context, stub, _WITHOUT_HANDLE)
    if not status and binary is not None:
        text = f"Register static kernel size {binary.size}, node {context.compute_node.name}, stub {stub}"
        context.info(_REGISTERED, text)
    return status


def _sink(context: KernelContext, key: str, place: Place) -> int:
    binary: KernelBinary | None = context.input(0)
    machine = context.machine
    op = machine.ops.get(binary.op_type) if binary is not None else None
    if op is None or op.compute is None:
        return context.error(place, f"{context.type} para check failed")
    if key not in machine.binaries:
        machine.binaries[key] = BinaryHandle(machine.device.pointer(_BINARY_OBJECT), op)
    context.set(0, machine.binaries[key])
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("AllocLaunchArg", alloc_launch_arg, outputs_creator=launch_arg_outputs),
    Kernel("SinkNodeBinWithHandle", sink_node_bin_with_handle),
    Kernel("SinkNodeBinWithoutHandle", sink_node_bin_without_handle),
)
