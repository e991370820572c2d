"""Interned names: kernels and modules are stored as numbers, and looked up here."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count, islice


class Names:
    """A two-way table between texts and dense ids, in order of first sight."""

    def __init__(self) -> None:
        self._ids: defaultdict[str, int] = defaultdict(count().__next__)  # a look-up of a new text makes its id
        self._texts: list[str] = []

    def __len__(self) -> int:
        return len(self._ids)

    def id(self, text: str) -> int:
        """Give the id of a text, making one at first sight."""
        return self._ids[text]

    def ids(self, texts: Sequence[str]) -> list[int]:
        """Give the ids of many texts."""
        return list(map(self._ids.__getitem__, texts))

    def find(self, text: str) -> int | None:
        """Give the id of a text, or None when it was never seen."""
        return self._ids.get(text)

    def text(self, number: int) -> str:
        """Give the text of an id."""
        return self._known()[number]

    def matching(self, wanted: Callable[[str], bool]) -> list[int]:
        """Give the ids of all texts that a predicate accepts: a search over names, not over rows."""
        return [number for number, text in enumerate(self._known()) if wanted(text)]

    def _known(self) -> list[str]:
        """Give the texts by id; those that came since the last call are taken over from the table's order."""
        if len(self._texts) < len(self._ids):
            self._texts.extend(islice(self._ids, len(self._texts), None))
        return self._texts
