"""Loaded models as ACL holds them: one class per route, all answering the same three calls.

The route is chosen when a model is loaded and remembered by its id; an execution asks no file again.

Source: spec/execution.md 3.4 (``RuntimeV2ModelExecute``), seed 002 ``2.1``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from runtime.api.acl.dataset import AclTensorDesc, Blob, Dataset, tensor_at
from runtime.api.acl.log import NO_INPUT, NO_OUTPUT, NOT_EXECUTED, OM2_SIZES, OUT_OF_RANGE, TOO_FEW, refuse
from runtime.api.error_codes import acl_status
from runtime.api.ge_process import GeProcess
from runtime.api.om2.executor import Om2ModelExecutor
from runtime.api.static_model import StaticModel
from runtime.executors.arguments import ModelExecuteArg
from runtime.executors.model_v2 import ModelV2Executor
from runtime.executors.rt_session import RtSession
from runtime.lowering.io_desc_checks import is_shape_in_range
from runtime.lowering.model_desc import ModelDesc, ModelIoDesc
from runtime.memory.l2 import Level1
from runtime.values import Placement, Shape, Tensor

Allocators = Mapping[Placement, Level1]


class Call(NamedTuple):
    """One execution: the model's id, its tensors, and the stream of an asynchronous one, None to wait for the end."""

    model_id: int
    inputs: Dataset
    outputs: Dataset
    stream: int | None = None


class LoadedModel(Protocol):
    """A model with an id."""

    @property
    def desc(self) -> ModelDesc:
        """What callers may know of it."""

    @property
    def is_dynamic(self) -> bool:
        """Whether its shapes are known only while it runs."""

    def execute(self, call: Call) -> int:
        """Run it once."""

    def unload(self) -> int:
        """End it."""


@dataclass(slots=True)
class Rt2Model:
    """A dynamic model: ``RuntimeV2ModelExecute``. ``allocators`` gives those of a stream."""

    process: GeProcess
    executor: ModelV2Executor
    session: RtSession
    allocators: Callable[[int], Allocators]

    @property
    def desc(self) -> ModelDesc:
        """What callers may know of it."""
        return self.executor.get_model_desc()

    @property
    def is_dynamic(self) -> bool:
        """Always."""
        return True

    def execute(self, call: Call) -> int:
        """Check the tensors and run; without a stream on the executor's own, whatever stream the caller named."""

        def run(inputs: list[Tensor], outputs: list[Tensor]) -> int:
            if call.stream is None:
                return self.executor.execute_sync(inputs, outputs)
            arg = ModelExecuteArg(call.stream, self.allocators(call.stream))
            return self.executor.execute(arg, inputs, outputs)

        return _run(self.process, self.desc, call, run, rt2=True)

    def unload(self) -> int:
        """Unload and destroy the executor, then what its session holds."""
        status = self.executor.unload()
        self.executor.close()
        self.session.destroy_resources(self.process.machine)
        return status


@dataclass(slots=True)
class SunkModel:
    """A static model: v1. Outputs need memory of the caller's."""

    process: GeProcess
    model: StaticModel

    @property
    def desc(self) -> ModelDesc:
        """What callers may know of it."""
        return self.model.desc

    @property
    def is_dynamic(self) -> bool:
        """Never."""
        return False

    def execute(self, call: Call) -> int:
        """Run the model as one task; without a stream, wait for it on the default one."""

        def run(inputs: list[Tensor], outputs: list[Tensor]) -> int:
            status = self.model.execute(call.stream or 0, inputs, outputs)
            return status or (self.process.device.synchronize(0) if call.stream is None else 0)

        return _run(self.process, self.desc, call, run, rt2=False)

    def unload(self) -> int:
        """Give the memory back."""
        return self.model.unload()


@dataclass(slots=True)
class Om2Model:
    """An OM2: its executor checks that there are as many tensors as the model has."""

    process: GeProcess
    executor: Om2ModelExecutor

    @property
    def desc(self) -> ModelDesc:
        """What callers may know of it."""
        return self.executor.desc

    @property
    def is_dynamic(self) -> bool:
        """Never: an OM2 of unknown shapes is refused when it is made."""
        return False

    def execute(self, call: Call) -> int:
        """``Om2ModelExecuteCommon``: run, and wait for the end unless there is a stream."""
        for what, blobs, wanted in (
            ("Input", call.inputs.blobs, self.desc.inputs),
            ("Output", call.outputs.blobs, self.desc.outputs),
        ):
            if len(blobs) != len(wanted):
                return refuse(self.process, OM2_SIZES[what], have=len(blobs), want=len(wanted))

        def run(inputs: list[Tensor], outputs: list[Tensor]) -> int:
            if call.stream is None:
                return self.executor.run(inputs, outputs)
            return self.executor.run_async(call.stream, inputs, outputs)

        return _run(self.process, self.desc, call, run, rt2=False)

    def unload(self) -> int:
        """End the executor."""
        return self.executor.unload()


def _run(
    process: GeProcess,
    desc: ModelDesc,
    call: Call,
    run: Callable[[list[Tensor], list[Tensor]], int],
    *,
    rt2: bool,
) -> int:
    """Make tensors, run, and hand the outputs back. RT2 compares shapes and may allocate outputs, the others do not."""
    inputs, status = input_tensors(process, desc, call, ranges=rt2)
    if status:
        return status
    outputs, status = output_tensors(process, desc, call, own=not rt2)
    if status:
        return status
    if status := run(inputs, outputs):
        return refuse(process, NOT_EXECUTED, acl_status(status), result=int(status), model_id=call.model_id)
    hand_back(call.outputs.blobs, outputs)
    return 0


def input_tensors(process: GeProcess, desc: ModelDesc, call: Call, *, ranges: bool) -> tuple[list[Tensor], int]:
    """Make tensors of the inputs; gives a status for too few, one that is not there, and one of a wrong shape.

    A shape that the caller does not say is the model's; blobs behind the model's last input are not looked at.
    """
    blobs = call.inputs.blobs
    if len(blobs) < len(desc.inputs):
        return [], refuse(process, TOO_FEW, have=len(blobs), want=len(desc.inputs))
    made: list[Tensor] = []
    for index, (io, blob) in enumerate(zip(desc.inputs, blobs, strict=False)):
        if blob.buffer is None or not (blob.buffer.data or not blob.buffer.size):
            return [], refuse(process, NO_INPUT, model_id=call.model_id, index=index)
        said = said_of(io, blob)
        if ranges and not (said.dims.is_known and is_shape_in_range(io, said.dims)):
            return [], refuse(process, OUT_OF_RANGE, index=index)
        made.append(tensor_at(blob.buffer, said))
    return made, 0


def output_tensors(process: GeProcess, desc: ModelDesc, call: Call, *, own: bool = False) -> tuple[list[Tensor], int]:
    """Make tensors of the outputs. The runtime allocates one without an address, unless it must be the caller's."""
    made: list[Tensor] = []
    for index, (io, blob) in enumerate(zip(desc.outputs, call.outputs.blobs, strict=False)):
        if blob.buffer is None or (own and not blob.buffer.data):
            return [], refuse(process, NO_OUTPUT, model_id=call.model_id, index=index)
        made.append(tensor_at(blob.buffer, said_of(io, blob)))
    return made, 0


def said_of(io: ModelIoDesc, blob: Blob) -> AclTensorDesc:
    """Give what the caller says of a tensor, else what the model says."""
    return blob.desc or AclTensorDesc(io.desc.dtype, Shape(io.desc.storage), io.desc.format.storage)


def hand_back(blobs: Sequence[Blob], tensors: Sequence[Tensor]) -> None:
    """Tell the caller the shapes of the outputs, and where those lie that the runtime allocated."""
    for blob, tensor in zip(blobs, tensors, strict=False):
        placement = Placement.DEVICE_HBM if tensor.data is None else tensor.placement
        blob.desc = AclTensorDesc(tensor.dtype, tensor.shape.storage, tensor.format.storage, placement)
        if blob.buffer is not None and not blob.buffer.data and tensor.data is not None:
            blob.buffer.take(tensor.data)
