"""What a run without a screen remembers: its load, and the step it is in.

The summary counts and needs no events; only a failure is told from them, and it ends the step it happens in. Keeping
all of them would let the memory grow with the number of steps, or with a loop that never ends.
"""

from collections import deque
from typing import Final

from getrace.events import Event, Level, Origin
from getrace.plog.spelling import spell_line
from getrace.store.live import LiveStore

_MOST: Final = 1_000_000
"""Events of one step that are kept, the last ones: a loop that does not end must not fill the memory."""

_Heard = tuple[int, Origin, Level, str | None, Event]


class LastStep:
    """A sink of the bus that forgets each step when the next one begins."""

    def __init__(self, name: str, most: int = _MOST) -> None:
        self._name = name
        self._load: list[_Heard] = []
        self._step: deque[_Heard] = deque(maxlen=most)
        self._remember = self._load.append
        self._steps = 0
        self._count = 0

    def __call__(self, time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, /) -> None:
        """Take one event from the bus."""
        self._count += 1
        self._remember((time_ns, origin, level, kernel, event))

    def next_step(self) -> bool:
        """Forget the step before. False: the run goes on (the answer to its question whether it shall stop)."""
        self._steps += 1
        self._step.clear()
        self._remember = self._step.append
        return False

    @property
    def how_far(self) -> str:
        """Where the run is, in words: loading or the number of the step, and how many events there were."""
        where = f"step {self._steps}" if self._steps else "load"
        return f"{where}, {self._count:,} events"

    def store(self) -> LiveStore:
        """Give what is remembered as a store, polled."""
        store = LiveStore(self._name, spell_line)
        for heard in (*self._load, *self._step):
            store(*heard)
        store.poll()
        return store
