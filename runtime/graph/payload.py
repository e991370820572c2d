"""How a Const's payload looks in a snapshot.

Kernels read Python objects; a dump holds bytes. Numbers, texts, types and null pointers get GE's bytes, so that a dump
of the simulator and one of a machine agree where they can; records keep their fields as text, because GE's structures
are padded with addresses. If the snapshot wrote payloads itself, it would have to know every record.
"""

from collections.abc import Callable
from enum import IntEnum
from types import NoneType
from typing import Any

from getrace.dumps.snapshot import AttrValue
from runtime.values import Int32


def payload_attr(payload: object) -> AttrValue:
    """Give the attribute value of a payload.

    An int becomes 8 bytes, an enum or an Int32 4, a bool 1; a text gets its closing zero, None is a null pointer, a
    list stays as it is, and a record gives its text.
    """
    for kind, spell in _SPELLINGS:
        if isinstance(payload, kind):
            return spell(payload)
    return repr(payload)


# IntEnum, Int32 and bool before int: all are ints to Python.
_SPELLINGS: tuple[tuple[type, Callable[[Any], AttrValue]], ...] = (
    (NoneType, lambda _: bytes(8)),
    (IntEnum, lambda enum: enum.to_bytes(4, "little", signed=True)),
    (Int32, lambda number: number.to_bytes(4, "little", signed=True)),
    (bool, lambda flag: bytes((flag,))),
    (int, lambda number: number.to_bytes(8, "little", signed=True)),
    (str, lambda text: text.encode() + b"\0"),
    (bytes, lambda content: content),
    (tuple, lambda items: tuple(item if isinstance(item, int) else repr(item) for item in items)),
)
