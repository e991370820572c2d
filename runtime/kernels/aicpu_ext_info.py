"""The extended information of an AI CPU task: shapes it is told, shapes it tells (spec/lowering.md 4.5, 11.M)."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from getrace.events.shapes import ExtShapes, ExtShapesOut
from runtime.kernels.aicpu_args import ArgsHandler
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.kernels.sizes import shape_of
from runtime.kernels.status import Status
from runtime.values import Shape, StorageShape, Tensor

_FIRST_SHAPE: Final = 4
_UPDATE = ("aicpu_ext_info_handle.cc", 0, "UpdateExtShape")
_OUTPUT = ("aicpu_ext_info_handle.cc", 376, "CopyOutputShapeForThirdOp")


class ShapeClass(IntEnum):
    """``_unknown_shape_type``: when the shapes of outputs become known (spec/lowering.md 5.3)."""

    IN_SHAPE = 1
    CONST_VALUE = 2
    SHAPE_RANGE = 3
    COMPUTE = 4


@dataclass(slots=True)
class ExtInfo:
    """``AicpuExtInfoHandler``. ``found`` are the shapes that the device wrote after a run of the third class.

    ``told`` says that shapes change from step to step; an operator of fixed shapes belongs to no class.
    """

    name: str
    inputs: list[Shape]
    outputs: list[Shape]
    shape_class: int
    session: int
    workspace: int = 0
    told: bool = False
    found: list[Shape] | None = None


class ExtInput(IntEnum):
    """Inputs of ``BuildExtInfoHandle``."""

    NAME = 2
    INPUT_NUM = 3
    OUTPUT_NUM = 4
    SHAPE_CLASS = 5
    HOST = 6
    SESSION = 8


def ext_info_outputs(context: KernelContext) -> int:
    """Make the handler with the shapes that the model says, for operators whose shapes never change."""
    node = context.node
    inputs, outputs = ((), ()) if node is None else (node.inputs, node.outputs)
    values = [cell.value for cell in context.inputs]
    found = ExtInfo(
        str(values[ExtInput.NAME] or ""),
        [desc.shape for desc in inputs],
        [desc.shape for desc in outputs],
        int(values[ExtInput.SHAPE_CLASS] or 0),
        0,
    )
    context.set(0, found)
    return Status.SUCCESS


def build_ext_info_handle(context: KernelContext) -> int:
    """Join the handler with the argument block in which the information lies."""
    handler: ExtInfo = context.output(0)
    block: ArgsHandler = context.input(ExtInput.HOST)
    block.ext_info = handler
    handler.session = int(context.input(ExtInput.SESSION) or 0)
    return Status.SUCCESS


def update_ext_shape(context: KernelContext) -> int:
    """Tell the task the shapes of this step: of the inputs, and of the outputs as far as they are known."""
    handler, input_num, output_num = (context.input(index) for index in range(_FIRST_SHAPE - 1))
    if handler is None:
        return context.kernel_error(_UPDATE, "Get nullptr ext_handle")
    if not isinstance(handler, ExtInfo):
        # The stand-in of a task without extended information: there is nothing to write the shapes into.
        return Status.SUCCESS
    handler.told = True
    shapes = [shape_of(cell.value).storage for cell in context.inputs[_FIRST_SHAPE:]]
    handler.inputs = shapes[:input_num]
    if len(shapes) > input_num:
        handler.outputs = shapes[input_num : input_num + output_num]
    return Status.SUCCESS


def trace_update(context: KernelContext) -> tuple[ExtShapes, ...]:
    """Say the shapes."""
    handler = context.input(0)
    if not isinstance(handler, ExtInfo):
        return ()
    known = len(context.inputs) - _FIRST_SHAPE > context.input(1)
    outputs = tuple(map(tuple, handler.outputs)) if known else ()
    return (ExtShapes(tuple(map(tuple, handler.inputs)), outputs),)


def update_workspace_info(context: KernelContext) -> int:
    """Tell the task where its workspace is."""
    size, data, handler = (cell.value for cell in context.inputs)
    if isinstance(handler, ExtInfo):
        handler.workspace = data.addr if size else 0
    return Status.SUCCESS


def ext_output_shapes(context: KernelContext) -> int:
    """Read back the shapes that a task of the third class found; the stream has been synchronised before."""
    handler: ExtInfo = context.input(0)
    if handler.found is None:
        text = f"CopyOutputShapeForThirdOp fail, output_shape_len_:{len(handler.outputs)}."
        return context.error(_OUTPUT, text)
    for index, shape in enumerate(handler.found[: len(context.outputs)]):
        _put_shape(context, index, StorageShape(shape, shape))
    return Status.SUCCESS


def _put_shape(context: KernelContext, index: int, shape: StorageShape) -> None:
    """Overwrite the largest shape that memory was made for: the output refers to it."""
    value = context.output(index)
    if isinstance(value, Tensor):
        value.shape = shape
    else:
        context.set(index, shape)


def shape_slots(context: KernelContext) -> int:
    """Give each output a shape to write into, unless it refers to one that is there."""
    for cell in context.outputs:
        if cell.value is None:
            cell.own(Tensor(StorageShape(Shape(), Shape())))
    return Status.SUCCESS


def trace_output_shapes(context: KernelContext) -> tuple[ExtShapesOut, ...]:
    """Say the shapes."""
    shapes = [shape_of(cell.value) for cell in context.outputs]
    return (ExtShapesOut(tuple(tuple(s.origin) for s in shapes), tuple(tuple(s.storage) for s in shapes)),)


KERNELS: Final = (
    Kernel("BuildExtInfoHandle", build_ext_info_handle, outputs_creator=ext_info_outputs),
    Kernel("UpdateExtShape", update_ext_shape, trace_printer=trace_update),
    Kernel("UpdateExtWorkSpaceInfo", update_workspace_info),
    Kernel(
        "GetExtOutputShapes",
        ext_output_shapes,
        outputs_creator=shape_slots,
        trace_printer=trace_output_shapes,
    ),
)
