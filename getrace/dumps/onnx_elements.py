"""The elements of an ONNX tensor as bytes in memory order, little endian, wherever the file keeps them.

It owns the four places of elements, the types' widths, and what a model may open: files in its own folder and nothing
else. Whoever read them apart from here could be led out of that folder.

Source: onnx.proto3 (which list holds which type); spec/formats.md 5.2.
"""

import math
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from getrace.dumps.onnx_model import OnnxTensor
from getrace.dumps.packed_numbers import count_packed, unpack
from getrace.dumps.wire import FIXED32, FIXED64, VARINT
from getrace.errors import InputError

MAX_UNPACKED: Final = 64 << 20
"""Bytes that a list of packed numbers may become; one of them can take an eighth of what it stands for."""

BITS: Final = {
    1: 32, 2: 8, 3: 8, 4: 16, 5: 16, 6: 32, 7: 64, 9: 8, 10: 16, 11: 64, 12: 32, 13: 64, 14: 64, 15: 128, 16: 16,
    17: 8, 18: 8, 19: 8, 20: 8, 21: 4, 22: 4, 23: 4, 24: 8,
}  # fmt: skip
"""Bits of an element by ONNX's number of the type; texts (8) have none."""

STRING: Final = 8
_FLOATS: Final = {4: "<f4", 10: "<f8"}
_PAIRS: Final = frozenset({14, 15})
"""Complex numbers: two elements of a list each."""

_MOST_ITEMS: Final = 1 << 40


def element_bytes(tensor: OnnxTensor, folder: Path | None) -> bytes:
    """Give all elements of a tensor. ``folder`` is the model's, None when the model has none.

    Raises InputError when they are not there, are more or fewer than the shape needs, or lie outside the folder.
    """
    if tensor.dtype not in BITS:
        raise _wrong(tensor, f"has the type {tensor.dtype}, which has no elements of one size")
    wanted = size_of(tensor)
    if tensor.external:
        return _external(tensor, folder, wanted)
    content = _unpacked(tensor, wanted) if tensor.raw is None else bytes(tensor.raw)
    if len(content) != wanted:
        raise _wrong(tensor, f"has {len(content)} bytes, its shape needs {wanted}")
    return content


def size_of(tensor: OnnxTensor) -> int:
    """Give the bytes that a tensor's shape needs. Raises InputError for a shape that no memory can hold."""
    items = math.prod(tensor.dims)
    if items > _MOST_ITEMS:
        raise _wrong(tensor, f"has {items} elements")
    return (items * BITS[tensor.dtype] + 7) // 8


def _unpacked(tensor: OnnxTensor, wanted: int) -> bytes:
    parts: list[bytes] = []
    for number, kind, view in tensor.lists:
        part = _numbers(tensor, number, kind, view, wanted - sum(map(len, parts)))
        parts.append(part.tobytes())
    return b"".join(parts)


def _numbers(tensor: OnnxTensor, number: int, kind: int, view: memoryview, room: int) -> npt.NDArray[Any]:
    """Read a part of a list; ``room`` is how many bytes may come of it."""
    stored = np.dtype(f"<u{max(BITS[tensor.dtype], 8) // 8}" if tensor.dtype not in _PAIRS else "<u8")
    try:
        if number in _FLOATS or kind in {FIXED32, FIXED64}:
            return np.frombuffer(view, _FLOATS.get(number, "<u4" if kind == FIXED32 else "<u8"))
        if kind == VARINT:
            return np.frombuffer(view, "<u8").astype(stored)
        count = count_packed(view)
        if count * stored.itemsize <= min(room, MAX_UNPACKED):
            return unpack(view, count, stored)
    except ValueError as error:
        raise _wrong(tensor, str(error)) from error
    raise _wrong(tensor, f"has a list of {count} packed numbers, more than its shape or {MAX_UNPACKED} bytes hold")


def _external(tensor: OnnxTensor, folder: Path | None, wanted: int) -> bytes:
    offset, length = external_offset(tensor), _whole(tensor, "length")
    if length not in (None, wanted):
        raise _wrong(tensor, f"has {length} bytes in another file, its shape needs {wanted}")
    path = external_path(tensor, folder)
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            if offset + wanted > size:
                raise _wrong(tensor, f"ends at byte {offset + wanted} of {path}, which has {size}")
            file.seek(offset)
            return file.read(wanted)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", "keep it beside the model") from error


def external_path(tensor: OnnxTensor, folder: Path | None) -> Path:
    """Give the file of a tensor's elements. Raises InputError for one that is not a file below the model's folder."""
    location = tensor.external.get("location", "")
    if folder is None or not location or "\0" in location:
        raise _wrong(tensor, "lies in another file, and the model does not say in which")
    try:
        path = (folder / location).resolve()
        inside, is_there = path.is_relative_to(folder.resolve()), path.is_file()
    except (OSError, RuntimeError, ValueError) as error:
        raise _wrong(tensor, f"lies in {location[:80]!r}, which is no path: {_reason(error)}") from error
    if not inside:
        raise _wrong(
            tensor, f"lies in {location!r}, outside the model's folder", "a model may read its own folder only"
        )
    if not is_there:
        raise _wrong(tensor, f"lies in {location!r}, and there is no such file beside the model")
    return path


def external_offset(tensor: OnnxTensor) -> int:
    """Give where a tensor's elements begin in their file. Raises InputError when the model says no number."""
    return _whole(tensor, "offset") or 0


def _reason(error: Exception) -> str:
    """Give what went wrong without the path, which a model may make as long as it likes."""
    return str((isinstance(error, OSError) and error.strerror) or error)


def _whole(tensor: OnnxTensor, key: str) -> int | None:
    text = tensor.external.get(key)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise _wrong(tensor, f"has the {key} {text!r} in another file, which is no number")
    return int(text)


def _wrong(tensor: OnnxTensor, what: str, hint: str = "write the model again") -> InputError:
    return InputError(f"tensor {tensor.name!r} at offset {tensor.at} {what}", hint)
