"""Who waits for whom among ranks, as lines state it; each group of ranks becomes a graph."""

from collections.abc import Iterable, Mapping, Sequence

from getrace.analysis.confidence import Confidence
from getrace.analysis.hangs import graph
from getrace.analysis.hangs.claims import doubt_claims
from getrace.analysis.hangs.culprits import MOST_MISSING, Culprits, Known
from getrace.analysis.hangs.draft import Draft, rank_name
from getrace.analysis.hangs.lines import Said, arrival_in
from getrace.analysis.hangs.members import NO_RANK, WaitOfRank, roster, waits_of_ranks
from getrace.analysis.hangs.model import Hang, Limit, RankGraph, RankState, StreamIds, Waiter, WaitKind, Why
from getrace.analysis.hangs.wordings import Sort
from getrace.analysis.places import Place
from getrace.clock import NS_PER_SECOND

APART_NS = 6 * 3600 * NS_PER_SECOND
"""A silence that parts two hangs; the longest time-out in use is shorter."""
_STATES = {Sort.LOST: RankState.LOST, Sort.STUCK: RankState.STUCK}
_TAKEN = frozenset({Sort.LOST, Sort.STUCK, Sort.CONNECTED, Sort.NO_LINK, Sort.LINK})


class RankSolver:
    """Makes the graphs of one log. ``failed`` has the first own failure of each process."""

    def __init__(self, said: Sequence[Said], failed: Mapping[int, Place], limits: Sequence[Limit]) -> None:
        own = {each.pid: each.place() for each in reversed(said) if each.sort is Sort.OWN_FAULT}
        waits = waits_of_ranks(said)
        self._said = said
        self._known = Known(said, waits, roster(said, waits), own | dict(failed), tuple(limits))
        self._era = _eras(said)

    def graphs(self) -> tuple[RankGraph, ...]:
        """Give a graph for each group in which somebody waits or is lost, in the order of their first lines."""
        named = dict.fromkeys(wait.group for wait in self._known.waits if wait.group)
        drafts: dict[tuple[str, int], Draft] = {}

        def draft(group: str, said: Said) -> Draft:
            key = (group, 0 if group else self._era[said.row])
            return drafts.setdefault(key, Draft(group, self._known.roster.size_of.get(group)))

        for wait in self._known.waits:
            self._add_wait(draft(wait.group or self._home(wait.pid, named), wait.said[0]), wait)
        for each in self._said:
            if each.sort in _TAKEN:
                self._add_line(draft(self._home(each.pid, named), each), each)
        made = [draft for draft in drafts.values() if draft.ranks or draft.edges]
        return tuple(_finished(draft, self._known, alone=len(made) == 1) for draft in made)

    def hangs(self) -> list[Hang]:
        """Give the streams of HCCL at which the waits stand; their numbers are of HCCL's own kind."""
        found: dict[tuple[int, int | None, int | None], Hang] = {}
        for wait in self._known.waits:
            begin = wait.said[0]
            stream, task = begin.fact("stream"), begin.fact("task")
            if self._known.failed_before(wait.pid, wait.time_ns):
                continue
            peer = "another rank" if wait.peer is None else rank_name(wait.peer)
            found[wait.pid, stream, task] = Hang(
                Waiter.STREAM,
                wait.pid,
                StreamIds(printed=stream),
                WaitKind.NOTIFY,
                Why.ELSEWHERE,
                Confidence.MEDIUM if wait.peer is None else Confidence.HIGH,
                tuple(dict.fromkeys(each.place() for each in wait.said)),
                number=begin.fact("notify"),
                task=task,
                head=begin.fact("head"),
                tail=begin.fact("tail"),
                cannot_tell=f"the record is to come from {peer}: read its log",
            )
        return list(found.values())

    def _add_wait(self, draft: Draft, wait: WaitOfRank) -> None:
        name = self._known.name(wait)
        if wait.rank is not None:
            draft.claims.add((wait.pid, wait.rank))
        spots = dict.fromkeys(each.place() for each in wait.said)
        if self._known.failed_before(wait.pid, wait.time_ns):
            draft.note(name, RankState.FAILED, Confidence.MEDIUM, [self._known.failed[wait.pid]], pid=wait.pid)
            return
        draft.note(name, RankState.WAITING, Confidence.HIGH, spots, pid=wait.pid)
        if wait.peer is not None:
            draft.wait(name, rank_name(wait.peer), wait.call or "notify", spots, stated=True)

    def _add_line(self, draft: Draft, said: Said) -> None:
        spot, facts = said.place(), said.facts
        if said.sort in _STATES:
            lost = self._server(facts["peer"])
            draft.note(lost, _STATES[said.sort], Confidence.HIGH, [spot], time_ns=arrival_in(said.text))
            if "rank" in facts:
                draft.wait(self._server(facts["rank"]), lost, "heartbeat", [spot], stated=True)
        elif said.sort is Sort.CONNECTED:
            self._add_missing(draft, said)
        elif said.fact("rank") is not None and said.fact("peer") not in (None, NO_RANK):
            waiter, peer = rank_name(int(facts["rank"])), rank_name(int(facts["peer"]))
            draft.note(waiter, RankState.WAITING, Confidence.HIGH, [spot], pid=said.pid)
            draft.wait(waiter, peer, "link", [spot], stated=True)

    def _add_missing(self, draft: Draft, said: Said) -> None:
        """Add the ranks that did not connect to the one that gathers them all at the start of a communicator."""
        rank, sizes = self._known.roster.rank(said.pid, ""), self._sizes(said.pid)
        if rank is None or len(sizes) != 1:
            return
        (size,) = sizes
        there = {int(part) for part in _numbers(said.facts["ranks"])}
        draft.size = size
        draft.note(rank_name(rank), RankState.WAITING, Confidence.HIGH, [said.place()], pid=said.pid)
        for missing in sorted(set(range(min(size, len(there) + MOST_MISSING))) - there):
            draft.note(rank_name(missing), RankState.ABSENT, Confidence.HIGH, [said.place()])
            draft.wait(rank_name(rank), rank_name(missing), "connection", [said.place()], stated=True)

    def _home(self, pid: int, groups: Iterable[str]) -> str:
        """Give the group to which a line without one belongs: the only one of which its process is a member."""
        own = [group for group in groups if (pid, group) in self._known.roster.rank_of]
        return own[0] if len(own) == 1 else ""

    def _server(self, server: str) -> str:
        rank = self._known.roster.server_of.get(server)
        return server if rank is None else rank_name(rank)

    def _sizes(self, pid: int) -> set[int]:
        return {int(each.facts["size"]) for each in self._said if each.sort is Sort.INIT_FAILED and each.pid == pid}


def _finished(draft: Draft, known: Known, *, alone: bool) -> RankGraph:
    """Add to a draft what follows from what is said; ``alone``: it is the only group of the log."""
    culprits = Culprits(draft, known)
    unclear = culprits.find(alone=alone)
    draft.finish()
    doubt_claims(draft)
    roots = draft.roots()
    if not roots and not unclear:
        unclear = "no line names the rank that is waited for, and every rank that speaks waits"
    return RankGraph(
        draft.group,
        draft.size,
        tuple(draft.ranks.values()),
        tuple(draft.edges.values()),
        roots,
        tuple(graph.cycles(draft.waits)),
        culprits.spread,
        unclear,
    )


def _eras(said: Sequence[Said]) -> dict[int, int]:
    """Number the stretches of time between which nothing was said: lines of two hangs must not make one graph."""
    timed = sorted({(each.time_ns, each.row) for each in said if each.time_ns is not None})
    eras, era = {each.row: 0 for each in said}, 0
    for (time, row), (before, _) in zip(timed, [timed[0], *timed] if timed else [], strict=False):
        era += time - before > APART_NS
        eras[row] = era
    return eras


def _numbers(text: str) -> list[str]:
    return [part for part in text.replace("[", " ").replace("]", " ").replace(",", " ").split() if part.isdecimal()]
