"""Field kinds: how one value inside a message is written, in both directions.

A kind is a pattern, a parser and an emitter. Patterns accept only what GE's own formatter prints (no leading zeros,
no ``-0``), so that ``emit(parse(text)) == text`` for every text a pattern accepts; a property test holds each kind to
it. Digits are bounded, and no pattern nests two open repetitions, so a hostile line costs linear time.
"""

from collections.abc import Callable
from typing import Any, NamedTuple


class FieldKind(NamedTuple):
    """One way to write a value: a regular expression without groups, and the two directions."""

    pattern: str
    parse: Callable[[str], Any]
    emit: Callable[[Any], str]


_U = r"(?:0|[1-9]\d{0,19})"
_I = r"(?:0|-?[1-9]\d{0,18})"
_HEX = r"(?:0|[1-9a-f][0-9a-f]{0,15})"
_POINTER = r"0x[1-9a-f][0-9a-f]{0,15}"
_STREAMED = rf"(?:0|{_POINTER})"
_WORD16 = r"0x[0-9a-f]{16}"
_NAME = r"[A-Za-z0-9_]+"
_DIMS = rf"\[(?:{_I}(?:, {_I})*)?\]"
_TENSOR = rf"\[{_NAME} {_NAME} {_DIMS}\]"
_PAIRS = rf"\[(?:\[{_I},{_I}\](?:, \[{_I},{_I}\])*)?\]"
_NO_PAIRS = (
    rf"(?:dim num not match\. max dim num: {_U}, min dim num: {_U}"
    rf"|max or min is nullptr\. max:{_STREAMED}, min:{_STREAMED})"
)
_RANGE = rf"\[{_NAME} {_NAME} (?:{_PAIRS}|{_NO_PAIRS})\]"


def _hex(text: str) -> int:
    return int(text, 16)


def _streamed(value: int) -> str:
    return f"{value:#x}" if value else "0"


def _printf_pointer(value: int) -> str:
    return f"{value:#x}" if value else "(nil)"


def _parse_printf_pointer(text: str) -> int:
    return 0 if text == "(nil)" else int(text, 16)


def _parse_elided(text: str) -> int | None:
    """Read an address; one whose digits are left out is no address, and two of them are not the same block."""
    return None if text.endswith("...") else int(text, 16)


def _parse_dims(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text[1:-1].split(", ")) if len(text) > 2 else ()


def _emit_dims(dims: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, dims))}]"


def _parse_spaced_dims(text: str) -> tuple[tuple[int, ...], ...]:
    return tuple(_parse_dims(part) for part in text.strip().split("  ")) if text else ()


def _emit_spaced_dims(shapes: tuple[tuple[int, ...], ...]) -> str:
    return "".join(f" {_emit_dims(dims)} " for dims in shapes)


def _parse_tensors(text: str) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    if not text:
        return ()
    tensors = []
    for part in text[1:-2].split("]], ["):
        layout, dtype, dims = part.split(" ", 2)
        tensors.append((layout, dtype, _parse_dims(f"{dims}]")))
    return tuple(tensors)


def _emit_tensors(tensors: tuple[tuple[str, str, tuple[int, ...]], ...]) -> str:
    return ", ".join(f"[{layout} {dtype} {_emit_dims(dims)}]" for layout, dtype, dims in tensors)


def _parse_pairs(text: str) -> tuple[tuple[int, int], ...] | str:
    if not text.startswith("["):
        return text
    if text == "[]":
        return ()
    pairs = []
    for part in text[2:-2].split("], ["):
        low, high = part.split(",")
        pairs.append((int(low), int(high)))
    return tuple(pairs)


def _emit_pairs(pairs: tuple[tuple[int, int], ...] | str) -> str:
    if isinstance(pairs, str):
        return pairs
    return f"[{', '.join(f'[{low},{high}]' for low, high in pairs)}]"


def _parse_ranges(text: str) -> tuple[tuple[str, str, tuple[tuple[int, int], ...] | str], ...]:
    ranges = []
    depth = 0
    start = 0
    for position, letter in enumerate(text):
        if letter == "[":
            if depth == 0:
                start = position + 1
            depth += 1
        elif letter == "]":
            depth -= 1
            if depth == 0:
                layout, dtype, pairs = text[start:position].split(" ", 2)
                ranges.append((layout, dtype, _parse_pairs(pairs)))
    return tuple(ranges)


def _emit_ranges(ranges: tuple[tuple[str, str, tuple[tuple[int, int], ...] | str], ...]) -> str:
    return ", ".join(f"[{layout} {dtype} {_emit_pairs(pairs)}]" for layout, dtype, pairs in ranges)


def _parse_bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("0x", ""))


def _emit_bytes(data: bytes) -> str:
    return "".join([f"0x{byte:02x} " for byte in data])


def _parse_hex_list(text: str) -> tuple[int, ...]:
    return tuple(int(part, 16) for part in text.split())


def _parse_number_list(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split())


def _offsets(label: str) -> FieldKind:
    entry = rf" {label}\[{_U}\] addr offset is {_U} data offset is {_U}"

    def parse(text: str) -> tuple[tuple[int, int, int], ...]:
        words = text.replace(f"{label}[", "").replace("]", "").split()
        return tuple((int(words[at]), int(words[at + 4]), int(words[at + 8])) for at in range(0, len(words), 9))

    def emit(entries: tuple[tuple[int, int, int], ...]) -> str:
        return "".join(f" {label}[{i}] addr offset is {addr} data offset is {data}" for i, addr, data in entries)

    return FieldKind(rf"(?:{entry})*", parse, emit)


def _regions() -> FieldKind:
    def parse(text: str) -> tuple[tuple[int, int], ...]:
        words = text.replace("(", "").replace("),", "").split()
        return tuple((int(words[at], 16), int(words[at + 1], 16)) for at in range(0, len(words), 2))

    def emit(regions: tuple[tuple[int, int], ...]) -> str:
        return "".join(f"{_streamed(addr)} ({size:x}), " for addr, size in regions)

    return FieldKind(rf"(?:{_STREAMED} \({_HEX}\), )*", parse, emit)


def _typed_addresses() -> FieldKind:
    def parse(text: str) -> tuple[tuple[int, int], ...]:
        words = text.replace("[type: ", "").replace(", address:", "").replace("],", "").replace("]", "").split()
        return tuple((int(words[at]), int(words[at + 1], 16)) for at in range(0, len(words), 2))

    def emit(entries: tuple[tuple[int, int], ...]) -> str:
        return ", ".join(f"[type: {kind}, address: {_streamed(addr)}]" for kind, addr in entries)

    entry = rf"\[type: {_U}, address: {_STREAMED}\]"
    return FieldKind(rf"(?:{entry}(?:, {entry})*)?", parse, emit)


def _run_addresses() -> FieldKind:
    labels = ("mem_base_type", "offset", "size", "run_address")

    def parse(text: str) -> tuple[tuple[int, int, int, int], ...]:
        words = [int(part.split(": ")[1].rstrip("]"), 16) for part in text.rstrip(", ").split(", ")] if text else []
        return tuple((words[at], words[at + 1], words[at + 2], words[at + 3]) for at in range(0, len(words), 4))

    def emit(entries: tuple[tuple[int, int, int, int], ...]) -> str:
        return "".join(
            f"[mem_base_type: {base:x}, offset: {offset:x}, size: {size:x}, run_address: {_streamed(addr)}], "
            for base, offset, size, addr in entries
        )

    entry = ", ".join(f"{label}: {_HEX if label != 'run_address' else _STREAMED}" for label in labels)
    return FieldKind(rf"(?:\[{entry}\], )*", parse, emit)


def _hex_pair() -> FieldKind:
    def parse(text: str) -> tuple[int, int]:
        high, low = text.split()
        return int(high, 16), int(low, 16)

    return FieldKind(rf"{_HEX} {_HEX}", parse, lambda pair: f"{pair[0]:x} {pair[1]:x}")


_HALVES = _hex_pair()


def _text(pattern: str) -> FieldKind:
    return FieldKind(pattern, str, str)


def _padded(width: int) -> FieldKind:
    """A number printed with ``%-<width>u``: padded with blanks on the right."""
    narrow = "|".join(rf"\d{{{digits}}} {{{width - digits}}}" for digits in range(1, width))
    return FieldKind(rf"(?:(?!0\d)(?:{narrow}|\d{{{width},20}}))", int, lambda value: f"{value:<{width}d}")


FIELD_KINDS: dict[str, FieldKind] = {
    "u": FieldKind(_U, int, str),
    "i": FieldKind(_I, int, str),
    "x": FieldKind(_HEX, _hex, lambda value: f"{value:x}"),  # hex without 0x: the stream stayed in hex mode
    "h": FieldKind(rf"0x{_HEX}", _hex, lambda value: f"{value:#x}"),
    "p": FieldKind(rf"(?:\(nil\)|{_POINTER})", _parse_printf_pointer, _printf_pointer),  # printf %p
    "q": FieldKind(_STREAMED, _hex, _streamed),  # a pointer through a C++ stream: NULL is 0
    "name": _text(_NAME),
    "type": _text(r"[^\[\]]+"),
    "label": _text(r"[^,]+?"),
    "text": _text(r".*"),
    "some": _text(r".+"),
    "lazy": _text(r".*?"),
    "dims": FieldKind(_DIMS, _parse_dims, _emit_dims),
    "spaced": FieldKind(rf"(?: {_DIMS} )*", _parse_spaced_dims, _emit_spaced_dims),
    "tensors": FieldKind(rf"(?:{_TENSOR}(?:, {_TENSOR})*)?", _parse_tensors, _emit_tensors),
    "tensors1": FieldKind(rf"{_TENSOR}(?:, {_TENSOR})*", _parse_tensors, _emit_tensors),
    "ranges": FieldKind(rf"(?:{_RANGE}(?:, {_RANGE})*)?", _parse_ranges, _emit_ranges),
    "bytes": FieldKind(r"(?:0x[0-9a-f]{2} )*", _parse_bytes, _emit_bytes),
    "qs": FieldKind(rf"(?:{_STREAMED} )+", _parse_hex_list, lambda words: "".join([f"{_streamed(w)} " for w in words])),
    "qs0": FieldKind(
        rf"(?:{_STREAMED} )*", _parse_hex_list, lambda words: "".join([f"{_streamed(w)} " for w in words])
    ),
    "w16s": FieldKind(
        rf"(?:{_WORD16} )*", _parse_hex_list, lambda words: "".join([f"0x{word:016x} " for word in words])
    ),
    "w16s0": FieldKind(  # at least one word begins with a zero, which no streamed pointer does
        rf"(?=(?:{_WORD16} )*0x0)(?:{_WORD16} )+",
        _parse_hex_list,
        lambda words: "".join([f"0x{word:016x} " for word in words]),
    ),
    "xs": FieldKind(rf"(?:{_HEX} )+", _parse_hex_list, lambda sizes: "".join([f"{size:x} " for size in sizes])),
    "us": FieldKind(rf"(?:{_U} )+", _parse_number_list, lambda sizes: "".join([f"{size} " for size in sizes])),
    "numbers": FieldKind(rf"(?:{_I}(?: {_I})*)?", _parse_number_list, lambda sizes: " ".join(map(str, sizes))),
    "listed": FieldKind(  # 3, 4, : each entry ends in a comma and a blank
        rf"(?:{_U}, )*",
        lambda text: tuple(int(part) for part in text.split(", ")[:-1]),
        lambda ids: "".join(f"{number}, " for number in ids),
    ),
    "hosts": _offsets("host"),
    "kernels": _offsets("kernel"),
    "regions": _regions(),
    "typed": _typed_addresses(),
    "runs": _run_addresses(),
    "halves": _HALVES,
    "pad5": _padded(5),
    "pad11": _padded(11),
    "human": _text(r"\d{1,20}(?:\(\d+\.\d\d[KMGT]\))?"),  # 4849664(4.62M)
    "rate": _text(r"\d+\.\d\d"),
    "flag": FieldKind("[01]", int, str),
    "cache": _text(r"disabled|missed|hit"),
    "condition": _text(r"\(.{1,500}\)"),
    "leftover": _text(rf"{_POINTER} address {_POINTER} does not recycled when l2 allocator destructing.{{0,40}}"),
    "moved": _text(rf"{_POINTER} addr {_POINTER} is split, it has been moved to L1 block {_POINTER} addr {_POINTER}"),
    "recycles": _text(rf"{_U}'s l2 allocator will recycle free memory, stream addr (?:\(nil\)|{_POINTER})"),
    "base": _text(rf"(?:\(nil\)|{_POINTER}) size:{_U}"),
    "option": _text(r"[^\]\n]{1,100}\] (?:config )?value.{0,200}"),
    "indices": _text(rf"{_U} index_end:{_U} .{{0,200}}"),
    "path": _text(r"[^\]\[\n]{1,300}?"),
    "func": _text(r"[^: \[\]\n]{1,200}(?:::[^: \[\]\n]{1,200}){0,8}"),
    "reason": _text(r"[^()\n]{0,100}"),
    "tags": _text(r"(?: ?(?:\[(?:INIT|COMP|LOAD|EXEC|FINAL)\]\[[A-Z_]{1,20}\]))?"),
    "allocator": _text(r"(?:rts_|ffts_)?allocator_\d{1,10}"),
    "elided": FieldKind(r"0x[0-9a-f]{1,16}(?:\.\.\.)?", _parse_elided, lambda value: f"{value:#x}"),  # 0x7f...
}
