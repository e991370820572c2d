"""A row of the library, and how it becomes an operator: definition, shape inference, tiling, kernel.

The rows hold pure functions on shapes and arrays. The contexts of GE are met here and nowhere else, so a table stays a
table.
"""

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from runtime.ops.context import InferShapeContext, TilingContext
from runtime.ops.op_def import (
    DYNAMIC,
    GRAPH_FAILED,
    GRAPH_SUCCESS,
    AiCoreConfig,
    Array,
    Compute,
    Evaluate,
    InferShape,
    InferShapeRange,
    IoDef,
    KernelArgs,
    OpDef,
    Result,
)
from runtime.ops.range_context import InferShapeRangeContext
from runtime.ops.registry import (
    OpRegistry,
    impl_op_infershape,
    impl_op_infershaperange,
    impl_op_optiling,
    kernel_binary,
    op_add,
)
from runtime.ops.shape import GertShape
from runtime.values import DType, Shape

COMPUTED: Final = (
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
    DType.COMPLEX64,
    DType.COMPLEX128,
)
"""Types that numpy computes with; bytes of another type would be computed as the integers they are not."""

_CORES: Final = 8
_ELEMENTS_PER_CORE: Final = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """What a shape rule may look at: shapes, types, attributes, and the elements of inputs it depends on."""

    shapes: tuple[Shape, ...]
    dtypes: tuple[DType, ...]
    output_dtypes: tuple[DType, ...]
    outputs: int
    attrs: Mapping[str, Any]
    elements: Callable[[int], Array | None]


ShapeRule = Callable[[Asked], Sequence[Iterable[int]]]
"""The dimensions of each output. A ValueError says that inputs do not fit together."""


@dataclass(frozen=True, slots=True)
class Row:
    """One operator. An input name that ends in ``*`` takes any number of tensors.

    ``depends`` are the inputs whose elements the shape depends on. ``least`` makes it an operator that tells its shapes
    only after it ran: ``shapes`` are then the largest possible and ``least`` the smallest.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    shapes: ShapeRule
    evaluate: Evaluate
    depends: tuple[int, ...] = ()
    least: ShapeRule | None = None


class LibraryTilingData(ctypes.LittleEndianStructure):
    """What tiling tells the kernels of the library: how many elements the first output has."""

    _fields_ = (("totalLength", ctypes.c_int64),)
    totalLength: int  # noqa: N815 - the name in the structure that host and device share


def register_rows(ops: OpRegistry, rows: Iterable[Row]) -> None:
    """Enter rows into a registry. Raises InternalError when a type has an operator."""
    for row in rows:
        inputs, outputs = map(_io, row.inputs), map(_io, row.outputs)
        aicore = {"ascend910b": AiCoreConfig(dynamic_shape=True)}
        definition = OpDef(
            row.name,
            tuple(inputs),
            tuple(outputs),
            aicore,
            evaluate=row.evaluate,
            data_dependency=row.depends,
            any_mixture=True,
        )
        op_add(ops, definition)
        impl_op_infershape(ops, row.name, infer_shape_by(row.shapes))
        impl_op_optiling(ops, row.name, _tiling, LibraryTilingData)
        kernel_binary(ops, row.name, _kernel(row.evaluate))
        if row.least is not None:
            impl_op_infershaperange(ops, row.name, _infer_range(row.least, row.shapes))


def _io(name: str) -> IoDef:
    if name.endswith("*"):
        return IoDef(name[:-1], COMPUTED, param=DYNAMIC)
    return IoDef(name, COMPUTED)


def infer_shape_by(rule: ShapeRule) -> InferShape:
    """Turn a rule into an author's shape function."""

    def infer_shape(context: InferShapeContext) -> int:
        numbers = range(context.get_input_num())
        asked = Asked(
            tuple(context.get_input_shape(index).shape for index in numbers),
            context.dtypes,
            context.output_dtypes,
            len(context.output_shapes),
            context.get_attrs(),
            partial(_elements, context),
        )
        try:
            found = rule(asked)
        except ValueError:
            return GRAPH_FAILED
        for index, dims in enumerate(found):
            output = context.get_output_shape(index)
            wanted = Shape(dims)
            output.set_dim_num(len(wanted))
            for at, dim in enumerate(wanted):
                output.set_dim(at, dim)
        return GRAPH_SUCCESS

    return infer_shape


def _infer_range(least: ShapeRule, most: ShapeRule) -> InferShapeRange:
    def infer_range(context: InferShapeRangeContext) -> int:
        inputs = [context.get_input_shape_range(index).most.shape for index in range(context.get_input_num())]
        outputs = len(context.output_ranges)
        asked = Asked(tuple(inputs), (), (), outputs, context.get_attrs(), lambda _index: None)
        for found, low, high in zip(context.output_ranges, least(asked), most(asked), strict=True):
            found.least, found.most = GertShape(low), GertShape(high)
        return GRAPH_SUCCESS

    return infer_range


def _elements(context: InferShapeContext, index: int) -> Array | None:
    tensor = context.get_input_tensor(index)
    return None if tensor is None else tensor.get_data()


def _tiling(context: TilingContext) -> int:
    tiling = context.get_tiling_data(LibraryTilingData)
    if tiling is None:
        return GRAPH_FAILED
    tiling.totalLength = context.get_output_shape(0).get_storage_shape().get_shape_size()
    context.set_block_dim(min(_CORES, max(1, -(-tiling.totalLength // _ELEMENTS_PER_CORE))))
    return GRAPH_SUCCESS


def _kernel(evaluate: Evaluate) -> Compute:
    def kernel(args: KernelArgs) -> None:
        shaped = [array.reshape(shape) for array, shape in zip(args.inputs, args.input_shapes, strict=True)]
        wanted = [Result(_dtype_of(out), shape) for out, shape in zip(args.outputs, args.output_shapes, strict=True)]
        for index, found in enumerate(evaluate(shaped, args.attrs, wanted)):
            out = args.outputs[index]
            out[: found.size] = found.astype(out.dtype).reshape(-1)
            if args.shape_buffer is not None:
                args.tell_shape(index, found.shape)

    return kernel


def _dtype_of(array: Array) -> DType:
    """Give a type that lies in memory as the array does: the first of GE's numbers among equals."""
    return next(dtype for dtype in COMPUTED if dtype.numpy == array.dtype)


def elementwise(function: Callable[..., Array]) -> Evaluate:
    """Turn a function on arrays into the one output of an operator."""
    return lambda arrays, _attrs, _wanted: (np.asarray(function(*arrays)),)
