"""The order in which GE meets the kernels of a graph: depth first, each when the last it waits for has been met.

All producers number their work in this order; GE's logs show it in the order in which each worker runs its kernels.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence


def depth_first(first: Iterable[int], watchers: Sequence[Sequence[int]], arrive: Callable[[int], bool]) -> list[int]:
    """List the kernels that are met from ``first`` on. ``arrive`` counts a kernel and says whether it is met now."""
    return list(walk(first, lambda number: watchers[number], arrive))


def walk(first: Iterable[int], behind: Callable[[int], Iterable[int]], arrive: Callable[[int], bool]) -> Iterator[int]:
    """Yield kernels depth first; ``behind`` is asked for the watchers of each once, when it has been taken."""
    pending: list[Iterator[int]] = [iter(tuple(first))]
    while pending:
        number = next(pending[-1], None)
        if number is None:
            pending.pop()
            continue
        yield number
        pending.append(watcher for watcher in behind(number) if arrive(watcher))


def arrivals(indegrees: Sequence[int]) -> Callable[[int], bool]:
    """Give an ``arrive`` that counts down from full counts, once."""
    left = list(indegrees)

    def arrive(number: int) -> bool:
        left[number] -= 1
        return left[number] == 0

    return arrive
