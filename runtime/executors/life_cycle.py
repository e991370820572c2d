"""The life of a loaded model, as data (spec/execution.md 1.2).

Two tables say what is allowed and what is said when it is not. Calls ask them; no other file knows the states.
"""

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType


class State(IntEnum):
    """``ExecutorState``."""

    INIT = 0
    LOADED = 1


LOAD = "load"
EXECUTE = "execute"
UNLOAD = "unload"

NEXT: Mapping[tuple[State, str], State] = MappingProxyType(
    {
        (State.INIT, LOAD): State.LOADED,
        (State.LOADED, EXECUTE): State.LOADED,
        (State.LOADED, UNLOAD): State.INIT,
    }
)

REFUSED: Mapping[tuple[State, str], str] = MappingProxyType(
    {
        (State.LOADED, LOAD): "Cannot load now, the model has been loaded(1)",
        (State.INIT, EXECUTE): "Failed to execute model, you may need load model first",
        (State.INIT, UNLOAD): "Cannot unload now, the model state is not loaded(0)",
    }
)
