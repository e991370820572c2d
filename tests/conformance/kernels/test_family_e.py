"""Family E, weights: the types that constants need on their way to the device (spec/lowering.md 11.E)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from kernel_runs import Workbench, node_info

from getrace.events.memory import MemAlloc, UserConst
from runtime.kernels.context import KernelContext
from runtime.kernels.weights import MemAssigner
from runtime.memory.tensor_data import GertTensorData
from runtime.memory.variables import VariableMemory
from runtime.values import DType, Placement, Shape, StorageShape, WeightSpan

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


@dataclass
class Session:
    """A session as kernels see it."""

    var_manager: VariableMemory | None = None


def with_variable(bench: Workbench) -> Session:
    """A session in which ``v`` holds (1, 2), in memory as a matrix."""
    memory = bench.machine.variables.of(3)
    memory.start()
    shape = StorageShape(Shape((2,)), Shape((1, 2)))
    assert memory.restore("v", shape, 64, np.array([1, 2], np.int32).tobytes())
    return Session(memory)


def test_a_variable_is_found_with_its_shapes_and_stays_the_sessions() -> None:
    bench = Workbench()
    context = bench.context("SplitVariable", with_variable(bench), "v", bench.allocator(), outputs=2)
    assert bench.run(context) == 0
    assert context.output(0) == StorageShape(Shape((2,)), Shape((1, 2)))
    assert (context.output(1).block, context.output(1).placement, context.output(1).stream) == (None, HBM, 0)
    assert bench.read(context.output(1), DType.INT32, (2,)).tolist() == [1, 2]


def test_a_variable_that_nobody_keeps_is_named() -> None:
    bench = Workbench()
    found = with_variable(bench)
    assert found.var_manager is not None
    pointer = f"0x{found.var_manager.handle:x}"
    for session, name in ((None, "v"), (Session(), "v"), (found, "w")):
        context = bench.context("SplitVariable", session, name, bench.allocator(), outputs=2)
        assert bench.run(context) == 1343225857
    assert bench.said() == [
        "Assert ((session) != nullptr) failed",
        "Var manager not found when split variable v",
        "Variable [w] is not found.",
        f"Var manager {pointer} get variable 'w' shape and memory failed",
    ]


def file_context(bench: Workbench, session: Session | None, folder: Path, file: str, **attrs: int) -> KernelContext:
    node = node_info("FileConstant", outputs=[DType.INT32], output_shapes=[(2,)], attrs=attrs)
    inputs = (session, "v", bench.allocator(), bench.stream, 96, str(folder), file)
    return bench.context("FileConstantKernel", *inputs, node=node)


def test_a_constant_comes_out_of_its_file_at_its_offset(tmp_path: Path) -> None:
    bench = Workbench()
    (tmp_path / "w").write_bytes(np.arange(8, dtype=np.int32).tobytes())
    context = file_context(bench, Session(), tmp_path, "w", offset=8, length=8)
    assert bench.run(context) == 0
    data: GertTensorData = context.output(0)
    assert data.block is not None
    assert bench.read(data, DType.INT32, (3,)).tolist() == [2, 3, 0]
    assert MemAlloc(data.block.handle, data.addr, 65536, 0, 96) in [item.event for item in bench.recorder.heard]


def test_a_constant_that_the_session_has_is_not_read_again(tmp_path: Path) -> None:
    bench = Workbench()
    context = file_context(bench, with_variable(bench), tmp_path, "absent")
    assert bench.run(context) == 0
    assert bench.read(context.output(0), DType.INT32, (2,)).tolist() == [1, 2]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    bench = Workbench()
    assert bench.run(file_context(bench, None, tmp_path, "absent")) == 1343225857
    assert bench.run(file_context(bench, None, tmp_path, "")) == 1343225857
    assert bench.said() == [
        f"[Open][File] {tmp_path / 'absent'} failed.",
        "Failed to copy data to file constant.",
        f"File constant weight dir[{tmp_path}] exists, while file name from location is empty.",
    ]


def test_memory_that_the_user_filled_is_used_as_it_is() -> None:
    bench = Workbench()
    context = bench.context("FileConstantUserMemKernel", 0x12C041200000, 64)
    assert bench.run(context) == 0
    assert (context.output(0).addr, context.output(0).size, context.output(0).block) == (0x12C041200000, 64, None)
    assert UserConst(0x12C041200000, 64) in [item.event for item in bench.recorder.heard]
