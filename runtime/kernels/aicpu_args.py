"""The argument block of an AI CPU task and what Init makes for it (spec/lowering.md 4.5, 11.M).

A block is built once per load; each step writes new addresses into it. Its layout is GE's: what a launch prints as
offsets follows from the sizes of the parts alone.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from getrace.events.aicpu import AicpuArgs
from runtime.kernels.context import KernelContext
from runtime.kernels.feed import do_nothing
from runtime.kernels.registry import Kernel
from runtime.kernels.status import Status
from runtime.memory.tensor_data import GertTensorData

if TYPE_CHECKING:
    from runtime.kernels.aicpu_ext_info import ExtInfo

_WORD: Final = 8
_EXT_INFO: Final = ("aicpu_args_handler.cc", 0, "GetExtInfoAddrFromArgs")
_TF_HEADER: Final = 112
"""``STR_FWK_OP_KERNEL`` in front of a TF block; three words of it point at the definition, the addresses, the rest."""
_TF_POINTERS: Final = (80, 88, 104)
_CC_EXT_POINTER: Final = 12
"""``AicpuParamHead`` in front of a CC block; its word at 12 points at the extended information."""
_STRUCT: Final = 0x1F0


class Engine(Enum):
    """Who runs a task."""

    TF = "TF"
    CC = "CC"
    HOST = "HOST"


@dataclass(slots=True)
class ArgsHandler:
    """``AicpuArgsHandler``. ``ios`` are the addresses of the last update: inputs, then outputs.

    ``size`` is the length of a CC block without its names, ``definition`` that of a TF task's definition and ``ext``
    that of the extended information, all in bytes.
    ``ext_info`` is the handler of the latter; a TF launch reaches it only through here.
    """

    engine: Engine
    handle: int
    io_num: int
    name: str
    size: int = 0
    ext: int = 0
    definition: int = 0
    kernel_name: str = ""
    so_name: str = ""
    is_block: bool = False
    event: int = 0
    ios: list[GertTensorData] = field(default_factory=list)
    ext_info: "ExtInfo | None" = None

    def offsets(self) -> AicpuArgs:
        """Say where each part of the block lies."""
        return self._tf_offsets() if self.engine is Engine.TF else self._cc_offsets()

    def _tf_offsets(self) -> AicpuArgs:
        addresses = _TF_HEADER + self.definition
        extended = addresses + _WORD * self.io_num
        parts = (_TF_HEADER, addresses, extended)[: 3 if self.ext else 2]
        kernels = tuple((index, _TF_POINTERS[index], data) for index, data in enumerate(parts))
        so_name = extended + self.ext
        return AicpuArgs(so_name, so_name + _WORD, 0, len(kernels), (), kernels)

    def _cc_offsets(self) -> AicpuArgs:
        so_name = self.size + len(self.kernel_name) + 1
        extended = so_name + len(self.so_name) + 1
        kernels = ((0, _CC_EXT_POINTER, extended),) if self.ext else ()
        return AicpuArgs(so_name, self.size, 0, len(kernels), (), kernels)


def args_outputs(context: KernelContext) -> int:
    """Make the block when the executor is built."""
    engine = _ENGINES[context.type]
    values = [cell.value for cell in context.inputs]
    block = ArgsHandler(engine, context.machine.device.pointer(_STRUCT), int(values[0]), str(values[1] or ""))
    block.size, block.ext = int(values[4] or 0), int(values[5] or 0)
    if engine is not Engine.HOST:
        block.is_block, block.event = bool(values[6]), int(values[7] or 0)
    if engine is Engine.TF:
        block.definition = int(values[10] or 0)
    if engine is Engine.CC:
        block.kernel_name, block.so_name = str(values[9] or ""), str(values[11] or "")
    context.set(0, block)
    return Status.SUCCESS


def build_args(context: KernelContext) -> int:
    """Note the event of a blocking task, which Init has made by now; the rest was made when the executor was built."""
    block: ArgsHandler = context.output(0)
    block.event = int(context.input(7) or 0)
    return Status.SUCCESS


def bin_handle(context: KernelContext) -> int:
    """Give no handle: the simulator finds the code of an operator by its type, not by a binary described in JSON."""
    context.set(0, None)
    return Status.SUCCESS


def ensure_create_tf_session(context: KernelContext) -> int:
    """Make the session on the AI CPU, once per session of the model."""
    context.machine.tf_sessions.add(int(context.input(0)))
    return Status.SUCCESS


def ext_info_addr(context: KernelContext) -> int:
    """Give the host's and the device's address of the extended information; the host's is the block itself here."""
    block: ArgsHandler | None = context.input(0)
    if block is None:
        return context.kernel_error(_EXT_INFO, "Get nullptr args_handler")
    context.set(0, block)
    context.set(1, block.handle + block.offsets().kernel_name)
    return Status.SUCCESS


_ENGINES: Final = {"BuildTfArgs": Engine.TF, "BuildCCArgs": Engine.CC, "BuildHostCCArgs": Engine.HOST}

KERNELS: Final = (
    Kernel("BuildTfArgsBinHandle", bin_handle),
    Kernel("BuildCCArgsBinHandle", bin_handle),
    Kernel("EnsureCreateTfSession", ensure_create_tf_session),
    Kernel("BuildTfArgs", build_args, outputs_creator=args_outputs),
    Kernel("BuildCCArgs", build_args, outputs_creator=args_outputs),
    Kernel("BuildHostCCArgs", do_nothing, outputs_creator=args_outputs),
    Kernel("GetExtInfoAddrFromArgs", ext_info_addr),
)
