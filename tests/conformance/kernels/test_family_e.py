"""Family E, weights: the types that constants need on their way to the device (spec/lowering.md 11.E)."""

import numpy as np
import pytest
from kernel_runs import Workbench

from runtime.kernels.weights import MemAssigner
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, Placement, WeightSpan

HBM = Placement.DEVICE_HBM


@pytest.mark.parametrize(("outer", "own"), [((0x5000, 2048), False), ((0x5000, 8), True), ((0, 0), True)])
def test_memory_that_the_caller_appoints_is_used_when_it_is_large_enough(outer: tuple[int, int], *, own: bool) -> None:
    bench = Workbench()
    context = bench.context("GetOrCreateWeightMem", 1024, outer, bench.allocator())
    assert bench.run(context) == 0
    data: GertTensorData = context.output(0)
    assert (data.block is not None) == own
    assert (data.addr == 0x5000) != own


def test_a_constant_gets_its_piece_and_its_bytes() -> None:
    bench = Workbench()
    weights = np.arange(4, dtype=np.int32)
    base = bench.on_device(np.zeros(64, np.uint8))
    assigner = bench.context("CreateMemAssigner", base)
    assert bench.run(assigner) == 0
    assert assigner.output(0) == MemAssigner(base)
    piece = bench.context("AssignWeightMemory", WeightSpan(32, 16), assigner.output(0), 0)
    assert bench.run(piece) == 0
    assert (piece.output(0).addr, piece.output(0).size) == (base.addr + 32, 16)
    sunk = bench.context("SinkWeightData", bench.on_host(weights), piece.output(0), 0, bench.stream)
    assert bench.run(sunk) == 0
    assert bench.read(sunk.output(0), DType.INT32, (4,)).tolist() == [0, 1, 2, 3]
    assert sunk.output(0).placement == HBM
