"""Attributes that are read when they are looked at.

To whoever asks, they are a mapping like any other: equal to a dictionary of the same content, and a dictionary when
copied into one. Every format that reads late has this one class to stand on, so that none forgets a side of it.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping

from getrace.dumps.snapshot import AttrValue


class AttrsOnDemand(Mapping[str, AttrValue]):
    """A mapping that asks for its content each time; the one who reads decides how long it is kept."""

    __slots__ = ()

    @abstractmethod
    def content(self) -> Mapping[str, AttrValue]:
        """Give the attributes, read now or before. Raises InputError for what cannot be read."""

    def __getitem__(self, key: str) -> AttrValue:
        return self.content()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.content())

    def __len__(self) -> int:
        return len(self.content())

    def __repr__(self) -> str:
        return repr(self.content())
