"""Claims that cannot all be true: one process that is two ranks of a group, or one rank that two processes are.

Logs of two jobs in one folder look so, and so does a number of a process that was given again. The waits between such
ranks may be of different hangs, so nothing said of them is sure.
"""

from collections.abc import Iterable

from getrace.analysis.hangs.draft import Draft, process_name, rank_name


def doubt_claims(draft: Draft) -> None:
    """Lower what is said of the ranks of a finished draft that are claimed twice."""
    for pid, ranks in _several(draft.claims):
        said = " and ".join(map(rank_name, ranks))
        for rank in ranks:
            draft.doubt(rank_name(rank), f"{process_name(pid)} says that it is {said}")
    for rank, pids in _several((rank, pid) for pid, rank in draft.claims):
        said = " and ".join(map(process_name, pids))
        draft.doubt(rank_name(rank), f"{said} say that they are {rank_name(rank)}")


def _several(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, list[int]]]:
    """Give what stands with more than one other, in order."""
    others: dict[int, list[int]] = {}
    for one, other in sorted(pairs):
        others.setdefault(one, []).append(other)
    return [(one, found) for one, found in others.items() if len(found) > 1]
