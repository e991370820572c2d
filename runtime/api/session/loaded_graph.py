"""A graph of a session, loaded: RT2 for open shapes, v1 for known ones, behind the same calls.

Source: spec/execution.md 3.6 (``IsNeedHybridLoad``, ``SyncExecuteHybridModel``, ``SyncExecuteModel``), 3.7.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final, Protocol

import numpy as np

from getrace.errors import InputError
from runtime.api.ge_process import GeProcess
from runtime.api.host_tensors import free_output, to_array
from runtime.api.inputs import Array, dtype_of
from runtime.api.static_model import StaticModel, load_static_model
from runtime.device.device import Device
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.builder import build_executor
from runtime.executors.model_v2 import ModelV2Executor
from runtime.executors.options import option_from
from runtime.executors.rt_session import RtSession
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.status import Status
from runtime.kernels.task_sink.plan import is_static
from runtime.values import Placement, Shape, StorageShape, Tensor, TensorData

HYBRID_MARKS: Final = ("_graph_unknown_flag", "_dynamic_shape_partitioned", "_host_exec_flag")
"""Attributes of a graph that send it to the hybrid executor, whatever its shapes are."""

_LOAD: Final = ("hybrid_model_rt_v2_executor.cc", 0, "Init")


class LoadedGraph(Protocol):
    """A graph that can be run."""

    def execute(self, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """Put one run on a stream. Tensors lie on the device."""

    def outputs(self) -> AbstractContextManager[list[Tensor]]:
        """Give tensors for the outputs of one run; their memory goes back at the end."""

    def unload(self) -> int:
        """End it."""


class HybridGraph:
    """A graph of open shapes, run by a ModelV2Executor that allocates its outputs."""

    def __init__(self, executor: ModelV2Executor) -> None:
        self._executor = executor

    def execute(self, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """Put one run on a stream."""
        return self._executor.execute(ModelExecuteArg(stream), inputs, outputs)

    @contextmanager
    def outputs(self) -> Iterator[list[Tensor]]:
        """Give tensors without memory."""
        made = [Tensor(StorageShape(Shape(), Shape())) for _ in self._executor.get_model_desc().outputs]
        try:
            yield made
        finally:
            for tensor in made:
                free_output(tensor)

    def unload(self) -> int:
        """Unload the executor and end it."""
        status = self._executor.unload()
        self._executor.close()
        return status


class SunkGraph:
    """A graph of known shapes, run by v1."""

    def __init__(self, process: GeProcess, model: StaticModel) -> None:
        self._device = process.device
        self._model = model

    def execute(self, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """Put one run on a stream."""
        return self._model.execute(stream, inputs, outputs)

    def outputs(self) -> AbstractContextManager[list[Tensor]]:
        """Give tensors with memory of the device."""
        wanted = self._model.davinci.plan.outputs
        return on_device(self._device, [np.zeros(tensor.shape, tensor.dtype.numpy) for tensor in wanted])

    def unload(self) -> int:
        """Give the memory of the model back."""
        return self._model.unload()


def is_need_hybrid_load(graph: ComputeGraph) -> bool:
    """``IsNeedHybridLoad``: whether a graph is marked dynamic; one that no compiler marked, by its shapes."""
    return any(graph.attrs.get(mark) for mark in HYBRID_MARKS) or not is_static(graph)


def load_graph(process: GeProcess, graph: ComputeGraph, session: RtSession) -> tuple[LoadedGraph | None, int]:
    """Compile a graph and load it on the default stream. Gives None and a status when it cannot be."""
    if not is_need_hybrid_load(graph):
        model, status = load_static_model(process, graph)
        return (None, status) if model is None else (SunkGraph(process, model), status)
    try:
        with process.refusing(_LOAD):
            option = option_from(process.environment)
            executor = build_executor(process.lower(graph), process.machine, process.kernels, option, session=session)
    except InputError:
        return None, Status.FAILED
    if status := executor.load(ModelExecuteArg(), ModelLoadArg(session)):
        executor.close()
        return None, process.refuse(_LOAD, f"Failed load rt v2 model for graph {graph.name}", status)
    return HybridGraph(executor), process.device.synchronize(0)


def run_arrays(
    process: GeProcess, graph: LoadedGraph, arrays: Sequence[Array], stream: int = 0
) -> tuple[list[Array], int]:
    """Run a graph on arrays of the host and wait: they are copied to the device, the outputs back.

    Gives no outputs with a status that is not 0.
    """
    device = process.device
    with on_device(device, arrays) as inputs, graph.outputs() as outputs:
        status = graph.execute(stream, inputs, outputs)
        # Whatever was launched ends before its memory goes back.
        status = device.synchronize(stream) or status
        return ([] if status else [to_array(device, tensor) for tensor in outputs]), status


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
