"""Family R, random numbers, images, flags, prefetching: each kernel type is run (spec/lowering.md 4.7, 11.R)."""

import numpy as np
import pytest
from kernel_runs import Workbench, node_info

from getrace.events.engines import CmoLaunch, StarsLaunch
from runtime.kernels.engines.prefetch import CmoTask
from runtime.kernels.payloads_dsa import DsaSqe
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, StorageShape

FAILED = 4294967295
F, L = DType.FLOAT, DType.INT64


@pytest.mark.parametrize("debug", [False, True])
def test_flags_are_read_into_the_output_and_cleared_in_the_order_of_the_stream(*, debug: bool) -> None:
    bench, word = Workbench(), "Debug" if debug else ""
    engines = bench.machine.engines
    (engines.debug_overflow if debug else engines.overflow)[:] = [1, 0, 0, 7, 0, 0, 0, 2]
    first, second = bench.on_device(np.zeros(8, np.uint32)), bench.on_device(np.ones(8, np.uint32))
    for output, clears in ((first, True), (second, False)):
        args = bench.context("NpuGetFloatStatusArgs", output)
        assert bench.run(args) == 0
        device_args = bench.on_device(np.zeros(1, np.uint64))
        node = node_info(f"NPUGetFloat{word}Status")
        read = bench.context(f"NpuGetFloat{word}Status", device_args, args.output(0), bench.stream, node=node)
        assert bench.run(read) == 0
        if clears:
            assert bench.run(bench.context(f"NpuClearFloat{word}Status", bench.stream, node=node)) == 0
    assert bench.read(first, DType.UINT32, (8,)).tolist() == [1, 0, 0, 7, 0, 0, 0, 2]
    assert bench.read(second, DType.UINT32, (8,)).tolist() == [0] * 8


@pytest.mark.parametrize(("limit", "offset", "length"), [(1 << 20, 0, 48), (1 << 20, 16, 32), (20, 16, 20)])
def test_a_prefetch_asks_for_the_tensor_from_an_offset_and_within_its_limit(
    limit: int, offset: int, length: int
) -> None:
    bench = Workbench()
    init = bench.context("InitCmoArgs", 6)
    assert bench.run(init) == 0
    task, data = init.output(0), bench.on_device(np.zeros(12, np.float32))
    shape = StorageShape.same((3, 4))
    assert bench.run(bench.context("UpdatePrefetchTaskInfo", task, data, shape, F, limit, offset)) == 0
    assert task == CmoTask(6, data.addr + offset, length)
    launch = bench.context("LaunchCmoTask", task, bench.stream, node=node_info("Cmo"))
    assert bench.run(launch) == 0
    assert bench.traces(launch) == [CmoLaunch(length, data.addr + offset, bench.stream)]
    assert bench.machine.device.synchronize(bench.stream) == 0
    assert bench.machine.engines.prefetched == [(data.addr + offset, length)]


def test_a_prefetch_behind_the_end_of_its_tensor_is_refused() -> None:
    bench = Workbench()
    values = (CmoTask(), bench.on_device(np.zeros(2, np.float32)), StorageShape.same((2,)), F, 100, 8)
    assert bench.run(bench.context("UpdatePrefetchTaskInfo", *values)) == FAILED
    assert bench.said() == ["[UpdatePrefetchTaskInfo][k]offset 8 is out of the tensor of 8 bytes"]


class Random:
    """One random number operator: an entry, its workspaces, and a launch."""

    def __init__(self, type_name: str, dtype: DType, count: int, *, workspaces: int = 2) -> None:
        self.bench = Workbench()
        self.node = node_info(type_name, [L, L, F, F], [dtype])
        self.output = self.bench.on_device(np.zeros(count * dtype.size, np.uint8))
        self.work = [self.bench.on_device(np.zeros(2, np.int64)) for _ in range(workspaces)]
        self.sqe = DsaSqe()
        self.dtype, self.count = dtype, count

    def draw(
        self,
        seed: str = "7",
        parameters: tuple[str, str] = ("0", "1"),
        by_address: tuple[GertTensorData, ...] = (),
    ) -> list[float]:
        bench = self.bench
        inputs = by_address or tuple(GertTensorData() for _ in range(4))
        flag = int(bool(by_address))
        facts = (flag, flag, seed, str(self.count), flag, *parameters, len(inputs), 1)
        values = (self.sqe, self.work, [16], bench.stream, *facts, *inputs, self.output)
        assert bench.run(bench.context("UpdateSqeArg", *values, outputs=0, node=self.node)) == 0
        launch = bench.context("StarsTaskLaunchKernel", self.sqe, 64, bench.stream, node=self.node)
        assert bench.run(launch) == 0
        assert bench.traces(launch) == [StarsLaunch(self.sqe.handle, 64, bench.stream)]
        return list(map(float, bench.read(self.output, self.dtype, (self.count,))))


def test_uniform_numbers_lie_between_the_parameters_and_repeat_with_the_seed() -> None:
    drawn = Random("DSAStatelessRandomUniform", F, 1000, workspaces=1).draw("7", ("-2", "3"))
    assert -2 <= min(drawn) < -1.9
    assert 2.9 < max(drawn) <= 3
    assert drawn == Random("DSAStatelessRandomUniform", F, 1000, workspaces=1).draw("7", ("-2", "3"))
    assert drawn != Random("DSAStatelessRandomUniform", F, 1000, workspaces=1).draw("8", ("-2", "3"))


def test_an_operator_with_a_state_goes_on_and_a_stateless_one_begins_again() -> None:
    stateful, stateless = Random("DSARandomUniform", F, 50), Random("DSAStatelessRandomUniform", F, 50, workspaces=1)
    first, second = stateful.draw(), stateful.draw()
    assert not set(first) & set(second)
    assert bytes(stateful.bench.read(stateful.work[0], L, (2,)).tobytes())[:8] == (100).to_bytes(8, "little")
    assert stateless.draw() == stateless.draw() == first


@pytest.mark.parametrize(
    ("type_name", "low", "high", "spread"),
    [("DSARandomNormal", 4.8, 5.2, 1.8), ("DSARandomTruncatedNormal", 4.8, 5.2, 1.5)],
)
def test_normal_numbers_have_their_mean_and_deviation(type_name: str, low: float, high: float, spread: float) -> None:
    drawn = np.array(Random(type_name, F, 4000).draw("1", ("5", "2")))
    assert low < drawn.mean() < high
    assert spread < drawn.std() < 2.1
    assert (np.abs(drawn - 5).max() <= 4) == ("Truncated" in type_name)


def test_a_mask_has_a_bit_per_element() -> None:
    mask = Random("DSAGenBitMask", DType.UINT8, 1000)
    bits = np.unpackbits(np.array(mask.draw("3", ("0.25", "0")), np.uint8))[:1000]
    assert 200 < bits.sum() < 300


def test_seed_count_and_parameters_may_be_addresses() -> None:
    by_value = Random("DSAStatelessRandomUniform", F, 64, workspaces=1).draw("7", ("-2", "3"))
    run = Random("DSAStatelessRandomUniform", F, 64, workspaces=1)
    given = [np.array(64), np.array(7), np.array(-2, np.float32), np.array(3, np.float32)]
    assert run.draw("0", ("", ""), tuple(map(run.bench.on_device, given))) == by_value


def test_brain_floats_are_the_upper_halves_of_floats() -> None:
    plain = np.array(Random("DSAStatelessRandomUniform", F, 8, workspaces=1).draw(), np.float32)
    halves = Random("DSAStatelessRandomUniform", DType.BF16, 8, workspaces=1).draw()
    assert halves == [float(bits) for bits in plain.view(np.uint32) >> 16]


def test_an_unknown_distribution_is_refused() -> None:
    run = Random("DSARandomGamma", F, 8)
    values = (run.sqe, run.work, [16], run.bench.stream, 0, 0, "1", "8", 0, "0", "1", 0, 1, run.output)
    assert run.bench.run(run.bench.context("UpdateSqeArg", *values, outputs=0, node=run.node)) == FAILED


def test_an_image_operator_computes_what_its_row_says() -> None:
    bench, node = Workbench(), node_info("Add", [F, F], [F])
    shape = StorageShape.same((2, 2))
    sizes = bench.context("CalcDvppWorkSpaceSize", shape, shape, shape)
    assert bench.run(sizes) == 0
    assert sizes.output(0) == [1536]
    x, y = bench.on_device(np.array([1, 2, 3, 4], np.float32)), bench.on_device(np.array([10, 20, 30, 40], np.float32))
    out = bench.on_device(np.zeros(4, np.float32))
    launch = bench.context(
        "GenerateSqeAndLaunchTask", shape, shape, shape, x, y, out, [], 16, [1536], bench.stream, node=node
    )
    assert bench.run(launch) == 0
    assert bench.read(out, F, (4,)).tolist() == [11, 22, 33, 44]
    assert launch.output(0) > 0
