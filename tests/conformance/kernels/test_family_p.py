"""Family P, facts about shapes: each kernel type is run (spec/lowering.md 11.P)."""

from collections.abc import Sequence
from typing import Any

import pytest
from kernel_runs import Workbench, node_info

from getrace.events.shapes import DynamicShape
from runtime.kernels.context import Cell, ComputeNodeInfo
from runtime.values import DType, Placement, StorageShape

I32 = DType.INT32


def run(
    bench: Workbench, kernel: str, node: ComputeNodeInfo, values: Sequence[Any], dims: Sequence[int], dtype: DType
) -> Any:
    context = bench.context(kernel, *values, node=node)
    assert bench.run(context) == 0
    assert context.output(0).placement == Placement.HOST
    return bench.read(context.output(0), dtype, dims).tolist()


def shapes(*dims: tuple[int, ...]) -> list[StorageShape]:
    return [StorageShape.same(each) for each in dims]


@pytest.mark.parametrize(
    ("kernel", "given", "dtype", "expected"),
    [
        ("RankKernel", (4, 5, 6), DType.INT32, 3),
        ("RankKernel", (), DType.INT64, 0),
        ("GetShapeSizeKernel", (4, 5, 6), DType.INT32, 120),
        ("GetShapeSizeKernel", (4, 0), DType.INT64, 0),
    ],
)
def test_a_shape_is_counted_in_the_type_of_the_output(
    kernel: str, given: tuple[int, ...], dtype: DType, expected: int
) -> None:
    node = node_info("Rank", (DType.FLOAT,), (dtype,))
    assert run(Workbench(), kernel, node, shapes(given), (), dtype) == expected


def test_dimensions_are_gathered_by_pairs_of_input_and_dimension() -> None:
    node = node_info("GatherShapes", (I32, I32), (I32,), attrs={"axes": ((1, 0), (0, 2), (0, 0))})
    assert run(Workbench(), "GatherShapesKernel", node, shapes((4, 5, 6), (7,)), (3,), I32) == [7, 6, 4]


def test_a_pair_that_names_no_dimension_is_refused() -> None:
    bench = Workbench()
    node = node_info("GatherShapes", (I32,), (I32,), attrs={"axes": ((0, 3),)})
    assert bench.run(bench.context("GatherShapesKernel", *shapes((4, 5)), node=node)) == 4294967295
    assert bench.said() == ["[GatherShapesKernel][k]Invalid axes [0, 3]"]


def test_the_dimensions_that_choose_a_gear_are_those_of_the_index() -> None:
    """The shapes, the index and the result are those of a truth case with three inputs."""
    bench = Workbench()
    index = ((0, 3), (0, 3), (3,))
    given = shapes(*[(8, 3, 1, 100)] * 3)
    context = bench.context("GetCurDynamicShape", StorageShape.same((5,)), index, *given)
    assert bench.run(context) == 0
    assert bench.read(context.output(0), I32, (5,)).tolist() == [8, 100, 8, 100, 100]
    assert bench.traces(context) == [DynamicShape((8, 100, 8, 100, 100))]


def test_an_index_beyond_a_shape_is_refused() -> None:
    bench = Workbench()
    context = bench.context("GetCurDynamicShape", StorageShape.same((1,)), ((4,),), *shapes((8, 3)))
    assert bench.run(context) == 4294967295
    assert bench.said() == ["[GetCurDynamicShape][k]Invalid dim index [4] of shape [8,3]"]


def test_memory_of_a_value_is_made_once_and_goes_with_the_executor() -> None:
    bench = Workbench()
    host = bench.machine.device.host
    before = host.used
    shape = Cell(StorageShape.same((2, 2)))
    context = bench.context("RankKernel", shape, node=node_info("Rank", (), (I32,)))
    assert bench.run(context) == 0
    address = context.output(0).addr
    shape.value = StorageShape.same((2,))
    assert bench.run(context) == 0
    assert context.output(0).addr == address
    assert bench.read(context.output(0), I32, ()) == 1
    context.outputs[0].release()
    assert host.used == before
