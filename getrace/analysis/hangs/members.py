"""Which rank each statement is of: the waits of ranks, put together from the lines that tell of one.

HCCL spreads one wait over several lines of a process: the task, its peer, its group, its operation. A process that
never says its rank is called by its number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from getrace.analysis.hangs.lines import Said, time_in
from getrace.analysis.hangs.wordings import Sort

NEAR = 12
"""Rows that lie between the lines of one wait at most."""
NO_RANK = 4_294_967_295
"""How HCCL prints that a rank is not known."""
_BEGIN = frozenset({Sort.NOT_RECEIVED, Sort.TASK_OF_HCCL, Sort.AICPU_WAIT})
_MORE = frozenset({Sort.PEER, Sort.MEMBER, Sort.OPERATION, Sort.TAG})


@dataclass(slots=True)
class WaitOfRank:
    """One wait that a process reports. None: not said. ``call`` is the operation's name, ``since`` when it began."""

    pid: int
    said: list[Said] = field(default_factory=list)
    rank: int | None = None
    peer: int | None = None
    size: int | None = None
    group: str = ""
    tag: str = ""
    index: int | None = None
    since_ns: int | None = None

    @property
    def time_ns(self) -> int | None:
        """When the process reported it."""
        return self.said[0].time_ns

    @property
    def call(self) -> str:
        """The operation, as its tag begins: ``AllReduce``."""
        return self.tag.partition("_")[0]

    def take(self, said: Said) -> None:
        """Add what a line says."""
        self.said.append(said)
        for name in ("rank", "peer", "size", "index"):
            value = said.fact(name)
            if value is not None and value != NO_RANK:
                setattr(self, name, value)
        self.group = said.facts.get("group", "") or self.group
        self.tag = said.facts.get("tag", "") or self.tag
        self.since_ns = time_in(said.facts.get("since", "")) or self.since_ns


def waits_of_ranks(said: Iterable[Said]) -> list[WaitOfRank]:
    """Put the lines of each wait together, in row order. The same task told twice is one wait."""
    found: list[WaitOfRank] = []
    open_waits: dict[int, WaitOfRank] = {}
    for each in said:
        current = open_waits.get(each.pid)
        if current is not None and each.number - current.said[-1].number > NEAR:
            current = open_waits.pop(each.pid)
            current = None
        if each.sort in _BEGIN:
            same = current is not None and _same_line(current, each)
            if not same:
                current = open_waits[each.pid] = WaitOfRank(each.pid)
                found.append(current)
        if current is not None and each.sort in _BEGIN | _MORE:
            current.take(each)
    return found


def _same_line(wait: WaitOfRank, said: Said) -> bool:
    return wait.said[-1].row == said.row and wait.said[-1].number == said.number


@dataclass(frozen=True, slots=True)
class Roster:
    """What the log says of who is which rank: rank by process and group, sizes of groups, and names of servers."""

    rank_of: dict[tuple[int, str], int]
    size_of: dict[str, int]
    server_of: dict[str, int]
    """``server/device`` of heartbeats to the rank whose link has it."""

    def rank(self, pid: int, group: str) -> int | None:
        """Give the rank of a process in a group; in any group when only one is known of it."""
        own = {rank for (other, _), rank in self.rank_of.items() if other == pid}
        return self.rank_of.get((pid, group), own.pop() if len(own) == 1 else None)


def roster(said: Sequence[Said], waits: Sequence[WaitOfRank]) -> Roster:
    """Read who is which rank."""
    found = Roster({}, {}, {})
    for each in said:
        _learn(found, each)
    for wait in waits:
        if wait.rank is not None and wait.size:
            found.rank_of[wait.pid, wait.group] = wait.rank
            found.size_of[wait.group] = wait.size
    for each in said:
        own = found.rank(each.pid, "") if each.sort is Sort.LOST and "rank" in each.facts else None
        if own is not None:
            found.server_of.setdefault(each.facts["rank"], own)
    return found


def _learn(found: Roster, said: Said) -> None:
    """Take what a line says of a process's rank, or of a rank's server."""
    rank, size, group = said.fact("rank"), said.fact("size"), said.facts.get("group", "")
    if rank is None:
        return
    if said.sort in (Sort.ENTRY, Sort.INIT_FAILED) and size is not None:
        found.rank_of[said.pid, group] = rank
        found.size_of.setdefault(group, size)
    elif said.sort is Sort.RANK_ID:
        found.rank_of.setdefault((int(said.facts["pid"]), ""), rank)
    elif said.sort is Sort.LINK:
        for server, number in (("server", rank), ("peer_server", said.fact("peer"))):
            # An address without a device number is shared by all ranks of a server.
            if "/" in said.facts[server] and number is not None:
                found.server_of[said.facts[server]] = number
