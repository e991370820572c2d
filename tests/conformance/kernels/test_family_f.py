"""Family F, tensors built and taken apart: each kernel type is run (spec/lowering.md 11.F, execution.md 5.9)."""

from collections.abc import Sequence

import numpy as np
import pytest
from kernel_runs import Workbench

from getrace.events.shapes import ShapeTensorBuilt
from runtime.kernels.context import ComputeNodeInfo, IoDesc
from runtime.kernels.payloads import BuildTensorAttr
from runtime.memory.l2_single import SingleStreamBlock
from runtime.memory.tensor_data import GertTensorData, give_out
from runtime.values import (
    ConstTensor,
    DType,
    Format,
    Placement,
    Shape,
    StorageFormat,
    StorageShape,
    Tensor,
    TensorData,
)

HBM, HOST = Placement.DEVICE_HBM, Placement.HOST
FAILED, PARAM_INVALID = 4294967295, 1343225857
ATTR = BuildTensorAttr(HOST, DType.INT32, Format.NCHW, Format.ND)
SHAPE = StorageShape(Shape((2, 2)), Shape((4,)))


def owned(bench: Workbench) -> GertTensorData:
    context = bench.context("AllocMemHbm", bench.allocator(), 100)
    assert bench.run(context) == 0
    data: GertTensorData = context.output(0)
    return data


@pytest.mark.parametrize("kernel", ["BuildTensor", "BuildTensorPureShape", "BuildTensorStorage"])
def test_a_built_tensor_is_one_more_owner_of_its_bytes(kernel: str) -> None:
    bench = Workbench()
    data = owned(bench)
    context = bench.context(kernel, SHAPE, data, ATTR)
    assert bench.run(context) == 0
    tensor: Tensor = context.output(0)
    assert (tensor.shape, tensor.dtype, tensor.format) == (SHAPE, DType.INT32, StorageFormat(Format.ND, Format.NCHW))
    assert tensor.data is not None
    assert (tensor.data.addr, tensor.data.placement) == (data.addr, HBM)
    address = data.addr
    data.free()
    assert bench.machine.device.hbm.read(address, 100) == bytes(100)
    assert tensor.data.manager is not None


def test_a_reference_owns_nothing() -> None:
    bench = Workbench()
    data = GertTensorData(0x1000, 16, HOST)
    context = bench.context("BuildRefTensor", Tensor(SHAPE), data, ATTR)
    assert bench.run(context) == 0
    assert context.output(0).data == TensorData(0x1000, 16, HOST)


@pytest.mark.parametrize("kernel", ["BuildTensor", "BuildRefTensor"])
def test_a_tensor_of_nothing_is_refused(kernel: str) -> None:
    bench = Workbench()
    assert bench.run(bench.context(kernel, SHAPE, None, ATTR)) == PARAM_INVALID


def test_an_input_is_taken_apart_and_stays_the_callers() -> None:
    bench = Workbench()
    tensor = bench.host_tensor(np.array([1, 2], np.int32), DType.INT32)
    context = bench.context("SplitDataTensor", tensor, bench.allocator(), outputs=2)
    assert bench.run(context) == 0
    assert (context.output(0).shape, context.output(0).dtype) == (StorageShape.same((2,)), DType.INT32)
    assert bench.read(context.output(1), DType.INT32, (2,)).tolist() == [1, 2]
    assert context.output(1).block is None


def test_a_constant_lies_in_host_memory_before_the_first_run() -> None:
    bench = Workbench()
    constant = ConstTensor(Shape((2,)), DType.INT32, StorageFormat(), np.array([5, 6], np.int32).tobytes())
    context = bench.context("SplitConstTensor", constant, 0, outputs=2)
    assert bench.run(context) == 0
    assert context.output(0).shape == StorageShape.same((2,))
    assert bench.read(context.output(1), DType.INT32, (2,)).tolist() == [5, 6]


def output_of(bench: Workbench, size: int) -> Tensor:
    array = bench.on_device(np.zeros(size, np.uint8))
    return Tensor(StorageShape.same((4,)), DType.INT32, data=TensorData(array.addr, size, HBM))


@pytest.mark.parametrize("sizes", [(), (64,)])
def test_an_output_that_is_always_the_callers_is_taken_apart(sizes: Sequence[int]) -> None:
    bench = Workbench()
    output = output_of(bench, 16)
    context = bench.context("SplitTensorForOutputData", output, bench.allocator(), *sizes, outputs=2)
    assert bench.run(context) == 0
    assert context.output(0).shape == StorageShape.same((4,))
    assert output.data is not None
    assert (context.output(1).addr, context.output(1).size) == (output.data.addr, 16)


def test_an_output_that_a_manager_owns_is_owned_by_the_kernels_too() -> None:
    bench = Workbench()
    data = owned(bench)
    output = Tensor(StorageShape.same((4,)), DType.INT32, data=TensorData())
    assert output.data is not None
    give_out(data, output.data)
    context = bench.context("SplitTensorForOutputData", output, bench.allocator(), outputs=2)
    assert bench.run(context) == 0
    assert context.output(1).block is not None


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (
            None,
            "In the `always_zero_copy` mode, the output tensor and tensor data must be allocated by the called",
        ),
        (
            Tensor(StorageShape.same((4,)), DType.INT32, data=TensorData()),
            "In the `always_zero_copy` mode, the output tensor and tensor data must be allocated by the called",
        ),
        (
            Tensor(StorageShape.same((4,)), DType.INT32, data=TensorData(0x10, 12, HBM)),
            "The output tensor memory size[12] is smaller than the actual size[16] required by tensor.",
        ),
    ],
)
def test_an_output_that_the_caller_owes_is_refused(output: Tensor | None, text: str) -> None:
    bench = Workbench()
    context = bench.context("SplitTensorForOutputData", output, bench.allocator(), outputs=2)
    assert bench.run(context) == PARAM_INVALID
    assert bench.said() == [text]


def shape_node(dtype: DType, outputs: int) -> ComputeNodeInfo:
    return ComputeNodeInfo("shape", "ShapeN", (), (IoDesc(dtype),) * outputs)


@pytest.mark.parametrize("dtype", [DType.INT32, DType.INT64])
def test_shapes_become_tensors(dtype: DType) -> None:
    bench = Workbench()
    shapes = (StorageShape.same((1, 2)), StorageShape.same((3,)))
    context = bench.context("BuildShapeTensorData", *shapes, outputs=2, node=shape_node(dtype, 2))
    assert bench.run(context) == 0
    assert bench.read(context.output(0), dtype, (2,)).tolist() == [1, 2]
    assert bench.read(context.output(1), dtype, (1,)).tolist() == [3]
    assert context.output(1).size == 25 * dtype.size
    assert bench.traces(context) == [
        ShapeTensorBuilt(dtype.ge_name, ", output[0], value: [1, 2, ] , output[1], value: [3, ]")
    ]


def test_a_dimension_that_is_not_known_is_printed_without_its_sign() -> None:
    bench = Workbench()
    context = bench.context("BuildShapeTensorData", StorageShape.same((-1,)), node=shape_node(DType.INT32, 1))
    assert bench.run(context) == 0
    assert bench.traces(context) == [ShapeTensorBuilt("DT_INT32", ", output[0], value: [4294967295, ]")]


def test_a_shape_of_another_type_cannot_be_built() -> None:
    bench = Workbench()
    with pytest.raises(AssertionError):
        bench.context("BuildShapeTensorData", StorageShape.same(()), node=shape_node(DType.FLOAT, 1))
    assert bench.said() == ["only support DT_INT32 and DT_INT64, but out_data_type is DT_FLOAT"]


def test_a_bare_address_becomes_tensor_data_that_nobody_owns() -> None:
    bench = Workbench()
    context = bench.context("BuildUnmanagedTensorData", 0x7000, 3)
    assert bench.run(context) == 0
    assert context.output(0) == GertTensorData(0x7000, 0, HOST, 3)


def test_a_result_goes_where_the_caller_wants_it() -> None:
    bench = Workbench()
    result = bench.on_device(np.array([7, 8], np.int32), 32)
    wanted = bench.host_tensor(np.zeros(2, np.int32), DType.FLOAT)
    inputs = (StorageShape.same((2,)), result, ATTR, bench.stream, wanted)
    assert bench.run(bench.context("EnsureTensorAtOutMemory", *inputs, outputs=0)) == 0
    assert wanted.data is not None
    there = GertTensorData(wanted.data.addr, 8, HOST)
    assert bench.read(there, DType.INT32, (2,)).tolist() == [7, 8]
    assert (wanted.shape, wanted.dtype) == (StorageShape.same((2,)), DType.INT32)


def test_a_host_tensor_is_copied_to_memory_of_its_own() -> None:
    bench = Workbench()
    source = bench.on_host(np.array([3, 4], np.int32))
    context = bench.context("CopyTensorDataH2H", source, StorageShape.same((2,)), DType.INT32, bench.allocator(HOST))
    assert bench.run(context) == 0
    copy: GertTensorData = context.output(0)
    bench.machine.device.host.write(source.addr, bytes(8))
    assert bench.read(copy, DType.INT32, (2,)).tolist() == [3, 4]
    assert (copy.placement, copy.size) == (HOST, 64)


def test_an_input_that_is_not_fed_gives_nothing() -> None:
    bench = Workbench()
    context = bench.context("UnfedData", outputs=2)
    assert bench.run(context) == 0
    assert [context.output(0), context.output(1)] == [None, None]


def test_shapes_are_copied() -> None:
    bench = Workbench()
    context = bench.context("IdentityShape", Tensor(SHAPE), StorageShape.same((9,)), outputs=2)
    assert bench.run(context) == 0
    assert [context.output(0), context.output(1)] == [SHAPE, StorageShape.same((9,))]
    assert context.output(0) is not SHAPE


def test_addresses_are_shared() -> None:
    bench = Workbench()
    data = owned(bench)
    context = bench.context("IdentityAddr", data)
    assert bench.run(context) == 0
    assert context.output(0) == data
    assert isinstance(data.block, SingleStreamBlock)
    assert data.block.count == 2


def test_shapes_come_first_and_addresses_second() -> None:
    bench = Workbench()
    data = owned(bench)
    context = bench.context("IdentityShapeAndAddr", SHAPE, data, outputs=2)
    assert bench.run(context) == 0
    assert [context.output(0), context.output(1).addr] == [SHAPE, data.addr]


def test_a_pointer_is_the_very_value_of_its_input() -> None:
    bench = Workbench()
    value = [1, 2]
    context = bench.context("PointFromInputs", value)
    assert bench.run(context) == 0
    assert context.output(0) is value
    context.outputs[0].release()
    assert value == [1, 2]
