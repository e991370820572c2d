"""Variables of the session and constants in files, as Init finds them (spec/lowering.md 11.E).

Both are device memory that no kernel of Main allocates. A kernel of Main that read a file would read it in each step.
"""

from pathlib import Path
from typing import Final

from getrace.events.memory import MemAlloc, UserConst
from runtime.kernels.context import KernelContext
from runtime.kernels.memory import tensor_data_outputs
from runtime.kernels.registry import MEMORY, Kernel
from runtime.kernels.status import Status
from runtime.kernels.transfer import Span, write_to_device
from runtime.memory.l2_single import SingleStreamL2Allocator
from runtime.memory.tensor_data import GertTensorData
from runtime.memory.variables import Variable, VariableMemory
from runtime.values import Placement, Shape, StorageShape

_SESSION = ("variable.cc", 0, "SplitVariable")
_MANAGER = ("variable.cc", 54, "SplitVariable")
_NOT_FOUND = ("rt_var_manager.cc", 0, "GetVarShapeAndMemory")
_LOOKUP = ("variable.cc", 56, "SplitVariable")
_OPEN = ("file_constant_kernel.cc", 59, "CopyWeightFromFileAsync")
_COPIED = ("file_constant_kernel.cc", 72, "CopyWeightFromFileAsync")
_NO_MEMORY = ("file_constant_kernel.cc", 98, "AllocHbmMemForFileConstant")
_NO_NAME = ("file_constant_kernel.cc", 121, "FileConstantKernel")
_NOT_COPIED = ("file_constant_kernel.cc", 207, "FileConstantKernel")


def split_variable_outputs(context: KernelContext) -> int:
    """Make the shape and the tensor data, for the life of the executor."""
    data = GertTensorData()
    context.outputs[0].own(StorageShape(Shape(), Shape()))
    context.outputs[1].own(data, data.free)
    return Status.SUCCESS


def split_variable(context: KernelContext) -> int:
    """Look a variable up in the session: its shape, and its memory, which stays the session's."""
    session, name, allocator = (cell.value for cell in context.inputs)
    if session is None:
        return context.assert_failed(_SESSION, "Assert ((session) != nullptr) failed")
    if session.var_manager is None:
        return context.assert_failed(_MANAGER, f"Var manager not found when split variable {name}")
    found: Variable | None = session.var_manager.find(name)
    if found is None:
        context.error(_NOT_FOUND, f"Variable [{name}] is not found.")
        text = f"Var manager 0x{session.var_manager.handle:x} get variable '{name}' shape and memory failed"
        return context.assert_failed(_LOOKUP, text)
    shape: StorageShape = context.output(0)
    shape.origin, shape.storage = found.shape.origin, found.shape.storage
    home: SingleStreamL2Allocator = allocator
    data: GertTensorData = context.output(1)
    data.refer(found.data.addr, found.data.size, found.data.placement, home.stream)
    return Status.SUCCESS


def file_constant(context: KernelContext) -> int:
    """Take a constant from the session's memory when it is there, else read its file and copy it to the device."""
    session, name, home, stream, size, folder, file = (cell.value for cell in context.inputs)
    manager: VariableMemory | None = session.var_manager if session is not None else None
    found = manager.find(name) if manager is not None else None
    data: GertTensorData = context.output(0)
    if found is not None:
        data.refer(found.data.addr, found.data.size, found.data.placement, home.stream)
        return Status.SUCCESS
    if folder and not file:
        text = f"File constant weight dir[{folder}] exists, while file name from location is empty."
        return context.assert_failed(_NO_NAME, text)
    block = home.malloc(size)
    if block is None:
        return context.kernel_error(_NO_MEMORY, f"malloc failed, tensor size={size}")
    data.own(block, home.placement, home.stream)
    context.trace(MemAlloc(block.handle, block.addr, block.size, home.stream, size))
    content = _content_of(context, Path(folder) / file, size)
    if content is None:
        return context.assert_failed(_NOT_COPIED, "Failed to copy data to file constant.")
    write_to_device(context.machine.device, stream, Span(data.addr, data.placement), content)
    context.info(_COPIED, f"copy {len(content)} bytes to memory.")
    return Status.SUCCESS


def _content_of(context: KernelContext, path: Path, size: int) -> bytes | None:
    """The bytes of a file from ``offset`` on, ``length`` of them or as many as there is memory; None for no file."""
    attrs = context.node.attrs if context.node is not None else {}
    offset, length = attrs.get("offset"), attrs.get("length")
    try:
        with path.open("rb") as opened:
            opened.seek(offset if isinstance(offset, int) else 0)
            return opened.read(min(length, size) if isinstance(length, int) else size)
    except OSError:
        context.error(_OPEN, f"[Open][File] {path} failed.")
        return None


def file_constant_user_memory(context: KernelContext) -> int:
    """Use memory that the user filled with the file's bytes."""
    address, size = (cell.value for cell in context.inputs)
    data: GertTensorData = context.output(0)
    data.refer(address, size, Placement.DEVICE_HBM, 0)
    context.trace(UserConst(address, size))
    return Status.SUCCESS


KERNELS: Final = (
    Kernel("SplitVariable", split_variable, outputs_creator=split_variable_outputs, critical_section=MEMORY),
    Kernel("FileConstantKernel", file_constant, outputs_creator=tensor_data_outputs, critical_section=MEMORY),
    Kernel(
        "FileConstantUserMemKernel",
        file_constant_user_memory,
        outputs_creator=tensor_data_outputs,
        critical_section=MEMORY,
    ),
)
