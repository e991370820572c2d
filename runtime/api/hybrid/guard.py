"""Guards: a check that a compiler leaves beside a model, on the inputs it was compiled for (spec/execution.md 3.7).

GE writes the attribute's bytes into memory and loads them as a library. Nothing that comes in a model is executed here:
whoever has the guard's source gives it as a function, and a guard without one is said to be unchecked.
"""

from collections.abc import Sequence
from typing import Final

from getrace.events import Level
from runtime.api.ge_process import GeProcess
from runtime.api.hybrid.model import GUARD_ATTR, HybridModel
from runtime.kernels.status import Status
from runtime.values import Tensor

_LOAD: Final = ("hybrid_model_rt_v2_executor.cc", 1126, "LoadGuardCheckFunc")
_CHECK: Final = ("hybrid_model_rt_v2_executor.cc", 1149, "CheckGuard")
_REASON_BYTES: Final = 1024


def load_guard(process: GeProcess, model: HybridModel) -> None:
    """``LoadGuardCheckFunc``: say that there is a guard, and whether anything here stands for it."""
    if GUARD_ATTR not in model.graph.attrs:
        return
    process.say(_LOAD, "Start load guard check func")
    if model.guard is None:
        text = f"The guard of model {model.name} is a compiled library and is not checked"
        process.say(_LOAD, text, Level.WARNING)


def check_guard(process: GeProcess, model: HybridModel, inputs: Sequence[Tensor]) -> int:
    """``CheckGuard``: FAILED, with the reason, when the inputs are not those the model was compiled for."""
    if model.guard is None or GUARD_ATTR not in model.graph.attrs:
        return Status.SUCCESS
    process.say(_CHECK, "Start Check guard")
    reason = model.guard(inputs)[: _REASON_BYTES - 1]
    return process.refuse(_CHECK, f"Guard check failed, reason: {reason}") if reason else Status.SUCCESS
