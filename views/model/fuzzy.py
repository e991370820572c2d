"""Choosing by a few letters: the letters must come in order; together, and at the beginnings of words, is better."""

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import TypeVar

T = TypeVar("T")

_TOGETHER, _AT_WORD = 3, 2
_BREAKS = frozenset(" _-/.:")


def score(typed: str, words: str) -> int | None:
    """Give how well a text fits what was typed, more is better; None when the letters are not all there in order."""
    wanted, text = typed.lower().replace(" ", ""), words.lower()
    total, place, last = 0, 0, -2
    for char in wanted:
        place = text.find(char, place)
        if place < 0:
            return None
        begins = place == 0 or text[place - 1] in _BREAKS
        total += 1 + (_TOGETHER if place == last + 1 else 0) + (_AT_WORD if begins else 0)
        last = place
        place += 1
    return total


def best(typed: str, items: Iterable[tuple[str, T]], limit: int) -> Sequence[T]:
    """Give the best of (words, item) pairs, at most ``limit``; of equals the shorter, then the earlier."""
    rated = [
        (-rating, len(words), number, item)
        for number, (words, item) in enumerate(items)
        if (rating := score(typed, words)) is not None
    ]
    return [item for *_, item in nsmallest(limit, rated, key=lambda entry: entry[:3])]
