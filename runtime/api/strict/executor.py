"""StrictExecutor: a ModelV2Executor that is held to the constraints of loading and running (seed 002, 7.1).

It has the calls of the executor and adds no behaviour but the refusal. The rules are about what a program does between
calls, so they stand in front of the calls and not inside.
"""

from collections.abc import Sequence

from runtime.api.strict.device import StrictDevice
from runtime.api.strict.violation import StrictModeError
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.model_v2 import ModelV2Executor
from runtime.values import Tensor

Shapes = tuple[tuple[int, ...], ...]


class StrictExecutor:
    """An executor on a strict device. Every call may raise StrictModeError."""

    def __init__(self, executor: ModelV2Executor, device: StrictDevice) -> None:
        self.executor = executor
        self._device = device
        self._loaded: ModelExecuteArg | None = None
        self._waits = 0
        self._seen: set[Shapes] = set()

    def load(self, arg: ModelExecuteArg | None = None, load_arg: ModelLoadArg | None = None) -> int:
        """``Load``; with whom it ran is remembered."""
        given = arg or ModelExecuteArg()
        status = self.executor.load(given, load_arg)
        if not status:
            self._loaded = given
            self._waits = self._device.synchronized[given.stream]
            self._seen.clear()
        return status

    def execute(self, arg: ModelExecuteArg, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """``Execute``: refused on another stream or with another allocator than Load, unless its stream was waited for.

        And refused afterwards when it asked the driver for memory for shapes that it has run before.
        """
        self._require_same(arg)
        shapes = tuple(tuple(tensor.shape.storage) for tensor in inputs)
        before = self._device.allocations
        status = self.executor.execute(arg, inputs, outputs)
        self._device.require_early_reads()
        if not status:
            self._require_no_allocation(shapes, self._device.allocations - before)
        return status

    def unload(self) -> int:
        """``UnLoad``."""
        return self.executor.unload()

    def close(self) -> None:
        """End the executor."""
        self.executor.close()

    def _require_same(self, arg: ModelExecuteArg) -> None:
        loaded = self._loaded
        if loaded is None or self._device.synchronized[loaded.stream] > self._waits:
            return
        hint = "load and run with the same stream and allocator, or synchronise the stream of Load in between"
        if arg.stream != loaded.stream:
            text = f"the model was loaded on stream 0x{loaded.stream:x} and is run on stream 0x{arg.stream:x}"
            raise StrictModeError(f"{text}, and nobody waited for the first", hint)
        if arg.external_allocator is not loaded.external_allocator:
            raise StrictModeError(
                f"the model was loaded with another allocator than it is run with on stream 0x{arg.stream:x}", hint
            )

    def _require_no_allocation(self, shapes: Shapes, count: int) -> None:
        if shapes in self._seen and count:
            raise StrictModeError(
                f"a run asked the driver for memory {count} times, though inputs of shapes {list(shapes)} ran before",
                "memory is allocated while a model is loaded or in the first run of its shapes, and kept",
            )
        self._seen.add(shapes)
