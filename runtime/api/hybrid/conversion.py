"""What a caller's tensors become before they go into a hybrid model (spec/execution.md 3.7).

Host tensors are copied to the device on the model's stream, except those that the model reads on the host. The copies
belong to the call: their blocks go back when the model was launched, in the order of the stream.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from runtime.api.ge_process import GeProcess
from runtime.api.hybrid.model import HybridModel
from runtime.device.tasks import MEMCPY, Task
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, transfer
from runtime.memory.l2 import Level1
from runtime.memory.span import MemBlock
from runtime.values import Placement, Tensor, TensorData

_FILE: Final = "hybrid_model_rt_v2_executor.cc"
_COUNT: Final = (_FILE, 1342, "PrepareInputData")
_ON_DEVICE: Final = (_FILE, 763, "CopyInputs")
_PLACEMENT: Final = (_FILE, 1420, "CopyInputs")
_SCALAR: Final = (_FILE, 811, "PrepareInputsWithStream")
_NO_MEMORY: Final = (_FILE, 0, "CopyInputs")
_PAD: Final = 64
_LONGEST_HOST_RANK: Final = 1


@dataclass(slots=True)
class FedInputs:
    """The tensors that go into the model, and the blocks that were allocated for them.

    ``waiting`` are bytes that go to the device in one copy, by address.
    """

    tensors: list[Tensor] = field(default_factory=list)
    blocks: list[MemBlock] = field(default_factory=list)
    waiting: list[tuple[int, bytes]] = field(default_factory=list)

    def release(self, allocator: Level1) -> None:
        """Give the blocks back; the stream still works on them, and nobody else gets them before it has."""
        for block in self.blocks:
            allocator.free(block)
        self.blocks.clear()


@dataclass(frozen=True, slots=True)
class InputFeeder:
    """Brings the inputs of one call to where the model wants them.

    ``scalars_only`` is the rule of calls with a stream of the caller's: only scalars and lists of them lie on the host.
    """

    process: GeProcess
    model: HybridModel
    stream: int
    allocators: Mapping[Placement, Level1]
    scalars_only: bool = False

    def feed(self, inputs: Sequence[Tensor]) -> tuple[FedInputs, int]:
        """Give what goes in, and 0 or the status of the first input that cannot."""
        fed = FedInputs()
        if len(inputs) != self.model.input_count:
            text = (
                f"[Check][Size]Input size mismatches, Input desc size {self.model.input_count} "
                f"and input size {len(inputs)} are not same"
            )
            return fed, self.process.refuse(_COUNT, text, Status.PARAM_INVALID, report="E19999")
        host_inputs = self.model.host_inputs
        for index, tensor in enumerate(inputs):
            status = self._keep(fed, index, tensor) if index in host_inputs else self._bring(fed, index, tensor)
            if status:
                fed.release(self.allocators[Placement.DEVICE_HBM])
                return fed, status
        if fed.waiting:
            self._copy_batch(fed)
        return fed, Status.SUCCESS

    def _keep(self, fed: FedInputs, index: int, tensor: Tensor) -> int:
        if tensor.placement.on_device:
            text = f"Input {index} is marked as host model input, but actual input placement is device."
            return self._assert_failed(_ON_DEVICE, text)
        fed.tensors.append(tensor)
        return Status.SUCCESS

    def _bring(self, fed: FedInputs, index: int, tensor: Tensor) -> int:
        if tensor.placement.on_device:
            fed.tensors.append(tensor)
            return Status.SUCCESS
        if tensor.placement is not Placement.HOST or self.model.device_inputs:
            return self._assert_failed(_PLACEMENT, f"Input {index} has unexpected placement {int(tensor.placement)}")
        if self.scalars_only and len(tensor.shape.origin) > _LONGEST_HOST_RANK:
            text = f"Input {index} {tensor.shape.origin} on host must be scalar or list-scalar"
            return self._assert_failed(_SCALAR, text)
        return self._copy(fed, tensor)

    def _copy(self, fed: FedInputs, tensor: Tensor) -> int:
        data = tensor.data
        assert data is not None
        block = self.allocators[Placement.DEVICE_HBM].malloc(-(-data.size // _PAD) * _PAD + _PAD)
        if block is None:
            return self._assert_failed(_NO_MEMORY, f"Failed to alloc memory of input, size {data.size}")
        fed.blocks.append(block)
        source, target = Span(data.addr, data.placement), Span(block.addr, Placement.DEVICE_HBM)
        if self.model.batch_copy:
            fed.waiting.append((block.addr, self.process.device.host.read(data.addr, data.size)))
        else:
            transfer(self.process.device, self.stream, source, target, data.size)
        fed.tensors.append(replace(tensor, data=TensorData(block.addr, data.size, Placement.DEVICE_HBM)))
        return Status.SUCCESS

    def _copy_batch(self, fed: FedInputs) -> None:
        """``aclrtMemcpyBatchAsync``: one task for all inputs, whose bytes were taken at the call."""
        device = self.process.device

        def run() -> None:
            for address, content in fed.waiting:
                device.hbm.write(address, content)

        size = sum(len(content) for _, content in fed.waiting)
        task = Task("MEMCPY_BATCH_ASYNC", run, device.copy_ns(size), kind=MEMCPY)
        device.launch(device.stream(self.stream), task)

    def _assert_failed(self, place: tuple[str, int, str], text: str) -> int:
        self.process.refuse(place, text)
        return Status.PARAM_INVALID
