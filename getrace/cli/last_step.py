"""What a run without a screen remembers: its load, and the step it is in.

The summary counts and needs no events; only a failure is told from them, and it ends the step it happens in. Keeping
all of them would let the memory grow with the number of steps.
"""

from getrace.events import Event, Level, Origin
from getrace.plog.spelling import spell_line
from getrace.store.live import LiveStore


class LastStep:
    """A sink of the bus that forgets each step when the next one begins."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._heard: list[tuple[int, Origin, Level, str | None, Event]] = []
        self._load: int | None = None

    def __call__(self, time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, /) -> None:
        """Take one event from the bus."""
        self._heard.append((time_ns, origin, level, kernel, event))

    def next_step(self) -> bool:
        """Forget the step before. False: the run goes on (the answer to its question whether it shall stop)."""
        if self._load is None:
            self._load = len(self._heard)
        del self._heard[self._load :]
        return False

    def store(self) -> LiveStore:
        """Give what is remembered as a store, polled."""
        store = LiveStore(self._name, spell_line)
        for heard in self._heard:
            store(*heard)
        store.poll()
        return store
