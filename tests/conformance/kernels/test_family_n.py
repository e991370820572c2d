"""Family N, sequences: each kernel type is run (spec/lowering.md 4.11, 11.N)."""

from typing import Any

import numpy as np
import pytest
from kernel_runs import Workbench, node_info

from runtime.kernels.engine_state import Item
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, Placement, Shape, StorageShape, Tensor

FAILED = 4294967295
F, L = DType.FLOAT, DType.INT64
SESSION, CONTAINER = 7, 1


class Sequences:
    """A session with a container, and operators on it."""

    def __init__(self) -> None:
        self.bench = Workbench()
        create = self.bench.context("CreateSession", SESSION)
        assert self.bench.run(create) == 0
        assert create.output(0) == SESSION

    def handle(self) -> Tensor:
        return self.bench.host_tensor(np.array(-1), L)

    def run(self, kernel: str, *inputs: Any, types: tuple[DType, ...] = (L, F, L)) -> tuple[int, GertTensorData]:
        tensor = self.handle()
        node = node_info(kernel.removesuffix("Compute"), types, [L])
        status = self.bench.run(self.bench.context(kernel, SESSION, CONTAINER, *inputs, tensor, outputs=1, node=node))
        assert tensor.data is not None
        return status, GertTensorData(tensor.data.addr, 8, Placement.HOST, 0)

    def made(self, *arrays: list[float]) -> GertTensorData:
        parts: list[Any] = []
        for values in arrays:
            parts += [self.bench.on_device(np.array(values, np.float32)), StorageShape.same((len(values),))]
        status, handle = self.run("SequenceConstructCompute", len(arrays), *parts, types=(F,))
        assert status == 0
        return handle

    def number(self, value: int) -> GertTensorData:
        return self.bench.on_host(np.array(value))

    def at(self, handle: GertTensorData, index: int) -> list[float] | int:
        bench = self.bench
        node = node_info("SequenceAt", [L, L], [F])
        context = bench.context("SequenceAtCompute", SESSION, CONTAINER, handle, self.number(index), node=node)
        if status := bench.run(context):
            return status
        tensor = context.output(0)
        shape = bench.context("BuildInferShapeFromTensorCompute", tensor)
        address = bench.context("BuildAddrFromTensorCompute", tensor, bench.allocator())
        assert (bench.run(shape), bench.run(address)) == (0, 0)
        return [float(value) for value in bench.read(address.output(0), F, shape.output(0).storage)]

    def length(self, handle: GertTensorData) -> int:
        status, length = self.run("SequenceLengthCompute", handle)
        assert status == 0
        return int(self.bench.read(length, L, ()))


def test_a_sequence_gives_back_what_went_in_counted_from_either_end() -> None:
    run = Sequences()
    handle = run.made([1, 2], [3], [4, 5, 6])
    assert [run.at(handle, index) for index in (0, 1, 2, -1, -3)] == [[1, 2], [3], [4, 5, 6], [4, 5, 6], [1, 2]]
    assert run.length(handle) == 3


def test_a_place_that_is_not_there_is_refused() -> None:
    run = Sequences()
    assert run.at(run.made([1]), 1) == FAILED
    assert run.bench.said() == ["[SequenceAtCompute][k]index 1 is out of range of a sequence of 1"]


def test_an_empty_sequence_has_no_tensor() -> None:
    run = Sequences()
    status, handle = run.run("SequenceEmptyCompute", 0)
    assert (status, run.length(handle)) == (0, 0)


@pytest.mark.parametrize(
    ("place", "expected"), [(None, [[1], [2], [9]]), (0, [[9], [1], [2]]), (-1, [[1], [9], [2]]), (2, [[1], [2], [9]])]
)
def test_a_tensor_is_inserted_and_the_old_sequence_stays(place: int | None, expected: list[list[float]]) -> None:
    run = Sequences()
    old = run.made([1], [2])
    data, shape = run.bench.on_device(np.array([9], np.float32)), StorageShape.same((1,))
    given = [] if place is None else [run.number(place)]
    status, handle = run.run("SequenceInsertCompute", 2 + len(given), old, data, shape, *given)
    assert status == 0
    assert [run.at(handle, index) for index in range(run.length(handle))] == expected
    assert [run.at(old, index) for index in range(run.length(old))] == [[1], [2]]


@pytest.mark.parametrize(("place", "expected"), [(None, [[1], [2]]), (0, [[2], [3]]), (-2, [[1], [3]])])
def test_a_tensor_is_erased(place: int | None, expected: list[list[float]]) -> None:
    run = Sequences()
    given = [] if place is None else [run.number(place)]
    status, handle = run.run("SequenceEraseCompute", 1 + len(given), run.made([1], [2], [3]), *given, types=(L, L))
    assert status == 0
    assert [run.at(handle, index) for index in range(run.length(handle))] == expected


def test_behind_a_step_and_a_session_no_handle_means_anything() -> None:
    run = Sequences()
    for kernel, inputs in (("ClearContainer", (SESSION, CONTAINER)), ("DestroySession", (SESSION,))):
        handle = run.made([1])
        assert run.bench.run(run.bench.context(kernel, *inputs, outputs=0)) == 0
        assert run.at(handle, 0) == FAILED
    assert run.bench.said() == ["[SequenceAtCompute][k]the handle means no sequence of this step"] * 2


def test_a_sequence_owns_its_tensors_until_it_is_cleared() -> None:
    run = Sequences()
    home, data = run.bench.allocator(), GertTensorData()
    block = home.malloc(512)
    assert block is not None
    data.own(block, home.placement, 0)
    status, _ = run.run("SequenceConstructCompute", 1, data, StorageShape.same((2,)), types=(F,))
    kept = run.bench.machine.engines.sessions[SESSION][CONTAINER].sequences[1]
    data.free()
    assert (status, kept) == (0, [Item(Shape((2,)), F, GertTensorData(block.addr, 65536, home.placement, 0, block))])
    assert run.bench.run(run.bench.context("ClearContainer", SESSION, CONTAINER, outputs=0)) == 0
    assert kept[0].data.block is None


def test_a_handle_is_a_scalar() -> None:
    bench = Workbench()
    context = bench.context("GetSequenceHandleShape")
    assert bench.run(context) == 0
    assert context.output(0) == StorageShape.same(())


SPLITS: list[tuple[int, Any, list[list[int]]]] = [
    (0, None, [[1, 3], [1, 3]]),
    (1, np.array(2), [[2, 2], [2, 1]]),
    (-1, np.array([1, 0, 2]), [[2, 1], [2, 0], [2, 2]]),
]


@pytest.mark.parametrize(("axis", "split", "shapes"), SPLITS)
def test_a_tensor_is_split_into_a_sequence(axis: int, split: Any, shapes: list[list[int]]) -> None:
    run = Sequences()
    bench, node = run.bench, node_info("SplitToSequence", [F, L], [L])
    whole = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    x, x_shape = bench.on_device(whole), StorageShape.same((2, 3))
    lengths = [] if split is None else [StorageShape.same(split.shape), bench.on_host(split)]
    count = 1 if split is None else 2
    vector = bench.context("GetSplitVecWithInput", axis, count, x_shape, *lengths, node=node)
    assert bench.run(vector) == 0
    assert [list(shape) for shape in vector.output(0)] == shapes
    pieces = [bench.on_device(np.zeros(shape, np.float32)) for shape in shapes]
    assert (
        bench.run(bench.context("SplitToSequenceDoCompute", axis, x_shape, x, vector.output(0), pieces, node=node)) == 0
    )
    tensor = run.handle()
    what = (SESSION, CONTAINER, pieces, vector.output(0), count, 1, axis, x_shape, tensor)
    assert bench.run(bench.context("StoreSplitTensorToSequence", *what, node=node)) == 0
    assert tensor.data is not None
    handle = GertTensorData(tensor.data.addr, 8, Placement.HOST, 0)
    items = bench.machine.engines.sessions[SESSION][CONTAINER].sequences[1]
    ends = np.cumsum([shape[axis] for shape in shapes])[:-1]
    for item, part in zip(items, np.split(whole, ends, axis), strict=True):
        assert bench.read(item.data, F, item.shape).tolist() == part.tolist()
    assert run.length(handle) == len(shapes)


def test_without_keeping_dimensions_a_row_is_a_vector() -> None:
    run = Sequences()
    pieces = [run.bench.on_device(np.zeros(3, np.float32))]
    what = (SESSION, CONTAINER, pieces, [Shape((1, 3))], 1, 0, 0, StorageShape.same((1, 3)), run.handle())
    node = node_info("SplitToSequence", [F], [L])
    assert run.bench.run(run.bench.context("StoreSplitTensorToSequence", *what, node=node)) == 0
    assert run.bench.machine.engines.sessions[SESSION][CONTAINER].sequences[1][0].shape == (3,)


@pytest.mark.parametrize(("axis", "lengths"), [(2, [1, 2]), (1, [1, 1])])
def test_a_split_that_does_not_fit_is_refused(axis: int, lengths: list[int]) -> None:
    bench = Workbench()
    split = np.array(lengths)
    values = (axis, 2, StorageShape.same((2, 3)), StorageShape.same(split.shape), bench.on_host(split))
    node = node_info("SplitToSequence", [F, L], [L])
    assert bench.run(bench.context("GetSplitVecWithInput", *values, node=node)) == FAILED
