"""The life of a loaded model, as data (spec/execution.md 1.2).

Two tables say what is allowed and what is said when it is not. Calls ask them; no other file knows the states.
"""

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType

from runtime.executors.refusals import LOAD_FIRST, LOADED_ALREADY, NOT_LOADED, Refusal


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

REFUSED: Mapping[tuple[State, str], Refusal] = MappingProxyType(
    {
        (State.LOADED, LOAD): LOADED_ALREADY.about(state=int(State.LOADED)),
        (State.INIT, EXECUTE): LOAD_FIRST.about(),
        (State.INIT, UNLOAD): NOT_LOADED.about(state=int(State.INIT)),
    }
)
