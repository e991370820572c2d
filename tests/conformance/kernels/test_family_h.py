"""Family H, sizes: each kernel type is run (spec/lowering.md 11.H)."""

import numpy as np
import pytest
from kernel_runs import Workbench

from getrace.events.shapes import TensorSize
from runtime.values import DType, Placement, Shape, StorageShape

FAILED = 4294967295
SHAPE = StorageShape(Shape((2, 3)), Shape((16,)))


@pytest.mark.parametrize(
    ("kernel", "size", "dims"),
    [
        ("CalcTensorSizeFromShape", 64, (2, 3)),
        ("CalcTensorSizeFromStorage", 96, (16,)),
        ("CalcUnalignedTensorSizeFromStorage", 64, (16,)),
    ],
)
def test_a_tensor_takes_its_elements_and_some_room(kernel: str, size: int, dims: tuple[int, ...]) -> None:
    bench = Workbench()
    context = bench.context(kernel, DType.FLOAT, SHAPE)
    assert bench.run(context) == 0
    assert context.output(0) == size
    assert bench.traces(context) == [TensorSize(0, dims, size)]


def test_sizes_of_several_shapes_come_together() -> None:
    bench = Workbench()
    context = bench.context("CalcTensorSizeFromSpecifiedShape", DType.INT8, [Shape((1,)), Shape((33,)), Shape(())])
    assert bench.run(context) == 0
    assert context.output(0) == [64, 96, 64]


def strings(*lengths: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Heads of (address, length), then each text with a zero behind it."""
    heads = np.array([(0, length) for length in lengths], "<i8").tobytes()
    return np.frombuffer(heads + bytes(sum(lengths) + len(lengths)), np.uint8)


@pytest.mark.parametrize("placement", [Placement.HOST, Placement.DEVICE_HBM])
def test_strings_take_their_heads_and_their_texts(placement: Placement) -> None:
    bench = Workbench()
    data = bench.on_host(strings(5, 20)) if placement.on_host else bench.on_device(strings(5, 20))
    context = bench.context("CalcStringTensorSize", DType.STRING, StorageShape.same((2,)), data, bench.stream)
    assert bench.run(context) == 0
    assert context.output(0) == 96  # 2 heads of 16, 6 and 21 bytes of text: 59, up to 64, and 32 more


@pytest.mark.parametrize(
    ("dtype", "count", "content", "text"),
    [
        (DType.INT8, 1, strings(1), "[Calc][String] data_type[2] is not DT_STRING"),
        (
            DType.STRING,
            3,
            strings(1, 1),
            "[Calc][String]src tensor size [36] is less than calc string head size [48]",
        ),
        (
            DType.STRING,
            1,
            strings(9)[:20],
            "[Calc][String]src tensor size [20] is less than calc string real size [26]",
        ),
    ],
)
def test_strings_that_are_not_there_are_refused(
    dtype: DType, count: int, content: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], text: str
) -> None:
    bench = Workbench()
    inputs = (dtype, StorageShape.same((count,)), bench.on_host(content), bench.stream)
    assert bench.run(bench.context("CalcStringTensorSize", *inputs)) == FAILED
    assert bench.said() == [text]
