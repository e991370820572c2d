"""A wait-for graph of ranks while it is put together: each rank by its name, with the strongest thing said of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from getrace.analysis.confidence import Confidence
from getrace.analysis.hangs import graph
from getrace.analysis.hangs.model import Rank, RankState, RankWait
from getrace.analysis.places import Place

STRENGTH = (
    RankState.FAILED,
    RankState.LOST,
    RankState.STUCK,
    RankState.ABSENT,
    RankState.OTHER_CALL,
    RankState.LATE,
    RankState.WAITING,
    RankState.UNKNOWN,
)
"""What makes a rank the cause, the strongest first."""
FIRST = frozenset({RankState.FAILED, RankState.LOST, RankState.STUCK})
"""What comes before any wait: among these the earliest is the cause."""
EVIDENCE = 4
"""Places that are kept of one rank or wait; more repeat it."""


@dataclass(slots=True)
class Draft:
    """Ranks and waits of one group. ``size`` None: not said."""

    group: str
    size: int | None = None
    ranks: dict[str, Rank] = field(default_factory=dict)
    edges: dict[tuple[str, str], RankWait] = field(default_factory=dict)
    claims: set[tuple[int, int]] = field(default_factory=set)
    """(process, rank) of the waits that say their own rank."""

    def note(
        self,
        name: str,
        state: RankState,
        confidence: Confidence,
        spots: Iterable[Place] = (),
        *,
        pid: int | None = None,
        time_ns: int | None = None,
        cannot_tell: str = "",
    ) -> None:
        """Say something of a rank; a stronger statement stands, and the first evidence of it is kept.

        ``time_ns`` is given where the lines tell of an earlier moment than their own.
        """
        told = tuple(spots)[:EVIDENCE]
        times = [time for time in (time_ns, *(spot.time_ns for spot in told)) if time is not None]
        before = self.ranks.get(name)
        if before is None or STRENGTH.index(state) < STRENGTH.index(before.state):
            known = pid if pid is not None or before is None else before.pid
            self.ranks[name] = Rank(name, state, confidence, known, told, next(iter(times), None), cannot_tell)

    def doubt(self, name: str, why: str) -> None:
        """Take the sureness from what is said of a rank, as ``why`` speaks against it."""
        if name in self.ranks:
            self.ranks[name] = replace(self.ranks[name], confidence=Confidence.LOW, cannot_tell=why)

    def wait(self, waiter: str, peer: str, what: str, spots: Iterable[Place] = (), *, stated: bool) -> None:
        """Say that a rank waits for another; what a line states counts more than what follows from it."""
        before = self.edges.get((waiter, peer))
        if waiter != peer and (before is None or (stated and not before.stated)):
            self.edges[waiter, peer] = RankWait(waiter, peer, stated, what, tuple(spots)[:EVIDENCE])

    @property
    def waits(self) -> dict[str, list[str]]:
        """The edges as a graph."""
        found: dict[str, list[str]] = {}
        for waiter, peer in self.edges:
            found.setdefault(waiter, []).append(peer)
        return found

    def is_cause(self, name: str) -> bool:
        """Say whether more is known of a rank than that it waits, or than its name."""
        rank = self.ranks.get(name)
        return rank is not None and STRENGTH.index(rank.state) < STRENGTH.index(RankState.WAITING)

    def strongest(self, names: Iterable[str]) -> list[str]:
        """Give those of some ranks that are the likeliest causes: all that failed, else all of the strongest state."""
        known = list(names)
        best = min((_class(self.ranks[name].state) for name in known), default=0)
        return [name for name in known if _class(self.ranks[name].state) == best]

    def lead(self, waiters: Iterable[str], peers: Sequence[str], what: str) -> None:
        """Let ranks wait for others as it follows from what is said, not as a line states it."""
        for waiter in waiters:
            for peer in peers:
                self.wait(waiter, peer, what, stated=False)

    def roots(self) -> tuple[Rank, ...]:
        """Give the ranks at the ends of all waits, the strongest first, then the earliest; and all that failed.

        A rank that failed or is lost needs nobody to wait for it: it is a cause even where no wait names it.
        """
        names = [*graph.roots(self.waits), *(rank.name for rank in self.ranks.values() if rank.state in FIRST)]
        found = [self.ranks[name] for name in dict.fromkeys(names) if name in self.ranks]

        def order(rank: Rank) -> tuple[int, bool, int]:
            return _class(rank.state), rank.time_ns is None, rank.time_ns or 0

        return tuple(sorted(found, key=order))

    def finish(self) -> None:
        """Name the ranks of which only others speak."""
        for waiter, peer in self.edges:
            for name in (waiter, peer):
                if name not in self.ranks:
                    why = f"no line of {name} itself is in the log"
                    self.note(name, RankState.UNKNOWN, Confidence.LOW, cannot_tell=why)


def rank_name(number: int) -> str:
    """Call a rank by its number."""
    return f"rank {number}"


def process_name(pid: int) -> str:
    """Call a rank whose number no line says by its process."""
    return f"process {pid}" if pid >= 0 else "a process without a number"


def _class(state: RankState) -> int:
    return 0 if state in FIRST else STRENGTH.index(state)
