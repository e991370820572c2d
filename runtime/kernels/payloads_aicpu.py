"""What Const nodes carry for operators that run on the AI CPU or on the host's CPU.

GE hands pointers and packed structures through these nodes; here each is a record. They live below the converters that
fill them in and below the kernels that read them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpDescPointer:
    """GE passes the operator's description by address; kernels need its name and its type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class CustomKernelBinary:
    """A shared library with kernels of the user, to be loaded on the device."""

    so_name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class HostFunction:
    """A function of the host library that computes an operator; it is found by the operator's type."""

    op_type: str


@dataclass(frozen=True, slots=True)
class TempExtInfo:
    """Stands for the extended information of an operator that has none."""

    name: str = "temp"


@dataclass(frozen=True, slots=True)
class FusedHostCpuState:
    """The state of one fused group of host operators: the library that computes it, and how many tensors it takes."""

    register_name: str
    input_num: int
    output_num: int
