"""When each task begins and ends: one pass over the tasks in the order of their launches.

A stream is worked off in order, so a task begins when the host has handed it over, the task before it on its stream
has ended and the one task it waits for, on whatever stream, has ended: a recurrence of maxima and sums. Tasks are
launched before those that wait for them, so a single pass without any queue of events gives what a simulation with one
gives. Timing that was decided task by task elsewhere could not be compared with it.
"""

from collections.abc import Iterable

NOTHING = -1
"""In place of a task's number: it waits for no other stream."""


def sweep(
    lanes: Iterable[int], ready: Iterable[int], costs: Iterable[int], after: Iterable[int], free: list[int]
) -> list[int]:
    """Give the time at which each task ends; the columns have one entry per task, in the order of the launches.

    ``lanes`` are numbers of streams, ``ready`` the times of the host's launches, ``costs`` durations, ``after`` the
    number of the task (of this pass, launched before) whose end a task waits for, or ``NOTHING``. ``free`` has, by
    stream, the time from which it is idle, and is brought up to date. All times in nanoseconds.
    """
    ends: list[int] = []
    append = ends.append
    for lane, time, cost, other in zip(lanes, ready, costs, after, strict=True):
        idle = free[lane]
        start = idle if idle > time else time  # noqa: FURB136 - max() costs as much as all the rest
        if other >= 0:
            done = ends[other]
            if done > start:  # noqa: PLR1730 - the same
                start = done
        end = free[lane] = start + cost
        append(end)
    return ends
