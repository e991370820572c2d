"""A graph of a session, loaded: the hybrid executor for open shapes, v1 for known ones, behind the same calls.

Source: spec/execution.md 3.6 (``SyncExecuteHybridModel``, ``SyncExecuteModel``), 3.7.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple, Protocol

import numpy as np

from getrace.errors import InputError
from runtime.api.ge_process import GeProcess
from runtime.api.host_tensors import free_host, free_output, to_array, to_tensor
from runtime.api.hybrid.executor import HybridModelRtV2Executor
from runtime.api.hybrid.model import HybridModel, is_need_hybrid_load
from runtime.api.inputs import Array, dtype_of
from runtime.api.static_model import StaticModel, load_static_model
from runtime.device.device import Device
from runtime.executors.rt_session import RtSession
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.status import Status
from runtime.values import Placement, Shape, StorageShape, Tensor, TensorData

EXEC_PLACEMENT: Final = "ge.exec.placement"
"""Process option: ``HOST`` runs every graph on the host, which the hybrid executor alone can."""

_LOAD: Final = ("model_manager.cc", 0, "LoadModelOnline")


class Ran(NamedTuple):
    """What one run gives: the outputs, none with a status that is not 0 or at the end of a data set."""

    outputs: list[Array]
    status: int = Status.SUCCESS
    is_eos: bool = False


class LoadedGraph(Protocol):
    """A graph that can be run."""

    def run(self, arrays: Sequence[Array]) -> Ran:
        """Run on arrays of the host and wait."""

    def execute_on(self, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """Put one run on a stream of the caller's, on tensors of the device."""

    def unload(self) -> int:
        """End it."""


class HybridGraph:
    """A graph of open shapes."""

    def __init__(self, device: Device, executor: HybridModelRtV2Executor, outputs: int) -> None:
        self._device = device
        self._executor = executor
        self._outputs = outputs

    def run(self, arrays: Sequence[Array]) -> Ran:
        """Run on arrays of the host, which the executor copies to the device, and wait."""
        inputs = [to_tensor(self._device, np.ascontiguousarray(array)) for array in arrays]
        outputs = [Tensor(StorageShape(Shape(), Shape())) for _ in range(self._outputs)]
        try:
            status, is_eos = self._executor.execute(inputs, outputs)
            found = [] if status or is_eos else [to_array(self._device, tensor) for tensor in outputs]
            return Ran(found, status, is_eos)
        finally:
            for tensor in inputs:
                free_host(self._device, tensor)
            for tensor in outputs:
                free_output(tensor)

    def execute_on(self, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """Put one run on a stream of the caller's."""
        return self._executor.execute_with_stream_async(inputs, outputs, stream)

    def unload(self) -> int:
        """Unload the executor and end it."""
        status = self._executor.unload()
        self._executor.close()
        return status


class SunkGraph:
    """A graph of known shapes, run by v1 on the default stream."""

    def __init__(self, process: GeProcess, model: StaticModel) -> None:
        self._device = process.device
        self._model = model

    def run(self, arrays: Sequence[Array]) -> Ran:
        """Copy the arrays to the device, run, wait, and copy the outputs back."""
        wanted = [np.zeros(tensor.shape, tensor.dtype.numpy) for tensor in self._model.davinci.plan.outputs]
        with on_device(self._device, arrays) as inputs, on_device(self._device, wanted) as outputs:
            status = self._model.execute(0, inputs, outputs)
            # Whatever was launched ends before its memory goes back.
            status = self._device.synchronize(0) or status
            return Ran([] if status else [to_array(self._device, tensor) for tensor in outputs], status)

    def execute_on(self, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """Put one run on a stream of the caller's."""
        return self._model.execute(stream, inputs, outputs)

    def unload(self) -> int:
        """Give the memory of the model back."""
        return self._model.unload()


def load_graph(process: GeProcess, graph: ComputeGraph, session: RtSession) -> tuple[LoadedGraph | None, int]:
    """Compile a graph and load it. Gives None and a status when it cannot be."""
    if not is_need_hybrid_load(graph, host_exec=process.options.get(EXEC_PLACEMENT) == "HOST"):
        model, status = load_static_model(process, graph)
        return (None, status) if model is None else (SunkGraph(process, model), status)
    hybrid = HybridModel(graph, next(process.hybrid_ids), environment=process.environment)
    executor = HybridModelRtV2Executor(process, hybrid, session=session)
    try:
        with process.refusing(_LOAD):
            status = executor.init() or executor.load() or process.machine.synchronize(executor.stream)
    except InputError:
        status = Status.FAILED
    if status:
        executor.close()
        return None, status
    outputs = sum(len(node.inputs) for node in graph.of_type(("NetOutput",)))
    return HybridGraph(process.device, executor, outputs), Status.SUCCESS


@contextmanager
def on_device(device: Device, arrays: Sequence[Array]) -> Iterator[list[Tensor]]:
    """Copy arrays into memory of the device, which is given back at the end. Raises MemoryError when there is none."""
    made: list[TensorData] = []
    try:
        for array in arrays:
            size = max(array.nbytes, 1)
            address = device.malloc(size)
            if address is None:
                raise MemoryError(f"the device has no {size} bytes for a tensor")
            made.append(TensorData(address, size, Placement.DEVICE_HBM))
            if array.nbytes:
                device.clock.spend(device.copy_ns(array.nbytes))
                device.hbm.write(address, np.ascontiguousarray(array).tobytes())
        yield [
            Tensor(StorageShape.same(array.shape), dtype_of(array), data=data)
            for array, data in zip(arrays, made, strict=True)
        ]
    finally:
        for data in made:
            device.free(data.addr)
