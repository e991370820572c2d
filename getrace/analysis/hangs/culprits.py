"""Which rank is the cause, where the ranks that wait do not say for whom.

A time-out names a victim. The cause is the rank that failed by itself, was lost, called something else, came too late,
or is the only one of its group that does not complain; without its log the last cannot be told from a lost log.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from getrace.analysis.confidence import Confidence
from getrace.analysis.hangs.draft import Draft, process_name, rank_name
from getrace.analysis.hangs.lines import Said
from getrace.analysis.hangs.members import Roster, WaitOfRank
from getrace.analysis.hangs.model import Limit, RankState
from getrace.analysis.hangs.timeouts import CONNECT, EXEC, GaveUp, spread_of
from getrace.analysis.hangs.wordings import Sort
from getrace.analysis.places import Place

MOST_MISSING = 64
"""Missing ranks that are named; where more have no log, nothing can be concluded from that."""
_NO_LOG = "its log is not here: whether it arrived cannot be told"
_SILENT = "its log is here and reports no wait; whether it is whole cannot be told"
_NO_NUMBER = "no line says which rank this process is"


@dataclass(frozen=True, slots=True)
class Known:
    """What the whole log says: ``failed`` has the first own failure of each process."""

    said: Sequence[Said]
    waits: Sequence[WaitOfRank]
    roster: Roster
    failed: Mapping[int, Place]
    limits: tuple[Limit, ...]

    def failed_before(self, pid: int, time_ns: int | None) -> bool:
        """Say whether a process failed by itself, and not only after it had given up a wait."""
        spot = self.failed.get(pid)
        return spot is not None and (time_ns is None or spot.time_ns is None or spot.time_ns <= time_ns)

    def name(self, wait: WaitOfRank) -> str:
        """Call the rank that reports a wait: by its process where no line says its number."""
        rank = self.roster.rank(wait.pid, wait.group) if wait.rank is None else wait.rank
        return process_name(wait.pid) if rank is None else rank_name(rank)


class Culprits:
    """Looks for the cause in one group; adds what it concludes to the draft."""

    def __init__(self, draft: Draft, known: Known) -> None:
        self._draft = draft
        self._known = known
        waiting = [rank for rank in draft.ranks.values() if rank.state is RankState.WAITING]
        since = {known.name(wait): wait.since_ns for wait in known.waits if wait.group == draft.group}
        self._moments = [GaveUp(rank.name, rank.time_ns, since.get(rank.name)) for rank in waiting]
        links = any(edge.what in ("link", "connection") for edge in draft.edges.values())
        self.spread = spread_of(self._moments, known.limits, CONNECT if links else EXEC)

    def find(self, *, alone: bool) -> str:
        """Look for causes, the surest first; gives what cannot be told, or ""."""
        self._add_failed(alone=alone)
        blind = self._blind()
        if not blind:
            return ""
        if not self._causes():
            self._blame_other_call()
        if not self._causes():
            self._blame_late(blind)
        return self._blame_missing(blind)

    def _causes(self) -> list[str]:
        return [name for name in self._draft.ranks if self._draft.is_cause(name)]

    def _blind(self) -> list[str]:
        """Give the ranks that wait and do not say for whom."""
        told = {waiter for waiter, _ in self._draft.edges}
        ranks = self._draft.ranks.values()
        return [rank.name for rank in ranks if rank.state is RankState.WAITING and rank.name not in told]

    def _add_failed(self, *, alone: bool) -> None:
        """Add the ranks whose process failed by itself though they report no wait, then processes that are no rank."""
        members = {pid: rank for (pid, group), rank in self._known.roster.rank_of.items() if group == self._draft.group}
        first = min((moment.time_ns for moment in self._moments if moment.time_ns is not None), default=None)
        for pid, spot in self._known.failed.items():
            if pid in members:
                name = rank_name(members[pid])
                known = self._draft.ranks.get(name)
                waited = known.time_ns if known is not None and known.state is RankState.WAITING else None
                if self._known.failed_before(pid, waited):
                    self._draft.note(name, RankState.FAILED, Confidence.MEDIUM, [spot], pid=pid)
            elif alone and self._is_nobody(pid) and self._known.failed_before(pid, first):
                name = process_name(pid)
                self._draft.note(name, RankState.FAILED, Confidence.LOW, [spot], pid=pid, cannot_tell=_NO_NUMBER)

    def _is_nobody(self, pid: int) -> bool:
        """Say whether no line tells that a process is a rank."""
        return pid >= 0 and all(pid != own for own, _ in self._known.roster.rank_of)

    def _blame_other_call(self) -> None:
        """Find ranks that wait in another operation than most of their group at the same place of the order."""
        calls: dict[str, WaitOfRank] = {}
        for wait in self._known.waits:
            if wait.group == self._draft.group and wait.call:
                calls.setdefault(self._known.name(wait), wait)
        counts = Counter(wait.call for wait in calls.values()).most_common(2)
        places = {wait.index for wait in calls.values()}
        if len(counts) < 2 or counts[0][1] == counts[1][1] or len(places) > 1:
            return
        most = counts[0][0]
        others = [name for name, wait in calls.items() if wait.call != most]
        for name in others:
            spots = self._draft.ranks[name].evidence
            self._draft.note(name, RankState.OTHER_CALL, Confidence.MEDIUM, spots, pid=calls[name].pid)
        self._draft.lead([name for name in calls if name not in others], others, most)

    def _blame_late(self, blind: list[str]) -> None:
        """Find ranks that gave up more than one time-out after the first: they came when the others had gone."""
        first, limit = self.spread.first_ns, self.spread.limit_ns
        if first is None or limit is None:
            return
        late = [m.rank for m in self._moments if m.time_ns is not None and m.time_ns - first > limit]
        for name in late:
            self._draft.note(name, RankState.LATE, Confidence.MEDIUM, self._draft.ranks[name].evidence)
        self._draft.lead([name for name in blind if name not in late], late, "arrival")

    def _blame_missing(self, blind: list[str]) -> str:
        """Let the ranks that name nobody wait for the likeliest of the others; gives what cannot be told, or ""."""
        draft, causes = self._draft, self._causes()
        if causes:
            draft.lead([name for name in blind if name not in causes], draft.strongest(causes), "silence")
            return ""
        if draft.size is None:
            return "the size of the group is not said, so nobody can tell who is missing"
        if draft.size - len(draft.ranks) > MOST_MISSING:
            return f"the logs of more than {MOST_MISSING} of {draft.size} ranks are not here"
        missing = [name for number in range(draft.size) if (name := rank_name(number)) not in draft.ranks]
        for name in missing:
            self._note_missing(name)
        unseen = [name for name in missing if draft.ranks[name].state is RankState.UNKNOWN]
        if len(unseen) > 1:
            return f"no line says for whom; the cause may be one of these, whose logs are not here: {', '.join(unseen)}"
        draft.lead(blind, draft.strongest(missing), "silence")
        return ""

    def _note_missing(self, name: str) -> None:
        """Say what is known of a rank that does not complain: whether its log is here, and whether it made the call."""
        group, roster = self._draft.group, self._known.roster
        pid = next(
            (pid for (pid, own), rank in roster.rank_of.items() if own == group and rank_name(rank) == name), None
        )
        if pid is None:
            self._draft.note(name, RankState.UNKNOWN, Confidence.LOW, cannot_tell=_NO_LOG)
            return
        tags = {wait.tag for wait in self._known.waits if wait.group == group and wait.tag}
        calls = [each for each in self._known.said if each.sort is Sort.CALL and each.facts["tag"] in tags]
        if calls and all(each.pid != pid for each in calls):
            self._draft.note(name, RankState.ABSENT, Confidence.MEDIUM, [calls[-1].place()], pid=pid)
        else:
            self._draft.note(name, RankState.ABSENT, Confidence.LOW, pid=pid, cannot_tell=_SILENT)
