"""What an AI CPU task does when the device comes to it: an operator on whole arrays.

Inputs are read and outputs written at the addresses of the argument block, with the shapes of the extended
information, both as they were at the launch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from getrace.errors import ModelError
from runtime.device.address_space import AddressSpace
from runtime.device.device import Device
from runtime.device.tasks import Finish
from runtime.kernels.aicpu_ext_info import ExtInfo, ShapeClass
from runtime.kernels.aicpu_summary_record import Summary, write_summary
from runtime.kernels.context import IoDesc
from runtime.ops.op_def import Array, Evaluate, Result
from runtime.ops.registry import OpRegistry
from runtime.values import DType, Placement, Shape


@dataclass(frozen=True, slots=True)
class Place:
    """Where one tensor lies."""

    addr: int
    placement: Placement
    size: int = 0

    def space(self, device: Device) -> AddressSpace:
        """Give the memory that the address is of."""
        return device.host if self.placement.on_host else device.hbm


@dataclass(frozen=True, slots=True)
class OperatorWork:
    """One run of an operator, with everything it needs taken at the launch."""

    device: Device
    evaluate: Evaluate
    attrs: Mapping[str, Any]
    inputs: tuple[tuple[Place, DType, Shape], ...]
    outputs: tuple[tuple[Place, DType, Shape | None], ...]
    ext: ExtInfo | None = None

    @property
    def written(self) -> tuple[tuple[int, int], ...]:
        """Where outputs in device memory go."""
        return tuple((place.addr, place.size) for place, _, _ in self.outputs if place.placement.on_device)

    def run(self) -> None:
        """Compute, and write what the class of the operator asks for."""
        self._deliver(self.results())

    def begin(self) -> Finish:
        """Compute now, write later."""
        found = self.results()
        return lambda: self._deliver(found)

    def _deliver(self, found: Sequence[Array]) -> None:
        if self._leaves_summaries():
            self._write_summaries(found)
            return
        for array, (place, _, _) in zip(found, self.outputs, strict=True):
            if array.size:
                place.space(self.device).write(place.addr, array.tobytes())
        if self.ext is not None:
            self.ext.found = [Shape(array.shape) for array in found]

    def _leaves_summaries(self) -> bool:
        ext = self.ext
        if ext is None or ext.shape_class != ShapeClass.COMPUTE:
            return False
        return ext.told or bool(self.attrs.get("_force_unknown_shape"))

    def results(self) -> list[Array]:
        """Compute alone: arrays of the wanted types in the shapes they turned out to have."""
        arrays = [self._read(*given) for given in self.inputs]
        wanted = [Result(dtype, shape) for _, dtype, shape in self.outputs]
        with np.errstate(all="ignore"):
            found = self.evaluate(arrays, self.attrs, wanted)
        return [
            np.asarray(array).astype(result.dtype.numpy, order="C") for array, result in zip(found, wanted, strict=True)
        ]

    def _read(self, place: Place, dtype: DType, shape: Shape) -> Array:
        count = shape.elements
        raw = place.space(self.device).read(place.addr, count * dtype.numpy.itemsize) if count else b""
        return np.frombuffer(raw, dtype.numpy).reshape(shape)

    def _write_summaries(self, found: Sequence[Array]) -> None:
        """Put results where there is room for them, and say in each output where that is."""
        for array, (place, _, _) in zip(found, self.outputs, strict=True):
            dims = np.array(array.shape, "<i8").tobytes()
            raw = array.tobytes()
            summary = Summary(_fresh(self.device, dims), len(dims), _fresh(self.device, raw), len(raw))
            write_summary(self.device, place.addr, summary)


def _fresh(device: Device, content: bytes) -> int:
    if not content:
        return 0
    address = device.hbm.malloc(len(content))
    if address is None:
        raise MemoryError("the AI CPU has no memory for its results")
    device.hbm.write(address, content)
    return address


def evaluate_of(ops: OpRegistry, type_name: str) -> Evaluate:
    """Find what the AI CPU and the host run for a type. Raises ModelError when there is nothing."""
    op = ops.find(type_name)
    if op.evaluate is None:
        raise ModelError(
            f"operator {type_name} has no kernel for the AI CPU or the host", "give its row an evaluate function"
        )
    return op.evaluate


def described(descs: Sequence[IoDesc], index: int) -> DType:
    """Give the type of an input or output; dynamic inputs repeat the last description."""
    return descs[min(index, len(descs) - 1)].dtype
