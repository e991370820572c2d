"""The dictionary that GE's compiler packs attribute names into ("enum attrs"): coded keys and values to plain ones.

It is applied where attributes of operators and of their descriptors are read, so that nothing behind the reader ever
sees a coded name.

Source: spec/formats.md 1.8; the real file with three models, whose later tables hold codes of the first one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from getrace.dumps.snapshot import AttrValue

CODED = "\0"
"""First character of a coded key."""

_BASE = 127
_MOST_DIGITS = 6


@dataclass(frozen=True, slots=True)
class NameTable:
    """``attr_name_enum``, ``attr_value_enum`` and ``attrs_use_string_value`` of a model; empty when it has none.

    GE packs a file's later models twice: first with all others by the table of the first model (``outer``), then each
    by its own. So a name of such a table is mostly a coded name itself.
    """

    names: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    are_texts: tuple[bool, ...] = ()
    outer: "NameTable | None" = None

    @classmethod
    def of(cls, attrs: Mapping[str, AttrValue], outer: "NameTable | None" = None) -> "NameTable":
        """Take the table from a model's attributes; ``outer`` is that of the file's first model, if this is another."""
        if not attrs.get("om_compress_version"):
            return outer or cls()
        names, values, flags = (_items(attrs, key) for key in _KEYS)
        return cls(tuple(map(str, names)), tuple(map(str, values)), tuple(map(bool, flags)), outer)

    def decode(self, key: str, value: AttrValue) -> tuple[str, AttrValue]:
        """Give the plain name and value of a coded attribute. Raises ValueError for one the table does not have."""
        index = _index(key)
        if index >= len(self.names):
            raise ValueError(f"a coded name is number {index} of a dictionary of {len(self.names)}")
        name = self.names[index]
        if index < len(self.are_texts) and self.are_texts[index]:
            value = self._text(name, value)
        if name.startswith(CODED) and self.outer is not None:
            return self.outer.decode(name, value)
        if not name or name.startswith(CODED):
            raise ValueError(f"number {index} of the dictionary of names is no name")
        return name, value

    def _text(self, name: str, value: AttrValue) -> AttrValue:
        if isinstance(value, tuple):
            return tuple(self._text(name, item) if type(item) is int else item for item in value)
        if type(value) is not int:
            return value
        if not 0 <= value < len(self.values):
            raise ValueError(f"'{name}' is value {value} of a dictionary of {len(self.values)}")
        return self.values[value]


_KEYS = ("attr_name_enum", "attr_value_enum", "attrs_use_string_value")


def _items(attrs: Mapping[str, AttrValue], key: str) -> tuple[AttrValue, ...]:
    items = attrs.get(key, ())
    return items if isinstance(items, tuple) else ()


def _index(key: str) -> int:
    digits = key[1:].encode("utf-8", "surrogateescape")
    if not 0 < len(digits) <= _MOST_DIGITS or min(digits) == 0:
        raise ValueError("a coded name is no number")
    return sum((digit - 1) * _BASE**place for place, digit in enumerate(digits))


def coded(index: int) -> str:
    """Write a coded key: base 127, the last digit first, each one more than it is."""
    digits = []
    while True:
        index, digit = divmod(index, _BASE)
        digits.append(chr(digit + 1))
        if not index:
            return CODED + "".join(digits)
