"""The bytes of a constant as a ge_proto dump holds them, and where GE put them in the weight memory.

A dump of level 2 or 3 leaves the bytes out; the constant then is made of zeros, so that the graph can still be lowered.

Source: spec/lowering.md 9.3 (``value``, ``td``), 2.1 (4) (``graph_flatten_offset``).
"""

from collections.abc import Iterator

from getrace.dumps.snapshot import AttrValue

FLATTEN_OFFSET = "graph_flatten_offset"

Message = tuple[AttrValue, ...]
"""A protobuf message as the reader keeps it: (field, value) pairs."""


def weight_of(value: AttrValue) -> tuple[bytes, tuple[int, int] | None]:
    """Give a constant's bytes and its (offset, size) in the weight memory, None where the dump does not say it."""
    tensor = _first(value, "t")
    desc = _first(tensor, "desc")
    data = _first(tensor, "data")
    content = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    content = content if isinstance(content, bytes) else b""
    if not content:
        size = _first(desc, "weight_size") or _first(desc, "size") or 0
        content = bytes(size) if isinstance(size, int) and 0 <= size <= _MOST_ZEROS else b""
    return content, _placed(desc)


_MOST_ZEROS = 1 << 30


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
