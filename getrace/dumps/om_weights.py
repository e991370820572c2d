"""The bytes of a constant: where its attribute ``value`` says they are, inline or in WEIGHTS_DATA.

Source: spec/formats.md 1.11.
"""

from collections.abc import Iterator
from dataclasses import replace

from getrace.dumps.snapshot import AttrValue, SnapshotNode
from getrace.errors import InputError

CONSTANTS = frozenset({"Const", "Constant"})


def weight_of(node: SnapshotNode, blob: memoryview, source: str) -> memoryview | None:
    """Give a constant's bytes, a slice of the file where they are in the blob; None for a node without any.

    Raises InputError when the place is not inside the blob.
    """
    tensor = first(node.attrs.get("value", ()), "t")
    if node.type not in CONSTANTS or not tensor:
        return None
    data = first(tensor, "data")
    if isinstance(data, bytes) and data:
        return memoryview(data)
    desc = first(tensor, "desc")
    offset, size = first(desc, "data_offset") or 0, first(desc, "weight_size") or 0
    if not (isinstance(offset, int) and isinstance(size, int) and 0 <= offset <= offset + size <= len(blob)):
        raise InputError(
            f"{source}: the weight of '{node.name}' lies at {offset!r} with {size!r} bytes, "
            f"the weights have {len(blob)}",
            "the file is cut, or its weights are kept in another file",
        )
    return blob[offset : offset + size]


def first(message: AttrValue, name: str) -> AttrValue:
    """Give the first value of a field of a message that is kept as pairs, () when it is not there."""
    return next(_all(message, name), ())


def _all(message: AttrValue, name: str) -> Iterator[AttrValue]:
    for pair in message if isinstance(message, tuple) else ():
        if isinstance(pair, tuple) and len(pair) == 2 and pair[0] == name:
            yield pair[1]


def with_weight(node: SnapshotNode, weight: memoryview | None) -> SnapshotNode:
    """Give a constant with its bytes in its attribute, as a dump has them; any other node as it is."""
    if weight is None:
        return node
    desc = first(first(node.attrs["value"], "t"), "desc")
    return replace(node, attrs={**node.attrs, "value": (("t", (("desc", desc), ("data", bytes(weight)))),)})
