"""What one launch does on the device (spec/lowering.md 11.K).

It looks at memory when the device comes to it, not before, and computes through the operator's own code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from getrace.dumps.snapshot import AttrValue
from runtime.device.device import Device
from runtime.device.tasks import Finish
from runtime.kernels.context import IoDesc
from runtime.kernels.sizes import unaligned_size
from runtime.memory.tensor_data import GertTensorData
from runtime.ops.op_def import SHAPE_ENTRIES, Array, KernelArgs, OpDef
from runtime.values import Shape

_WORD = 8


@dataclass(frozen=True, slots=True)
class Operand:
    """One input or output: where it lies, what it is, and its shape in memory."""

    address: int
    desc: IoDesc
    shape: Shape

    @property
    def size(self) -> int:
        """Bytes of the elements."""
        return unaligned_size(self.desc.dtype, self.shape)


@dataclass(frozen=True, slots=True)
class KernelWork:
    """One kernel on the device. ``host_inputs`` are inputs that came with the arguments, by their number."""

    device: Device
    op: OpDef
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    workspaces: tuple[tuple[int, int], ...]
    tiling: bytes
    tiling_key: int
    block_dim: int
    host_inputs: Mapping[int, bytes] = field(default_factory=dict)
    shape_buffer: int = 0
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)

    @property
    def moved_bytes(self) -> int:
        """Bytes that go through the memory bus."""
        return sum(operand.size for operand in (*self.inputs, *self.outputs))

    @property
    def written(self) -> tuple[tuple[int, int], ...]:
        """Where the outputs go."""
        return tuple((operand.address, operand.size) for operand in self.outputs)

    def run(self) -> None:
        """Compute, on the bytes that are in HBM now."""
        self._compute([self._array(operand) for operand in self.outputs])

    def begin(self) -> Finish:
        """Compute on the bytes that are in HBM now, but keep the outputs until the end."""
        kept = [self._array(operand).copy() for operand in self.outputs]
        self._compute(kept)

        def finish() -> None:
            for operand, array in zip(self.outputs, kept, strict=True):
                self._array(operand)[:] = array

        return finish

    def _compute(self, outputs: list[Array]) -> None:
        assert self.op.compute is not None
        args = KernelArgs(
            tuple(self._array(operand, index) for index, operand in enumerate(self.inputs)),
            tuple(outputs),
            tuple(operand.shape for operand in self.inputs),
            tuple(operand.shape for operand in self.outputs),
            tuple(self.device.hbm.view(address, size) for address, size in self.workspaces),
            self.tiling,
            self.tiling_key,
            self.block_dim,
            self.attrs,
            self._shape_buffer(),
        )
        # The cores give inf and nan and say nothing; numpy's warnings would come out of the user's terminal.
        with np.errstate(all="ignore"):
            self.op.compute(args)

    def _array(self, operand: Operand, index: int | None = None) -> Array:
        dtype = operand.desc.dtype.numpy
        if index is not None and index in self.host_inputs:
            return np.frombuffer(self.host_inputs[index], dtype)
        size = operand.shape.elements * dtype.itemsize
        raw = self.device.hbm.view(operand.address, size) if size else np.empty(0, np.uint8)
        return raw.view(dtype)

    def _shape_buffer(self) -> npt.NDArray[np.uint64] | None:
        if not self.shape_buffer:
            return None
        size = len(self.outputs) * SHAPE_ENTRIES * _WORD
        return self.device.hbm.view(self.shape_buffer, size).view(np.uint64)


@dataclass(frozen=True, slots=True)
class CleanWork:
    """An atomic clean: zeroes over whole blocks, whatever the binary is called."""

    device: Device
    blocks: tuple[tuple[int, int], ...]

    @property
    def moved_bytes(self) -> int:
        """Bytes that go through the memory bus."""
        return sum(size for _, size in self.blocks)

    @property
    def written(self) -> tuple[tuple[int, int], ...]:
        """The blocks."""
        return self.blocks

    def run(self) -> None:
        """Write the zeroes."""
        for address, size in self.blocks:
            self.device.hbm.view(address, size)[:] = 0

    def begin(self) -> Finish:
        """Nothing is read, so everything is left for the end."""
        return self.run


def blocks_of(data: Sequence[GertTensorData]) -> tuple[tuple[int, int], ...]:
    """Give address and size of all that have memory."""
    return tuple((item.addr, item.size) for item in data if item.addr)
