"""AI Core launches (spec/lowering.md 11.K, 4.1)."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from runtime.device.device import Device
from runtime.device.stream import Task
from runtime.kernels.context import ComputeNodeInfo, IoDesc, KernelContext
from runtime.kernels.launch_args import STRUCT_BYTES, LaunchArgs, bytes_of
from runtime.kernels.launch_trace import FIRST_ADDRESS, LaunchInput, trace_launch
from runtime.kernels.machine import BinaryHandle
from runtime.kernels.payloads import ArgsInfosDesc, KernelBinary, NodeDesc
from runtime.kernels.registry import LAUNCH, Kernel
from runtime.kernels.sizes import shape_of, unaligned_size
from runtime.kernels.status import Status
from runtime.memory.tensor_data import GertTensorData
from runtime.ops.op_def import Array, KernelArgs, OpDef
from runtime.values import Shape

_SINK = ("sink_node_bin.cc", 78, "SinkNodeBinWithHandle")
_BINARY_OBJECT = 0x80


def launch_arg_outputs(context: KernelContext) -> int:
    """Make the argument block when the executor is built: holder, block, its base, and where tiling data begin."""
    node: NodeDesc = context.input(0)
    args: ArgsInfosDesc = context.input(1)
    device = context.machine.device
    size = bytes_of(args.input_args, args.output_args, node.workspace_cap, node.max_tiling_data)
    handle, base = device.pointer(STRUCT_BYTES), device.pointer(size)
    block = LaunchArgs(handle, base, args.input_args, args.output_args, node.max_tiling_data)
    for index, value in enumerate((block, block, base, base + block.tiling_offset)):
        context.set(index, value)
    return Status.SUCCESS


def alloc_launch_arg(_context: KernelContext) -> int:
    """Run nothing: the block was made when the executor was built."""
    return Status.SUCCESS


def sink_node_bin_with_handle(context: KernelContext) -> int:
    """Load a kernel binary onto the device; one with a known id is loaded once per process."""
    binary: KernelBinary = context.input(0)
    bin_id: str = context.input(1)
    machine = context.machine
    op = machine.ops.get(binary.op_type)
    if op is None or op.compute is None:
        return context.error(_SINK, "SinkNodeBinWithHandle para check failed")
    if bin_id not in machine.binaries:
        machine.binaries[bin_id] = BinaryHandle(machine.device.pointer(_BINARY_OBJECT), op)
    context.set(0, machine.binaries[bin_id])
    return Status.SUCCESS


def launch_kernel_with_handle(context: KernelContext) -> int:
    """Fill the argument block in and put the kernel on the stream."""
    binary: BinaryHandle = context.input(LaunchInput.BINARY)
    block: LaunchArgs = context.input(LaunchInput.RT_ARG)
    work = _work_of(context, binary.op, block)
    block.fill([data.addr for data in (*work.inputs, *work.outputs)], [data.addr for data in work.workspaces])
    device = context.machine.device
    stream = device.stream(context.input(LaunchInput.STREAM))
    device.launch(stream, Task(context.compute_node.name, work.run, device.kernel_ns(work.moved_bytes)))
    return Status.SUCCESS


@dataclass(frozen=True, slots=True)
class KernelWork:
    """One kernel on the device: it looks at memory when the device comes to it, not before."""

    device: Device
    op: OpDef
    node: ComputeNodeInfo
    inputs: tuple[GertTensorData, ...]
    outputs: tuple[GertTensorData, ...]
    workspaces: tuple[GertTensorData, ...]
    addresses: tuple[int, ...]
    input_shapes: tuple[Shape, ...]
    output_shapes: tuple[Shape, ...]
    tiling: bytes
    tiling_key: int
    block_dim: int

    @property
    def moved_bytes(self) -> int:
        """Bytes that go through the memory bus."""
        pairs = zip((*self.node.inputs, *self.node.outputs), (*self.input_shapes, *self.output_shapes), strict=True)
        return sum(unaligned_size(desc.dtype, shape) for desc, shape in pairs)

    def run(self) -> None:
        """Compute, on the bytes that are in HBM now."""
        assert self.op.compute is not None
        count = len(self.inputs)
        spaces = zip(self.addresses[count + len(self.outputs) :], self.workspaces, strict=True)
        args = KernelArgs(
            self._arrays(self.addresses[:count], self.node.inputs, self.input_shapes),
            self._arrays(self.addresses[count:], self.node.outputs, self.output_shapes),
            self.input_shapes,
            self.output_shapes,
            tuple(self.device.hbm.view(address, data.size) for address, data in spaces),
            self.tiling,
            self.tiling_key,
            self.block_dim,
            self.node.attrs,
        )
        # The cores give inf and nan and say nothing; numpy's warnings would come out of the user's terminal.
        with np.errstate(all="ignore"):
            self.op.compute(args)

    def _arrays(
        self, addresses: tuple[int, ...], descs: tuple[IoDesc, ...], shapes: tuple[Shape, ...]
    ) -> tuple[Array, ...]:
        arrays: list[Array] = []
        for address, desc, shape in zip(addresses, descs, shapes, strict=False):
            size = shape.elements * desc.dtype.numpy.itemsize
            raw = self.device.hbm.view(address, size) if size else np.empty(0, np.uint8)
            arrays.append(raw.view(desc.dtype.numpy))
        return tuple(arrays)


def _work_of(context: KernelContext, op: OpDef, block: LaunchArgs) -> KernelWork:
    node = context.compute_node
    inputs, outputs = len(node.inputs), len(node.outputs)
    tail = [cell.value for cell in context.inputs[FIRST_ADDRESS:]]
    data: list[GertTensorData] = tail[: inputs + outputs]
    shapes = [shape_of(value).storage for value in tail[inputs + outputs :]]
    workspaces = tuple(item for item in context.input(LaunchInput.WORKSPACES) if item.block)
    return KernelWork(
        context.machine.device,
        op,
        node,
        tuple(data[:inputs]),
        tuple(data[inputs:]),
        workspaces,
        tuple(item.addr for item in (*data, *workspaces)),
        tuple(shapes[:inputs]),
        tuple(shapes[inputs:]),
        block.tiling,
        context.input(LaunchInput.TILING_KEY),
        context.input(LaunchInput.BLOCK_DIM),
    )


KERNELS: Final = (
    Kernel("AllocLaunchArg", alloc_launch_arg, outputs_creator=launch_arg_outputs),
    Kernel("SinkNodeBinWithHandle", sink_node_bin_with_handle),
    Kernel(
        "LaunchKernelWithHandle",
        launch_kernel_with_handle,
        trace_printer=trace_launch,
        critical_section=LAUNCH,
    ),
)
