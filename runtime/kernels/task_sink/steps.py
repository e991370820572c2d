"""What a static model does, step by step, once its task runs on the device.

A step reads and writes device memory through a frame and knows no graph. ``moved_bytes`` is what its time comes from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from getrace.dumps.snapshot import AttrValue
from runtime.device.device import Device
from runtime.kernels.aicpu_work import OperatorWork
from runtime.kernels.aicpu_work import Place as HostOrDevice
from runtime.kernels.context import IoDesc
from runtime.kernels.kernel_work import KernelWork, Operand
from runtime.kernels.task_sink.places import Frame, Where
from runtime.ops.op_def import OpDef
from runtime.values import DType, Placement, Shape

MOST_ROUNDS = 1 << 20
"""Rounds of a While before the device's watchdog ends it."""


class Step(Protocol):
    """One step of a model."""

    @property
    def moved_bytes(self) -> int:
        """Bytes that go through the memory bus."""

    def run(self, device: Device, frame: Frame) -> None:
        """Do it now."""


@dataclass(frozen=True, slots=True)
class TensorAt:
    """A tensor and its place."""

    where: Where
    dtype: DType
    shape: Shape

    @property
    def size(self) -> int:
        """Bytes of the elements."""
        return self.shape.elements * self.dtype.numpy.itemsize


@dataclass(frozen=True, slots=True)
class Tiled:
    """What tiling decided when the model was planned."""

    data: bytes = b""
    key: int = 0
    block_dim: int = 1
    workspaces: tuple[tuple[Where, int], ...] = ()


@dataclass(frozen=True, slots=True)
class CoreStep:
    """An operator that an AI core computes."""

    op: OpDef
    inputs: tuple[TensorAt, ...]
    outputs: tuple[TensorAt, ...]
    attrs: dict[str, AttrValue]
    tiled: Tiled

    @property
    def moved_bytes(self) -> int:
        """Bytes of inputs and outputs."""
        return sum(tensor.size for tensor in (*self.inputs, *self.outputs))

    def run(self, device: Device, frame: Frame) -> None:
        """Compute through the operator's own kernel."""
        workspaces = tuple((frame.address(where), size) for where, size in self.tiled.workspaces)
        inputs, outputs = (
            tuple(Operand(frame.address(tensor.where), IoDesc(tensor.dtype), tensor.shape) for tensor in tensors)
            for tensors in (self.inputs, self.outputs)
        )
        tiled = self.tiled
        KernelWork(
            device, self.op, inputs, outputs, workspaces, tiled.data, tiled.key, tiled.block_dim, attrs=self.attrs
        ).run()


@dataclass(frozen=True, slots=True)
class CpuStep:
    """An operator that the AI CPU computes."""

    op: OpDef
    inputs: tuple[TensorAt, ...]
    outputs: tuple[TensorAt, ...]
    attrs: dict[str, AttrValue]

    @property
    def moved_bytes(self) -> int:
        """Bytes of inputs and outputs."""
        return sum(tensor.size for tensor in (*self.inputs, *self.outputs))

    def run(self, device: Device, frame: Frame) -> None:
        """Compute on whole arrays."""
        assert self.op.evaluate is not None
        inputs, outputs = (
            tuple(
                (HostOrDevice(frame.address(tensor.where), Placement.DEVICE_HBM), tensor.dtype, tensor.shape)
                for tensor in tensors
            )
            for tensors in (self.inputs, self.outputs)
        )
        OperatorWork(device, self.op.evaluate, self.attrs, inputs, outputs).run()


@dataclass(frozen=True, slots=True)
class CopyStep:
    """Tensors copied to other places: all are read before the first is written, so that two may change places."""

    pairs: tuple[tuple[TensorAt, Where], ...]

    @property
    def moved_bytes(self) -> int:
        """Bytes read and written."""
        return sum(2 * tensor.size for tensor, _ in self.pairs)

    def run(self, device: Device, frame: Frame) -> None:
        """Copy."""
        content = [
            device.hbm.read(frame.address(tensor.where), tensor.size) if tensor.size else b""
            for tensor, _ in self.pairs
        ]
        for (_, target), data in zip(self.pairs, content, strict=True):
            if data:
                device.hbm.write(frame.address(target), data)


@dataclass(frozen=True, slots=True)
class ChoiceStep:
    """If and Case: the value of a tensor chooses which steps run. ``is_case`` takes it as a number, else as a truth."""

    chooser: TensorAt
    branches: tuple[tuple[Step, ...], ...]
    is_case: bool

    @property
    def moved_bytes(self) -> int:
        """What the dearest branch moves."""
        return max(sum(step.moved_bytes for step in branch) for branch in self.branches)

    def run(self, device: Device, frame: Frame) -> None:
        """Run the chosen branch; of a Case the last one when there is no such number."""
        value = read_first(device, frame, self.chooser)
        last = len(self.branches) - 1
        index = int(value) if self.is_case else int(not value)
        for step in self.branches[index if 0 <= index <= last else last]:
            step.run(device, frame)


@dataclass(frozen=True, slots=True)
class LoopStep:
    """While: ``condition`` says whether ``body`` runs once more."""

    condition: tuple[Step, ...]
    decided: TensorAt
    body: tuple[Step, ...]

    @property
    def moved_bytes(self) -> int:
        """What one round moves; how many there are is known on the device alone."""
        return sum(step.moved_bytes for step in (*self.condition, *self.body))

    def run(self, device: Device, frame: Frame) -> None:
        """Run rounds until the condition says no. Raises TimeoutError for a loop without an end."""
        for _ in range(MOST_ROUNDS):
            run_all(device, frame, self.condition)
            if not read_first(device, frame, self.decided):
                return
            run_all(device, frame, self.body)
        raise TimeoutError(f"a loop did not end within {MOST_ROUNDS} rounds")


def run_all(device: Device, frame: Frame, steps: Sequence[Step]) -> None:
    """Run steps in order."""
    for step in steps:
        step.run(device, frame)


def read_first(device: Device, frame: Frame, tensor: TensorAt) -> np.generic:
    """Read the first element of a tensor; an empty one counts as 0."""
    if not tensor.size:
        return np.int64(0)
    dtype = tensor.dtype.numpy
    value: np.generic = np.frombuffer(device.hbm.read(frame.address(tensor.where), dtype.itemsize), dtype)[0]
    return value
