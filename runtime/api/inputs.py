"""What a run feeds to a model: from the user's words, from files, or from the seed.

The words are ``NAME=SHAPE[:DTYPE]`` and ``NAME=FILE.npy``; a shape is ``2x1024`` or ``2,1024``, a scalar is ``()``.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from getrace.errors import InputError, ModelError, UsageError
from runtime.api.models import Model
from runtime.lowering.model_desc import ModelIoDesc
from runtime.values import DType, Shape

Array = npt.NDArray[Any]

OPEN_DIMENSION = 8
"""What an open dimension becomes when neither the user nor the model says."""

_SCALAR = "()"


def make_inputs(
    model: Model, wanted: Sequence[ModelIoDesc], words: Sequence[str], seed: int, device_bytes: int
) -> dict[str, Array]:
    """Give one array per model input, in order.

    Raises UsageError for words that do not fit the model, or for more than the device's memory of ``device_bytes``;
    ModelError for an input of strings.
    """
    _check_types(wanted)
    given: dict[str, Array | tuple[Shape, DType]] = {}
    for word in words:
        name, value = _read_word(word, wanted)
        if name in given:
            raise UsageError(f"input {name} is given twice", "give each input once")
        given[name] = value
    chosen = {io.name: given.get(io.name, _default_shape(model, io)) for io in wanted}
    _check_room(chosen, device_bytes)
    return {io.name: _content(io, chosen[io.name], seed + position) for position, io in enumerate(wanted)}


def _check_types(wanted: Sequence[ModelIoDesc]) -> None:
    """Refuse an input of elements that no array of numbers can hold."""
    for io in wanted:
        if not io.desc.dtype.has_size:
            raise ModelError(
                f"input {io.name} has the type {io.desc.dtype.ge_name}, whose elements have no fixed size: "
                "the simulated device holds numbers only",
                "lower it with `getrace lower`, or build the model with an input of numbers",
            )


def _check_room(chosen: "Mapping[str, Array | tuple[Shape, DType]]", device_bytes: int) -> None:
    sizes = {name: _bytes_of(what) for name, what in chosen.items()}
    if sum(sizes.values()) > device_bytes:
        largest = max(sizes, key=sizes.__getitem__)
        raise UsageError(
            f"the inputs have {sum(sizes.values())} bytes ({largest} alone {sizes[largest]}), "
            f"the device has {device_bytes}",
            "give a smaller shape",
        )


def _bytes_of(what: "Array | tuple[Shape, DType]") -> int:
    if isinstance(what, np.ndarray):
        return what.nbytes
    shape, dtype = what
    return math.prod(shape) * dtype.numpy.itemsize


def asked_types(words: Sequence[str]) -> dict[str, DType]:
    """Give the types that the words ask for, by input; words that are wrong are left for ``make_inputs`` to refuse."""
    types = {}
    for word in words:
        name, _, value = word.partition("=")
        dtype = _type_of_file(Path(value)) if value.endswith(".npy") else _type_of_words(value)
        if dtype is not None:
            types[name] = dtype
    return types


def _type_of_file(path: Path) -> DType | None:
    try:
        return dtypes_by_name().get(np.load(path, mmap_mode="r", allow_pickle=False).dtype.name)
    except (OSError, ValueError):
        return None


def _type_of_words(value: str) -> DType | None:
    name = value.partition(":")[2]
    return _named_type(name) if name else None


def dtype_of(array: Array) -> DType:
    """Give GE's type of an array. Raises UsageError when GE has none."""
    found = dtypes_by_name().get(array.dtype.name)
    if found is None:
        raise UsageError(f"no input can have the type {array.dtype.name}", f"choose one of: {_listed()}")
    return found


def dtypes_by_name() -> Mapping[str, DType]:
    """Give the types a user may ask for, by numpy's name."""
    names = (
        DType.FLOAT,
        DType.FLOAT16,
        DType.DOUBLE,
        DType.INT8,
        DType.INT16,
        DType.INT32,
        DType.INT64,
        DType.UINT8,
        DType.UINT16,
        DType.UINT32,
        DType.UINT64,
        DType.BOOL,
    )
    return {dtype.numpy.name: dtype for dtype in names}


def _read_word(word: str, wanted: Sequence[ModelIoDesc]) -> tuple[str, "Array | tuple[Shape, DType]"]:
    name, equals, value = word.partition("=")
    if not equals:
        raise UsageError(f"input {word!r} is not NAME=SHAPE[:DTYPE] or NAME=FILE.npy", "for example x1=2x1024:float32")
    known = {io.name: io for io in wanted}
    if name not in known:
        raise UsageError(f"the model has no input {name!r}", f"its inputs are: {', '.join(known)}")
    if value.endswith(".npy"):
        return name, _from_file(Path(value))
    shape, _, dtype = value.partition(":")
    return name, (_read_shape(shape, word), _read_dtype(dtype) if dtype else known[name].desc.dtype)


def _read_shape(text: str, word: str) -> Shape:
    if text == _SCALAR:
        return Shape()
    parts = text.replace(",", "x").split("x")
    if not all(part.strip().isdecimal() for part in parts):
        raise UsageError(f"the shape in {word!r} is not a list of numbers", "write 2x1024, or () for a scalar")
    return Shape(int(part) for part in parts)


def _named_type(text: str) -> DType | None:
    name = text.lower().removeprefix("dt_")
    return dtypes_by_name().get({"float": "float32", "double": "float64"}.get(name, name))


def _read_dtype(text: str) -> DType:
    found = _named_type(text)
    if found is None:
        raise UsageError(f"no input can have the type {text!r}", f"choose one of: {_listed()}")
    return found


def _from_file(path: Path) -> Array:
    try:
        array: Array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", "check the path") from error
    except ValueError as error:
        raise InputError(f"{path} is not a .npy file of numbers: {error}", "write it with numpy.save") from error
    return array


def _default_shape(model: Model, io: ModelIoDesc) -> tuple[Shape, DType]:
    example = model.example_inputs.get(io.name)
    dims = io.desc.shape if example is None else example
    return Shape(OPEN_DIMENSION if dim < 0 else dim for dim in dims), io.desc.dtype


def _content(io: ModelIoDesc, given: "Array | tuple[Shape, DType]", seed: int) -> Array:
    try:
        array = given if isinstance(given, np.ndarray) else _random(*given, seed)
    except MemoryError:
        text = f"this machine has no memory for input {io.name} of {_bytes_of(given)} bytes"
        raise InputError(text, "give a smaller shape") from None
    _check(io, array)
    return np.ascontiguousarray(array).reshape(array.shape)


def _random(shape: Shape, dtype: DType, seed: int) -> Array:
    source = np.random.default_rng(seed)
    kind = dtype.numpy.kind
    if kind == "f":
        # Made in its own type: twice the room for a moment is too much for a large input. numpy has no halves.
        made = np.float64 if dtype is DType.DOUBLE else np.float32
        return source.standard_normal(shape, made).astype(dtype.numpy, copy=False)
    if kind == "b":
        return source.integers(0, 2, shape, np.bool_)
    return source.integers(0 if kind == "u" else -100, 100, shape, dtype.numpy)


def _check(io: ModelIoDesc, array: Array) -> None:
    dims = io.desc.shape
    # RT2 compares no shapes: a model with no fixed dimension takes any rank, one with a fixed dimension would be fed
    # wrong numbers by an array that has another there.
    open_rank = bool(dims) and all(dim < 0 for dim in dims)
    fits = len(dims) == array.ndim and all(want in (-1, have) for want, have in zip(dims, array.shape, strict=False))
    if not fits and not open_rank:
        have, want = "x".join(map(str, array.shape)), "x".join(map(str, dims))
        raise UsageError(
            f"input {io.name} has the shape {have or _SCALAR}, the model wants {want or _SCALAR}", "-1 is open"
        )
    if dtype_of(array) != io.desc.dtype:
        text = f"input {io.name} has the type {array.dtype.name}, the model wants {io.desc.dtype.numpy.name}"
        raise UsageError(text, "convert it, or build the model for that type")


def _listed() -> str:
    return ", ".join(dtypes_by_name())
