"""Where a cursor goes: one function for every list, so that each pane moves alike and none leaves its ends."""

from enum import StrEnum


class Step(StrEnum):
    """A movement in a list."""

    UP = "up"
    DOWN = "down"
    PAGE_UP = "page_up"
    PAGE_DOWN = "page_down"
    FIRST = "first"
    LAST = "last"


def moved(place: int, count: int, page: int, step: Step) -> int:
    """Give the new place among ``count``, at least 0; ``page`` is how many a page shows."""
    page = max(page - 1, 1)
    wanted = {
        Step.UP: place - 1,
        Step.DOWN: place + 1,
        Step.PAGE_UP: place - page,
        Step.PAGE_DOWN: place + page,
        Step.FIRST: 0,
        Step.LAST: count - 1,
    }[step]
    return max(min(wanted, count - 1), 0)


def scrolled(top: int, place: int, page: int) -> int:
    """Give the first visible line so that ``place`` is in sight; a jump out of sight lands in the middle of a page."""
    page = max(page, 1)
    bottom = top + page - 1
    if top - 1 <= place <= bottom + 1:
        return max(min(top, place), place - page + 1)
    return max(place - page // 2, 0)
