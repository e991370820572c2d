"""StreamExecutor: one model for callers on several streams, each with an executor of its own (spec/execution.md 3.1).

It is the only object of this layer that several threads may call at once. The map is guarded, the executors are not:
one stream belongs to one thread.
"""

from collections.abc import Callable
from threading import RLock

from getrace.errors import ModelError
from getrace.events import Level
from getrace.events.text import LogLine
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.model_v2 import ModelV2Executor
from runtime.kernels.status import Status
from runtime.memory.journal import Journal

Build = Callable[[], ModelV2Executor]
"""``ModelV2ExecutorBuilder``: makes one more executor of the same model. Raises ModelError when it cannot."""

_ERASE = ("stream_executor.cc", 23, "Erase")
_CREATE = ("stream_executor.cc", 31, "CreateAndLoad")


class StreamExecutor:
    """``StreamExecutor``. ``build`` makes an executor; those made here live until they are erased or all is closed."""

    def __init__(self, build: Build, journal: Journal) -> None:
        self._build = build
        self._journal = journal
        self._lock = RLock()
        self._executors: dict[int, ModelV2Executor] = {}

    def get_or_create_loaded(
        self, stream: int, arg: ModelExecuteArg, load_arg: ModelLoadArg | None = None
    ) -> ModelV2Executor | None:
        """``GetOrCreateLoaded``: the executor of a stream, loaded; ``arg`` counts only when it is made now.

        None when it cannot be built or loaded. Nothing is kept then, so the next call tries again.
        """
        with self._lock:
            known = self._executors.get(stream)
            return known or self._create_and_load(stream, arg, load_arg)

    def erase(self, stream: int) -> int:
        """``Erase``: unload the executor of a stream and end it; for a stream without one there is nothing to do."""
        with self._lock:
            gone = self._executors.pop(stream, None)
            if gone is None:
                return Status.SUCCESS
            self._say(_ERASE, f"Unload executor on stream {_pointer(stream)}")
            status = gone.unload()
            gone.close()
            return status

    def close(self) -> None:
        """End all executors, in the order in which they were made; those that are loaded are not unloaded, as in GE."""
        with self._lock:
            for executor in self._executors.values():
                executor.close()
            self._executors.clear()

    def _create_and_load(
        self, stream: int, arg: ModelExecuteArg, load_arg: ModelLoadArg | None
    ) -> ModelV2Executor | None:
        self._say(_CREATE, f"Create a new executor for stream {_pointer(stream)}")
        try:
            executor = self._build()
        except ModelError:
            return None
        if executor.load(arg, load_arg):
            executor.close()
            return None
        self._executors[stream] = executor
        return executor

    def _say(self, place: tuple[str, int, str], text: str) -> None:
        self._journal.say(LogLine("GE", *place, text), level=Level.DEBUG)


def _pointer(stream: int) -> str:
    return f"0x{stream:x}" if stream else "(nil)"
