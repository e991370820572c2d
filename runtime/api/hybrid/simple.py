"""RtV2Executor, and RtV2SimpleExecutor: one ModelV2Executor for the whole model (spec/execution.md 3.8)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

from getrace.events import Level
from runtime.api.ge_process import GeProcess
from runtime.api.hybrid.model import HybridModel
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.builder import build_executor
from runtime.executors.model_v2 import ModelV2Executor
from runtime.executors.options import CORE_NUMBER, MultiThreadExecutorOption, option_from
from runtime.executors.rt_session import RtSession
from runtime.kernels.status import Status
from runtime.values import Tensor

_FILE: Final = "rt_v2_simple_executor.h"
_LOAD: Final = (_FILE, 27, "Load")
_LOADED: Final = (_FILE, 30, "Load")
_NOT_LOADED: Final = (_FILE, 36, "Execute")
_UNLOAD: Final = (_FILE, 54, "Unload")
_UNLOADED: Final = (_FILE, 57, "Unload")
_CORES: Final = ("rt_v2_simple_executor.cc", 46, "Create")


class RtV2Executor(Protocol):
    """``RtV2ExecutorInterface``: what a hybrid model runs on, whether it is in stages or not."""

    def load(self, arg: ModelExecuteArg, load_arg: ModelLoadArg) -> int:
        """Load the model; a second call does nothing."""

    def execute(self, arg: ModelExecuteArg, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """Run the model and give the status of what failed."""

    def unload(self) -> int:
        """Unload the model; a second call does nothing."""

    def close(self) -> None:
        """End what was built."""


class RtV2SimpleExecutor:
    """``RtV2SimpleExecutor``: loading and unloading twice is fine, one call may run the model several times."""

    def __init__(self, process: GeProcess, name: str, executor: ModelV2Executor, iterations: int = 1) -> None:
        self.executor = executor
        self._process = process
        self._name = name
        self._iterations = iterations
        self._loaded = False

    def load(self, arg: ModelExecuteArg, load_arg: ModelLoadArg) -> int:
        """``Load``: run Init, unless that was done."""
        if self._loaded:
            self._process.say(_LOADED, f"Executor for model {self._name} has already loaded")
            return Status.SUCCESS
        self._process.say(_LOAD, f"Load simple executor for model {self._name}")
        status = self.executor.load(arg, load_arg)
        self._loaded = not status
        return status

    def execute(self, arg: ModelExecuteArg, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """``Execute``: run Main as often as one call asks for; the first failure ends it. PARAM_INVALID before Load."""
        if not self._loaded:
            self._process.refuse(_NOT_LOADED, f"Executor for model {self._name} has not been load")
            return Status.PARAM_INVALID
        for _ in range(self._iterations):
            if status := self.executor.execute(arg, inputs, outputs):
                return status
        return Status.SUCCESS

    def unload(self) -> int:
        """``Unload``: run DeInit, unless nothing is loaded."""
        if not self._loaded:
            self._process.say(_UNLOADED, f"Executor for model {self._name} has already unloaded")
            return Status.SUCCESS
        self._process.say(_UNLOAD, f"Unload simple executor for model {self._name}")
        status = self.executor.unload()
        self._loaded = bool(status)
        return status

    def close(self) -> None:
        """End the executor."""
        self.executor.close()


def create_simple(process: GeProcess, model: HybridModel, session: RtSession) -> RtV2SimpleExecutor:
    """``RtV2SimpleExecutor::Create``: lower and build a model; MAX_RUNTIME_CORE_NUMBER may ask for several threads.

    Raises ModelError when it cannot be lowered or built.
    """
    text = f"max runtime core number is {model.environment.get(CORE_NUMBER, '1')}"
    process.say(_CORES, text, Level.DEBUG)
    option = option_from(model.environment)
    options = process.lowering
    if isinstance(option, MultiThreadExecutorOption):
        options = replace(options, max_runtime_core_number=option.thread_num)
    root = process.lower(model.graph, options)
    executor = build_executor(root, process.machine, process.kernels, option, session=session)
    if model.weight_dir:
        executor.set_file_constant_weight_dir(model.weight_dir)
    return RtV2SimpleExecutor(process, model.name, executor, model.iterations)
