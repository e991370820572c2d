"""The lives of blocks as a log shows them, in the short form of spec/kerneltrace.md 10.8, and the rules they obey.

A alloc, W a>b wander, F free, L local-recycle, B borrow-recycle, R recycle, S and s send recycling and migration, V and
v wait for them; ``@`` is the stream, ``e`` the event.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from simulated_runs import Heard

from getrace.events.memory import BatchAlloc, BirthRecycle, BorrowRecycle, LocalRecycle, MemAlloc, MemFree, MemWander
from getrace.events.memory import BatchFree as BatchFreed
from getrace.events.streams import MigrationSent, MigrationWaited, RecycleSent, RecycleWaited

_LETTERS = {RecycleSent: "S", MigrationSent: "s", RecycleWaited: "V", MigrationWaited: "v"}
_ENDS = {LocalRecycle: "L", BorrowRecycle: "B", BirthRecycle: "R"}


@dataclass(slots=True)
class Life:
    """One life: the kernel that allocated, up to its compute node, and what happened to the block."""

    by: str
    what: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        """The line of the table."""
        return f"{self.by}: {' '.join(self.what)}"


def lives(heard: Iterable[Heard]) -> list[Life]:
    """Give the lives in order of their Alloc lines; memory of the caller has none and is left out."""
    found: list[Life] = []
    alive: dict[int, Life] = {}
    for item in heard:
        event = item.event
        if isinstance(event, MemAlloc | BatchAlloc):
            assert item.kernel is not None
            alive[event.addr] = Life(item.kernel.rpartition("_")[0], [f"A@{event.stream}"])
            found.append(alive[event.addr])
            continue
        life = alive.get(getattr(event, "addr", 0) or 0)
        if life is not None and (word := _word(event)):
            life.what.append(word)
    return found


def _word(event: object) -> str:
    if isinstance(event, MemWander):
        return f"W {event.stream}>{event.peer}"
    if isinstance(event, MemFree | BatchFreed):
        return f"F@{event.stream}"
    if isinstance(event, RecycleSent | MigrationSent | RecycleWaited | MigrationWaited):
        return f"{_LETTERS[type(event)]}@{event.stream}e{event.event_id}"
    if isinstance(event, LocalRecycle | BorrowRecycle | BirthRecycle):
        return f"{_ENDS[type(event)]}@{event.stream}"
    return ""


def broken_rule(life: str) -> str:
    """Give the first rule of spec/kerneltrace.md 10.3 to 10.5 that a life breaks, or ""."""
    words = life.replace("W ", "W").split()
    if not words or words[0][0] != "A":
        return "a life begins with an allocation"
    state = _State(words[0][2:])
    for word in words[1:]:
        if state.ended:
            return f"{word} behind the end of the life"
        if reason := state.take(word):
            return f"{word}: {reason}"
    return ""


@dataclass(slots=True)
class _State:
    """Where a block is: references by stream, who has finished, what is on its way."""

    birth: str
    counts: Counter[str] = field(default_factory=Counter)
    finished: set[str] = field(default_factory=set)
    sent: set[tuple[str, str]] = field(default_factory=set)
    just_freed: str = ""
    lent_to: str = ""
    ended: bool = False

    def __post_init__(self) -> None:
        """The birth stream has it."""
        self.counts[self.birth] = 1

    def take(self, word: str) -> str:
        """Take one step; give the rule it breaks, or ""."""
        kind, _, rest = word[0], word[1], word[1:].lstrip("@")
        stream, _, event = rest.partition("e")
        reason = getattr(self, f"_{kind}")(stream, event)
        if kind != "F":
            self.just_freed = ""
        return str(reason)

    def _W(self, pair: str, _event: str) -> str:  # noqa: N802 - named by the letter
        source, _, target = pair.partition(">")
        if not self.counts[source]:
            return f"stream {source} does not have the block"
        self.counts[target] += 1
        self.finished.discard(target)
        return ""

    def _F(self, stream: str, _event: str) -> str:  # noqa: N802
        if not self.counts[stream]:
            return f"stream {stream} does not have the block"
        self.counts[stream] -= 1
        self.just_freed = stream
        return ""

    def _L(self, stream: str, _event: str) -> str:  # noqa: N802
        if self.just_freed != stream or self.counts[stream]:
            return "it stands behind the last free of its stream"
        self.finished.add(stream)
        return ""

    def _B(self, stream: str, _event: str) -> str:  # noqa: N802
        if stream == self.birth:
            return "the birth stream recycles"
        if self.counts.total():
            return "somebody still has the block"
        self.lent_to = stream
        return ""

    def _R(self, stream: str, _event: str) -> str:  # noqa: N802
        if stream != self.birth:
            return f"a block of stream {self.birth} ends there"
        if self.counts.total():
            return "somebody still has the block"
        self.ended = True
        return ""

    def _S(self, stream: str, event: str) -> str:  # noqa: N802
        self.sent.add(("S", event))
        return "" if stream in self.finished else f"stream {stream} has not finished"

    def _V(self, _stream: str, event: str) -> str:  # noqa: N802
        return "" if ("S", event) in self.sent else f"event {event} was not sent with it"

    def _s(self, stream: str, event: str) -> str:
        self.sent.add(("s", event))
        return "" if stream == self.lent_to else f"stream {stream} has not borrowed it"

    def _v(self, stream: str, event: str) -> str:
        if ("s", event) not in self.sent:
            return f"event {event} was not sent with it"
        return "" if stream == self.birth else f"a block of stream {self.birth} goes home there"
