"""The bytes of a constant as a ge_proto dump holds them, and where GE put them in the weight memory.

A dump of level 2 or 3 leaves the bytes out; the constant then is made of zeros, so that the graph can still be lowered.

Source: spec/lowering.md 9.3 (``value``, ``td``), 2.1 (4) (``graph_flatten_offset``).
"""

from collections.abc import Iterator

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError

FLATTEN_OFFSET = "graph_flatten_offset"

Message = tuple[AttrValue, ...]
"""A protobuf message as the reader keeps it: (field, value) pairs."""


MOST_ZEROS = 128 << 20
"""Bytes of zeros of one model: a dump of a kilobyte may promise a constant of any size, and many of them."""


class Zeros:
    """Zeros in place of the bytes that a dump leaves out; constants of one size share theirs."""

    def __init__(self) -> None:
        self._made: dict[int, bytes] = {}
        self._left = MOST_ZEROS

    def of(self, size: int) -> bytes:
        """Give so many. Raises ModelError when the model has had ``MOST_ZEROS`` of them."""
        if size not in self._made:
            self._left -= size
            if self._left < 0:
                raise ModelError(
                    f"the dump leaves out the data of constants, and these are more than {MOST_ZEROS >> 20} MiB",
                    "dump with DUMP_GE_GRAPH=1, or give the model itself (.om)",
                )
            self._made[size] = bytes(size)
        return self._made[size]


def weight_of(value: AttrValue, zeros: Zeros) -> tuple[bytes, tuple[int, int] | None]:
    """Give a constant's bytes and its (offset, size) in the weight memory, None where the dump does not say it.

    Raises ModelError as ``Zeros``.
    """
    tensor = _first(value, "t")
    desc = _first(tensor, "desc")
    data = _first(tensor, "data")
    content = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    content = content if isinstance(content, bytes) else b""
    if not content:
        size = _first(desc, "weight_size") or _first(desc, "size") or 0
        content = zeros.of(size) if isinstance(size, int) and size > 0 else b""
    return content, _placed(desc)


def _placed(desc: AttrValue) -> tuple[int, int] | None:
    for attr in _all(desc, "attr"):
        if _first(attr, "key") == FLATTEN_OFFSET:
            found = [number for number in _all(_first(_first(attr, "value"), "list"), "i") if isinstance(number, int)]
            return (found[0], found[1]) if len(found) > 1 else None
    return None


def _first(message: AttrValue, name: str) -> AttrValue:
    return next(_all(message, name), ())


def _all(message: AttrValue, name: str) -> Iterator[AttrValue]:
    if isinstance(message, tuple):
        for pair in message:
            if isinstance(pair, tuple) and pair and pair[0] == name:
                yield pair[1] if len(pair) > 1 else ()
