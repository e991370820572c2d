"""Types, shapes and tensors: the words every room of the runtime speaks.

The numbers are GE's own (``ge::DataType``, ``ge::Format``, ``gert::TensorPlacement``; spec/formats.md 7), because they
appear in logs, attributes and dumps. If the kernels and the converters each kept a list, a type would have two names.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Self

import numpy as np

from getrace.errors import ModelError

MAX_DIMS = 25
"""``kMaxDimNum``: dimensions one shape may have (spec/lowering.md 1.5)."""

UNKNOWN_DIM = -1
UNKNOWN_RANK = -2
"""The only entry of a shape whose number of dimensions is unknown."""


class DType(IntEnum):
    """``ge::DataType``. The proto enum of ``TensorDescriptor.dtype`` has other numbers and travels by name."""

    FLOAT = 0
    FLOAT16 = 1
    INT8 = 2
    INT32 = 3
    UINT8 = 4
    INT16 = 6
    UINT16 = 7
    UINT32 = 8
    INT64 = 9
    UINT64 = 10
    DOUBLE = 11
    BOOL = 12
    STRING = 13
    DUAL_SUB_INT8 = 14
    DUAL_SUB_UINT8 = 15
    COMPLEX64 = 16
    COMPLEX128 = 17
    QINT8 = 18
    QINT16 = 19
    QINT32 = 20
    QUINT8 = 21
    QUINT16 = 22
    RESOURCE = 23
    STRING_REF = 24
    DUAL = 25
    VARIANT = 26
    BF16 = 27
    UNDEFINED = 28
    INT4 = 29
    UINT1 = 30
    INT2 = 31
    UINT2 = 32
    COMPLEX32 = 33
    HIFLOAT8 = 34
    FLOAT8_E5M2 = 35
    FLOAT8_E4M3FN = 36
    FLOAT8_E8M0 = 37
    FLOAT6_E3M2 = 38
    FLOAT6_E2M3 = 39
    FLOAT4_E2M1 = 40
    FLOAT4_E1M2 = 41
    HIFLOAT4 = 42

    @property
    def number(self) -> int:
        """GE's number, as logs print it."""
        return int(self)

    @property
    def ge_name(self) -> str:
        """GE's text, as dumps write it: ``DT_FLOAT``."""
        return f"DT_{self.name}"

    @property
    def has_size(self) -> bool:
        """Whether all elements have one size; strings have not."""
        return self in _BITS

    @property
    def bits(self) -> int:
        """Bits of one element. Raises ModelError for a type without a fixed size (strings, UNDEFINED)."""
        try:
            return _BITS[self]
        except KeyError:
            raise ModelError(f"data type {self.ge_name} has no fixed size", "use a type of numbers") from None

    @property
    def size(self) -> int:
        """Bytes of one element, rounded up for types below a byte. Raises ModelError as ``bits``."""
        return (self.bits + 7) // 8

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """How one element lies in memory. Raises ModelError for a type that numpy cannot hold.

        BF16 and the other types numpy does not know come as unsigned integers of their size.
        """
        try:
            return np.dtype(_NUMPY[self])
        except KeyError:
            hint = "cast it to a wider type" if self.has_size else "use a type of numbers"
            raise ModelError(f"data type {self.ge_name} cannot be computed with", hint) from None

    @classmethod
    def of(cls, name: str) -> Self:
        """Find a type by its GE text, with or without ``DT_``. Raises ModelError for an unknown one."""
        try:
            return cls[name.removeprefix("DT_")]
        except KeyError:
            raise ModelError(f"unknown data type '{name}'", "GE's names look like DT_FLOAT16") from None


_BITS = {
    **dict.fromkeys((DType.UINT1,), 1),
    **dict.fromkeys((DType.INT2, DType.UINT2), 2),
    **dict.fromkeys((DType.INT4, DType.FLOAT4_E2M1, DType.FLOAT4_E1M2, DType.HIFLOAT4), 4),
    **dict.fromkeys((DType.FLOAT6_E3M2, DType.FLOAT6_E2M3), 6),
    **dict.fromkeys((DType.INT8, DType.UINT8, DType.BOOL, DType.DUAL_SUB_INT8, DType.DUAL_SUB_UINT8), 8),
    **dict.fromkeys((DType.QINT8, DType.QUINT8, DType.HIFLOAT8), 8),
    **dict.fromkeys((DType.FLOAT8_E5M2, DType.FLOAT8_E4M3FN, DType.FLOAT8_E8M0), 8),
    **dict.fromkeys((DType.FLOAT16, DType.BF16, DType.INT16, DType.UINT16, DType.QINT16, DType.QUINT16), 16),
    **dict.fromkeys((DType.FLOAT, DType.INT32, DType.UINT32, DType.QINT32, DType.COMPLEX32), 32),
    DType.DUAL: 40,
    **dict.fromkeys((DType.INT64, DType.UINT64, DType.DOUBLE, DType.COMPLEX64, DType.RESOURCE, DType.VARIANT), 64),
    DType.COMPLEX128: 128,
}

_NUMPY = {
    DType.FLOAT: "<f4",
    DType.FLOAT16: "<f2",
    DType.DOUBLE: "<f8",
    DType.BF16: "<u2",
    DType.INT8: "i1",
    DType.INT16: "<i2",
    DType.INT32: "<i4",
    DType.INT64: "<i8",
    DType.UINT8: "u1",
    DType.UINT16: "<u2",
    DType.UINT32: "<u4",
    DType.UINT64: "<u8",
    DType.BOOL: "?",
    DType.COMPLEX64: "<c8",
    DType.COMPLEX128: "<c16",
    DType.QINT8: "i1",
    DType.QINT16: "<i2",
    DType.QINT32: "<i4",
    DType.QUINT8: "u1",
    DType.QUINT16: "<u2",
    **dict.fromkeys((DType.HIFLOAT8, DType.FLOAT8_E5M2, DType.FLOAT8_E4M3FN, DType.FLOAT8_E8M0), "u1"),
}


class Format(IntEnum):
    """``ge::Format``: how the dimensions of a tensor are laid out. Only the primary id (bits 0 to 7 of GE's number)."""

    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1C0HWPAD = 5
    NHWC1C0 = 6
    FSR_NCHW = 7
    FRACTAL_DECONV = 8
    C1HWNC0 = 9
    FRACTAL_DECONV_TRANSPOSE = 10
    FRACTAL_DECONV_SP_STRIDE_TRANS = 11
    NC1HWC0_C04 = 12
    FRACTAL_Z_C04 = 13
    CHWN = 14
    DECONV_SP_STRIDE8_TRANS = 15
    HWCN = 16
    NC1KHKWHWC0 = 17
    BN_WEIGHT = 18
    FILTER_HWCK = 19
    C1HWNCoC0 = 25
    MD = 26
    NDHWC = 27
    FRACTAL_ZZ = 28
    FRACTAL_NZ = 29
    NCDHW = 30
    DHWCN = 31
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    CN = 34
    NC = 35
    DHWNC = 36
    FRACTAL_Z_3D_TRANSPOSE = 37
    FRACTAL_ZN_LSTM = 38
    FRACTAL_Z_G = 39
    RESERVED = 40
    ALL = 41
    NULL = 42
    ND_RNN_BIAS = 43
    FRACTAL_ZN_RNN = 44
    NYUV = 45
    NYUV_A = 46
    NCL = 47
    FRACTAL_Z_WINO = 48
    C1HWC0 = 49
    FRACTAL_NZ_C0_16 = 50
    FRACTAL_NZ_C0_32 = 51
    FRACTAL_NZ_C0_2 = 52
    FRACTAL_NZ_C0_4 = 53
    FRACTAL_NZ_C0_8 = 54

    @property
    def ge_name(self) -> str:
        """GE's text, as dumps and logs write it: ``ND``."""
        return self.name

    @classmethod
    def of(cls, name: str) -> Self:
        """Find a format by its GE text; a sub format (``FRACTAL_Z:2``) is dropped. Raises ModelError if unknown."""
        try:
            return cls[name.partition(":")[0].removeprefix("FORMAT_")]
        except KeyError:
            raise ModelError(f"unknown tensor format '{name}'", "the simulator knows ND, NCHW and their kin") from None


class Placement(IntEnum):
    """``gert::TensorPlacement``. ``FOLLOWING`` is host memory right behind the tensor; ``END`` means unknown."""

    DEVICE_HBM = 0
    HOST = 1
    FOLLOWING = 2
    DEVICE_P2P = 3
    END = 4

    @property
    def ge_name(self) -> str:
        """GE's text: ``DeviceHbm``, ``HostDDR``, ``DeviceP2p`` or ``Unknown``."""
        return _PLACEMENT_TEXT[self]

    @property
    def on_host(self) -> bool:
        """Whether the processor can read the bytes without a copy."""
        return self in (Placement.HOST, Placement.FOLLOWING)

    @property
    def on_device(self) -> bool:
        """Whether a kernel on the device can read the bytes without a copy."""
        return self in (Placement.DEVICE_HBM, Placement.DEVICE_P2P)


_PLACEMENT_TEXT = {
    Placement.DEVICE_HBM: "DeviceHbm",
    Placement.HOST: "HostDDR",
    Placement.FOLLOWING: "HostDDR",
    Placement.DEVICE_P2P: "DeviceP2p",
    Placement.END: "Unknown",
}


class Shape(tuple[int, ...]):
    """The dimensions of a tensor. -1 is an unknown dimension, a lone -2 an unknown rank, () a scalar."""

    __slots__ = ()

    def __new__(cls, dims: Iterable[int] = ()) -> Self:
        """Check the dimensions. Raises ModelError for more than 25 of them or a negative one that means nothing."""
        shape = super().__new__(cls, (int(dim) for dim in dims))
        if len(shape) > MAX_DIMS:
            text = f"a shape has {len(shape)} dimensions, GE holds at most {MAX_DIMS}"
            raise ModelError(text, f"merge some, so that {MAX_DIMS} or fewer are left")
        if any(dim < UNKNOWN_DIM for dim in shape) and shape != (UNKNOWN_RANK,):
            raise ModelError(f"shape {list(shape)} has a dimension below -1", "-1 stands for an unknown dimension")
        return shape

    @property
    def is_known(self) -> bool:
        """Whether every dimension has a value."""
        return all(dim >= 0 for dim in self)

    @property
    def elements(self) -> int:
        """How many elements there are; 1 for a scalar. Raises ModelError when a dimension is unknown."""
        if not self.is_known:
            raise ModelError(f"shape {list(self)} has no element count", "infer the shape first")
        product = 1
        for dim in self:
            product *= dim
        return product

    def __str__(self) -> str:
        return "[" + ",".join(str(dim) for dim in self) + "]"


@dataclass(slots=True)
class StorageShape:
    """The shape the model means (``origin``) and the one that lies in memory (``storage``)."""

    origin: Shape
    storage: Shape

    @classmethod
    def same(cls, dims: Iterable[int]) -> Self:
        """Give both shapes the same dimensions, as every ND tensor has."""
        shape = Shape(dims)
        return cls(shape, shape)


@dataclass(frozen=True, slots=True)
class StorageFormat:
    """The format the model means, the one in memory, and the reshape hint between them."""

    origin: Format = Format.ND
    storage: Format = Format.ND
    expand_dims: str = ""


@dataclass(slots=True)
class TensorData:
    """Where the bytes of a tensor are. ``manager`` owns the memory; None means that somebody else does.

    ``addr`` is an address of the simulated machine, ``size`` is in bytes.
    """

    addr: int = 0
    size: int = 0
    placement: Placement = Placement.END
    manager: object | None = None


@dataclass(slots=True)
class Tensor:
    """``gert::Tensor``: shape, format, type and bytes. ``data.addr`` 0 means that nothing is allocated yet.

    ``handle`` is the pointer of the object where a log names it, else 0.
    """

    shape: StorageShape
    dtype: DType = DType.FLOAT
    format: StorageFormat = field(default_factory=StorageFormat)
    data: TensorData | None = None
    handle: int = field(default=0, compare=False)

    @property
    def placement(self) -> Placement:
        """Where the bytes are, ``Placement.END`` when there are none."""
        return Placement.END if self.data is None else self.data.placement


class Int32(int):
    """A whole number that GE stores in four bytes; to everyone else an int."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ConstTensor:
    """Payload of the Const behind a constant of the model: the tensor with its elements, little endian."""

    shape: Shape
    dtype: DType
    format: StorageFormat
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class WeightSpan:
    """Where a constant lies in the weight memory: bytes from its start, and how many."""

    offset: int
    size: int
