"""Who waits for whom among ranks: what lines state, and who is missing where they name nobody.

A time-out names a victim. The cause is the rank that failed by itself, was lost, called something else, or is the only
one of its group that does not complain; without the logs of all ranks the last cannot be told from a lost log.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from getrace.analysis.confidence import Confidence
from getrace.analysis.hangs import graph
from getrace.analysis.hangs.draft import STRENGTH, Draft
from getrace.analysis.hangs.lines import Said, arrival_in
from getrace.analysis.hangs.members import NO_RANK, WaitOfRank, roster, waits_of_ranks
from getrace.analysis.hangs.model import Hang, Limit, RankGraph, RankState, StreamIds, Waiter, WaitKind, Why
from getrace.analysis.hangs.timeouts import CONNECT, EXEC, GaveUp, spread_of
from getrace.analysis.hangs.wordings import Sort
from getrace.analysis.places import Place
from getrace.clock import NS_PER_SECOND

MOST_MISSING = 64
"""Missing ranks that are named; where more have no log, nothing can be concluded from that."""
APART_NS = 6 * 3600 * NS_PER_SECOND
"""A silence that parts two hangs; the longest time-out in use is shorter."""
_STATES = {Sort.LOST: RankState.LOST, Sort.STUCK: RankState.STUCK}
_NO_LOG = "its log is not here: whether it arrived cannot be told"
_SILENT = "its log is here and reports no wait; whether it is whole cannot be told"


class RankSolver:
    """Makes the graphs of one log. ``failed`` has the first own failure of each process."""

    def __init__(self, said: Sequence[Said], failed: Mapping[int, Place], limits: Sequence[Limit]) -> None:
        self._said = said
        self._failed = failed
        self._limits = limits
        self.waits = waits_of_ranks(said)
        self._roster = roster(said, self.waits)
        self._era = _eras(said)

    def graphs(self) -> tuple[RankGraph, ...]:
        """Give a graph for each group in which somebody waits or is lost, in the order of their first lines."""
        named = dict.fromkeys(wait.group for wait in self.waits if wait.group)
        drafts: dict[tuple[str, int], Draft] = {}

        def draft(group: str, said: Said) -> Draft:
            key = (group, 0 if group else self._era[said.row])
            return drafts.setdefault(key, Draft(group, self._roster.size_of.get(group)))

        for wait in self.waits:
            self._add_wait(draft(wait.group or self._home(wait.pid, named), wait.said[0]), wait)
        for each in self._said:
            if each.sort in _TAKEN:
                self._add_line(draft(self._home(each.pid, named), each), each)
        return tuple(self._finished(draft) for draft in drafts.values() if draft.ranks or draft.edges)

    def hangs(self) -> list[Hang]:
        """Give the streams of HCCL at which the waits stand; their numbers are of HCCL's own kind."""
        found: dict[tuple[int, int | None, int | None], Hang] = {}
        for wait in self.waits:
            begin = wait.said[0]
            stream, task = begin.fact("stream"), begin.fact("task")
            if wait.pid in self._failed:
                continue
            peer = "another rank" if wait.peer is None else _rank(wait.peer)
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
                cannot_tell=f"the record is to come from {peer}: read its log",
            )
        return list(found.values())

    # -- what lines state ----------------------------------------------------------------------------------------

    def _add_wait(self, draft: Draft, wait: WaitOfRank) -> None:
        name = self._name(wait)
        spots = dict.fromkeys(each.place() for each in wait.said)
        if wait.pid in self._failed:
            draft.note(name, RankState.FAILED, Confidence.MEDIUM, [self._failed[wait.pid]], pid=wait.pid)
            return
        draft.note(name, RankState.WAITING, Confidence.HIGH, spots, pid=wait.pid)
        if wait.peer is not None:
            draft.wait(name, _rank(wait.peer), wait.call or "notify", spots, stated=True)

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
            waiter, peer = _rank(int(facts["rank"])), _rank(int(facts["peer"]))
            draft.note(waiter, RankState.WAITING, Confidence.HIGH, [spot], pid=said.pid)
            draft.wait(waiter, peer, "link", [spot], stated=True)

    def _add_missing(self, draft: Draft, said: Said) -> None:
        """Add the ranks that did not connect to the one that gathers them all at the start of a communicator."""
        rank, sizes = self._roster.rank(said.pid, ""), self._sizes(said.pid)
        if rank is None or len(sizes) != 1:
            return
        (size,) = sizes
        there = {int(part) for part in _numbers(said.facts["ranks"])}
        draft.size = size
        draft.note(_rank(rank), RankState.WAITING, Confidence.HIGH, [said.place()], pid=said.pid)
        for missing in sorted(set(range(min(size, len(there) + MOST_MISSING))) - there):
            draft.note(_rank(missing), RankState.ABSENT, Confidence.HIGH, [said.place()])
            draft.wait(_rank(rank), _rank(missing), "connection", [said.place()], stated=True)

    # -- what follows from them ----------------------------------------------------------------------------------

    def _finished(self, draft: Draft) -> RankGraph:
        name = CONNECT if any(edge.what in ("link", "connection") for edge in draft.edges.values()) else EXEC
        self._add_failed(draft)
        blind = self._blind(draft)
        moments = self._moments(draft)
        spread = spread_of(moments, self._limits, name)
        if blind and not self._has_cause(draft):
            self._blame_other_call(draft)
        unclear = self._blame_missing(draft, blind) if blind else ""
        if blind and spread.inside is False and not self._has_cause(draft):
            late = max(moments, key=lambda moment: moment.time_ns or 0).rank
            draft.note(late, RankState.LATE, Confidence.MEDIUM, draft.ranks[late].evidence)
            self._lead(draft, blind, [late], "arrival")
        draft.finish()
        roots = draft.roots()
        if not roots and not unclear:
            unclear = "no line names the rank that is waited for, and every rank that speaks waits"
        rings = tuple(graph.cycles(draft.waits))
        ranks, edges = tuple(draft.ranks.values()), tuple(draft.edges.values())
        return RankGraph(draft.group, draft.size, ranks, edges, roots, rings, spread, unclear)

    def _add_failed(self, draft: Draft) -> None:
        """Add the ranks whose process failed by itself, though they report no wait."""
        for (pid, group), rank in self._roster.rank_of.items():
            if pid in self._failed and group in ("", draft.group):
                draft.note(_rank(rank), RankState.FAILED, Confidence.MEDIUM, [self._failed[pid]], pid=pid)

    def _blind(self, draft: Draft) -> list[str]:
        """Give the ranks that wait and do not say for whom."""
        told = {waiter for waiter, _ in draft.edges}
        return [rank.name for rank in draft.ranks.values() if rank.state is RankState.WAITING and rank.name not in told]

    def _blame_missing(self, draft: Draft, blind: list[str]) -> str:
        """Let the ranks that name nobody wait for the strongest of the others; gives what cannot be told, or ""."""
        causes = [rank.name for rank in draft.ranks.values() if STRENGTH.index(rank.state) < _WAITING]
        if causes:
            best = min(STRENGTH.index(draft.ranks[name].state) for name in causes)
            self._lead(draft, blind, [n for n in causes if STRENGTH.index(draft.ranks[n].state) == best], "silence")
            return ""
        if draft.size is None:
            return "the size of the group is not said, so nobody can tell who is missing"
        missing = [_rank(number) for number in range(draft.size) if _rank(number) not in draft.ranks]
        if len(missing) > MOST_MISSING:
            return f"the logs of {len(missing)} of {draft.size} ranks are not here"
        here = {_rank(rank): pid for (pid, group), rank in self._roster.rank_of.items() if group == draft.group}
        for name in missing:
            self._note_missing(draft, name, here.get(name))
        unseen = [name for name in missing if draft.ranks[name].state is RankState.UNKNOWN]
        if len(unseen) > 1:
            return f"no line says for whom; the cause may be one of these, whose logs are not here: {', '.join(unseen)}"
        best = min((STRENGTH.index(draft.ranks[name].state) for name in missing), default=_WAITING)
        self._lead(draft, blind, [n for n in missing if STRENGTH.index(draft.ranks[n].state) == best], "silence")
        return ""

    def _note_missing(self, draft: Draft, name: str, pid: int | None) -> None:
        if pid is None:
            draft.note(name, RankState.UNKNOWN, Confidence.LOW, cannot_tell=_NO_LOG)
            return
        tags = {wait.tag for wait in self.waits if wait.group == draft.group and wait.tag}
        calls = [each for each in self._said if each.sort is Sort.CALL and each.facts["tag"] in tags]
        if calls and not any(each.pid == pid for each in calls):
            draft.note(name, RankState.ABSENT, Confidence.MEDIUM, [calls[-1].place()], pid=pid)
        else:
            draft.note(name, RankState.ABSENT, Confidence.LOW, pid=pid, cannot_tell=_SILENT)

    def _blame_other_call(self, draft: Draft) -> None:
        """Find ranks that wait in another operation than most of their group at the same place of the order."""
        calls: dict[str, WaitOfRank] = {}
        for wait in self.waits:
            if wait.group == draft.group and wait.call:
                calls.setdefault(self._name(wait), wait)
        counts = Counter((wait.index, wait.call) for wait in calls.values())
        most = counts.most_common(2)
        if len(most) < 2 or most[0][1] == most[1][1] or len({index for index, _ in counts}) > 1:
            return
        others = [name for name, wait in calls.items() if wait.call != most[0][0][1]]
        for name in others:
            spots = draft.ranks[name].evidence
            draft.note(name, RankState.OTHER_CALL, Confidence.MEDIUM, spots, pid=calls[name].pid)
        self._lead(draft, [name for name in calls if name not in others], others, most[0][0][1])

    def _lead(self, draft: Draft, waiters: Sequence[str], peers: Sequence[str], what: str) -> None:
        for waiter in waiters:
            for peer in peers:
                draft.wait(waiter, peer, what, stated=False)

    def _has_cause(self, draft: Draft) -> bool:
        return any(STRENGTH.index(rank.state) < _WAITING for rank in draft.ranks.values()) or any(
            rank.state is RankState.UNKNOWN for rank in draft.ranks.values()
        )

    def _home(self, pid: int, groups: Iterable[str]) -> str:
        """Give the group to which a line without one belongs: the only one of which its process is a member."""
        own = [group for group in groups if (pid, group) in self._roster.rank_of]
        return own[0] if len(own) == 1 else ""

    # -- names ---------------------------------------------------------------------------------------------------

    def _moments(self, draft: Draft) -> list[GaveUp]:
        return [GaveUp(r.name, r.time_ns) for r in draft.ranks.values() if r.state is RankState.WAITING]

    def _name(self, wait: WaitOfRank) -> str:
        rank = self._roster.rank(wait.pid, wait.group) if wait.rank is None else wait.rank
        return f"process {wait.pid}" if rank is None else _rank(rank)

    def _server(self, server: str) -> str:
        rank = self._roster.server_of.get(server)
        return server if rank is None else _rank(rank)

    def _sizes(self, pid: int) -> set[int]:
        return {int(each.facts["size"]) for each in self._said if each.sort is Sort.INIT_FAILED and each.pid == pid}


_WAITING = STRENGTH.index(RankState.WAITING)
_TAKEN = frozenset({Sort.LOST, Sort.STUCK, Sort.CONNECTED, Sort.NO_LINK, Sort.LINK})


def _eras(said: Sequence[Said]) -> dict[int, int]:
    """Number the stretches of time between which nothing was said: lines of two hangs must not make one graph."""
    timed = sorted({(each.time_ns, each.row) for each in said if each.time_ns is not None})
    eras, era = {each.row: 0 for each in said}, 0
    for (time, row), (before, _) in zip(timed, [timed[0], *timed] if timed else [], strict=False):
        era += time - before > APART_NS
        eras[row] = era
    return eras


def _rank(number: int) -> str:
    return f"rank {number}"


def _numbers(text: str) -> list[str]:
    return [part for part in text.replace("[", " ").replace("]", " ").replace(",", " ").split() if part.isdecimal()]
