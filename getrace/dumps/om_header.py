"""The header of an OM: 256 bytes in two versions, to a record and back.

Fields are kept as they are in the file, so that a file that is written again has the same header.

Source: spec/formats.md 1.1, 1.2, 1.3.
"""

import struct
from dataclasses import dataclass
from typing import Final

from getrace.errors import InputError

MAGIC: Final = 0x444F4D49
SIZE: Final = 256
SERVER, FIRST = 0x20000000, 0x10000000
"""Versions: CANN 5.x and later; CANN 20.x and mobile phones."""

IR, STANDARD, TINY, FLOW, LITE, BUNDLE = range(6)
"""Kinds of models in a header of version ``SERVER``."""

_KINDS = frozenset((IR, STANDARD, TINY, FLOW, LITE, BUNDLE))

_MOBILE_FROM = 3
"""Kinds from here on are mobile ones in a header of version ``FIRST``; server files of that time are of kind 0."""

_COMMON = struct.Struct("<III64sIBBBB32sI32s")
_SERVER = struct.Struct("<II20sB3sQBB62s")
_FIRST = struct.Struct("<I20s80s")
_HINT = "copy the file again, or make it again with atc"


@dataclass(frozen=True, slots=True)
class OmHeader:
    """What a header says beyond lengths; those follow from the content.

    ``kind`` is modeltype, ``online`` genmode, ``is_wide`` whether the lengths are the 64-bit form, which goes with the
    wide partition table. ``tail`` is what version ``FIRST`` has behind the IR version: kept, never interpreted.
    """

    version: int = SERVER
    checksum: bytes = bytes(64)
    is_encrypted: int = 0
    is_unchecked: int = 1
    kind: int = IR
    online: int = 0
    name: bytes = b""
    ops: int = 0
    user_info: bytes = b""
    ir_version: int = 2
    model_num: int = 1
    platform_version: bytes = b""
    platform_type: int = 0
    needs_host: int = 0
    is_dynamic: int = 0
    is_wide: bool = True
    padding: bytes = bytes(3)
    tail: bytes = bytes(62)

    def warnings(self, source: str) -> tuple[str, ...]:
        """Give a sentence for a kind that GE has no name for: its loader asks for flow models and bundles alone."""
        if self.version < SERVER or self.kind in _KINDS:
            return ()
        said = f"{source}, offset 82: the header has model type {self.kind}, which GE has no name for"
        return (f"{said}; it is read as type {IR}",)

    @property
    def blocks(self) -> int:
        """How many blocks of partitions follow (spec/formats.md 1.5); 0 in a dynamic file means none."""
        several = self.version >= SERVER and (self.model_num > 1 or self.is_dynamic == 1)
        return self.model_num if several else 1


def read_header(content: memoryview, source: str) -> OmHeader:
    """Read a header and hold its lengths against the file.

    Raises InputError, in GE's words where it has some, for another magic or length, another version, an encrypted file
    and a mobile model that is no graph.
    """
    if len(content) < SIZE:
        text = f"{source}: Invalid om file. The model data size {len(content)} is smaller than {SIZE}."
        raise InputError(text, _HINT)
    common = _COMMON.unpack_from(content)
    magic, head, version = common[:3]
    if magic != MAGIC or head != SIZE:
        raise InputError(f"{source}, offset 0: Invalid om file. It does not begin as one.", _HINT)
    if version not in (SERVER, FIRST):
        raise InputError(f"{source}, offset 8: the header has version {version:#x}, which GE never wrote", _HINT)
    header, wide = _first(content, common) if version == FIRST else _server(content, common)
    length = wide or common[4]
    is_bundle = header.kind == BUNDLE and version == SERVER
    given = len(content) - (0 if is_bundle else SIZE)
    if length != given:
        raise InputError(
            f"{source}, offset {184 if wide else 76}: Invalid om file. The header promises {length} bytes, "
            f"the file has {given} {'in all' if is_bundle else 'behind it'}.",
            _HINT,
        )
    if header.is_encrypted:
        raise InputError(f"{source}: the model is encrypted", "make it again without encryption")
    if version == FIRST and header.kind >= _MOBILE_FROM:
        raise InputError(
            f"{source}, offset 82: this is a model of kind {header.kind} for a mobile phone, which GE does not run",
            "make it again with atc for a server",
        )
    return header


def _fields(common: tuple[object, ...]) -> tuple[int, bytes, int, int, int, int, bytes, int, bytes]:
    _, _, version, checksum, _, encrypted, unchecked, kind, online, name, ops, user = common
    return version, checksum, encrypted, unchecked, kind, online, name, ops, user  # type: ignore[return-value]


def _server(content: memoryview, common: tuple[object, ...]) -> tuple[OmHeader, int]:
    rest = _SERVER.unpack_from(content, _COMMON.size)
    ir, number, platform, platform_type, padding, wide, needs_host, dynamic, tail = rest
    header = OmHeader(
        *_fields(common),
        ir_version=ir,
        model_num=number,
        platform_version=platform,
        platform_type=platform_type,
        needs_host=needs_host,
        is_dynamic=dynamic,
        is_wide=wide != 0 or common[7] == FLOW,
        padding=padding,
        tail=tail,
    )
    return header, wide


def _first(content: memoryview, common: tuple[object, ...]) -> tuple[OmHeader, int]:
    ir, platform, tail = _FIRST.unpack_from(content, _COMMON.size)
    fields = _fields(common)
    return OmHeader(*fields, ir_version=ir, platform_version=platform, is_wide=False, tail=tail), 0


def header_bytes(header: OmHeader, length: int) -> bytes:
    """Write a header; ``length`` is the number of bytes behind it, of a bundle that of the whole file."""
    common = _COMMON.pack(
        MAGIC,
        SIZE,
        header.version,
        header.checksum,
        0 if header.is_wide else length,
        header.is_encrypted,
        header.is_unchecked,
        header.kind,
        header.online,
        header.name,
        header.ops,
        header.user_info,
    )
    if header.version == FIRST:
        return common + _FIRST.pack(header.ir_version, header.platform_version, header.tail)
    return common + _SERVER.pack(
        header.ir_version,
        header.model_num,
        header.platform_version,
        header.platform_type,
        header.padding,
        length if header.is_wide else 0,
        header.needs_host,
        header.is_dynamic,
        header.tail,
    )
