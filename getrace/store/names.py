"""Interned names: kernels and modules are stored as numbers, and looked up here."""

from collections.abc import Callable


class Names:
    """A two-way table between texts and dense ids, in order of first sight."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._texts: list[str] = []

    def __len__(self) -> int:
        return len(self._texts)

    def id(self, text: str) -> int:
        """Give the id of a text, making one at first sight."""
        known = self._ids.get(text)
        if known is None:
            known = self._ids[text] = len(self._texts)
            self._texts.append(text)
        return known

    def find(self, text: str) -> int | None:
        """Give the id of a text, or None when it was never seen."""
        return self._ids.get(text)

    def text(self, number: int) -> str:
        """Give the text of an id."""
        return self._texts[number]

    def matching(self, wanted: Callable[[str], bool]) -> list[int]:
        """Give the ids of all texts that a predicate accepts: a search over names, not over rows."""
        return [number for number, text in enumerate(self._texts) if wanted(text)]
