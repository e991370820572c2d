"""Types of elements: ONNX's numbers and GE's.

Source: spec/formats.md 5.2 (which of ONNX's types GE's parser knows), 7 (GE's numbers).
"""

from collections.abc import Mapping
from typing import Final

from getrace.errors import ModelError
from runtime.values import DType

_GE: Final[Mapping[int, DType]] = {
    1: DType.FLOAT,
    2: DType.UINT8,
    3: DType.INT8,
    4: DType.UINT16,
    5: DType.INT16,
    6: DType.INT32,
    7: DType.INT64,
    8: DType.STRING,
    9: DType.BOOL,
    10: DType.FLOAT16,
    11: DType.DOUBLE,
    12: DType.UINT32,
    13: DType.UINT64,
    14: DType.COMPLEX64,
    15: DType.COMPLEX128,
    16: DType.BF16,
    17: DType.FLOAT8_E4M3FN,
    19: DType.FLOAT8_E5M2,
    22: DType.INT4,
}


def dtype_of(number: int, where: str) -> DType:
    """Give GE's type. Raises ModelError, naming ``where``, for one that GE does not know."""
    found = _GE.get(number)
    if found is None:
        raise ModelError(f"{where} has the type {number} of ONNX, which GE does not know", "cast it to a known type")
    return found


def dtype_or_open(number: int) -> DType:
    """Give GE's type, UNDEFINED where the model says nothing or what GE does not know."""
    return _GE.get(number, DType.UNDEFINED)
