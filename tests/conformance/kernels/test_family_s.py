"""Family S, MixL2 operators as FFTS+ tasks: each kernel type that runs is run (spec/lowering.md 4.10, 11.S)."""

import numpy as np
import pytest
from kernel_runs import Workbench, node_info

from getrace.events.engines import FftsArgs, FftsMemoryOk, FftsWords
from runtime.kernels.engines.ffts_block import FftsTaskInfo, NodeMemory, bytes_of, words_of
from runtime.kernels.payloads import FftsTask, KernelBinary, MemorySlice
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, StorageShape

FAILED = 4294967295
F = DType.FLOAT
ADD = node_info("Add", [F, F], [F])
SHAPE = StorageShape.same((2,))


class Task:
    """A task with its block of 64 bytes for descriptors and 64 for arguments."""

    def __init__(self) -> None:
        self.bench = Workbench()
        self.host, self.device = (
            self.bench.on_host(np.zeros(128, np.uint8)),
            self.bench.on_device(np.zeros(128, np.uint8)),
        )
        self.part = self.cut(MemorySlice(0, 64))
        prepare = self.bench.context("FftsTaskInfoPreProc", FftsTask("op", 2), self.part)
        assert self.bench.run(prepare) == 0
        self.info: FftsTaskInfo = prepare.output(0)

    def cut(self, where: MemorySlice) -> NodeMemory:
        assign = self.bench.context("NodeMemParaAssign", where, 3, self.device, self.host, outputs=2)
        assert self.bench.run(assign) == 0
        part: NodeMemory = assign.output(0)
        assert (part.host, part.device) == (self.host.addr + where.offset, self.device.addr + where.offset)
        return part

    def filled(self, *data: GertTensorData) -> tuple[int, ...]:
        bench, binary = self.bench, KernelBinary("Add", "_mix_aic")
        sink = bench.context("SinkMixStaticNodeBin", 1, 0, "", "_mix_aic", "_mix_aicop", "", binary, node=ADD)
        assert bench.run(sink) == 0
        args = (list[GertTensorData](), 0, sink.output(0), None, 0, 3, SHAPE, SHAPE, SHAPE, *data)
        fill = bench.context("FFTSUpdateMixL2Args", *args, outputs=2, node=ADD)
        assert bench.run(fill) == 0
        tiling = (FftsWords("Tiling data", (2,)),)
        words = tuple(item.addr for item in data)
        assert bench.traces(fill) == [FftsArgs("MixL2 args"), *tiling, FftsWords("All args", words)]
        context = bench.context("MixL2UpdateContext", fill.output(0), 4, 1, self.info, 0, False, outputs=0)
        assert bench.run(context) == 0
        assert (self.info.block_dim, self.info.schedule_mode) == (4, 1)
        return words

    def launch(self) -> int:
        bench = self.bench
        copy = bench.context(
            "FFTSTaskAndArgsCopy", bench.stream, self.device, self.host, MemorySlice(0, 128), 1, outputs=0
        )
        assert bench.run(copy) == 0
        assert bench.traces(copy) == [FftsMemoryOk()]
        nothing: list[GertTensorData] = []
        inputs = (bench.stream, self.part, 1, None, nothing)
        return bench.run(bench.context("LaunchFFTSPlusTaskNoCopy", *inputs, outputs=0, node=ADD))


def numbers(bench: Workbench, *values: float) -> GertTensorData:
    return bench.on_device(np.array(values, np.float32))


def test_a_task_computes_and_its_arguments_lie_behind_the_descriptors_on_the_device() -> None:
    task = Task()
    bench = task.bench
    x, y, out = numbers(bench, 1, 2), numbers(bench, 3, 4), numbers(bench, 0, 0)
    words = task.filled(x, y, out)
    assert task.launch() == 0
    assert bench.read(out, F, (2,)).tolist() == [4, 6]
    assert bench.machine.device.hbm.read(task.device.addr + 64, 24) == bytes_of(words)


def test_a_clean_comes_in_front_of_its_operator() -> None:
    task = Task()
    bench = task.bench
    x, out, dirty = numbers(bench, 1, 2), numbers(bench, 0, 0), numbers(bench, 7, 7)
    kernel = bench.context("SinkFFTSStaManualNodeBin", "", "op", "", KernelBinary("Add", "_atomic"))
    assert bench.run(kernel) == 0
    nothing: list[GertTensorData] = []
    args = (1, 1, 1, kernel.output(0), task.cut(MemorySlice(64, 64)), (), (0,), nothing, (1,), (0,), dirty)
    fill = bench.context("FFTSUpdateAtomicArgs", *args)
    assert bench.run(fill) == 0
    assert bench.traces(fill) == [FftsArgs("AICore args"), FftsWords("All args", (dirty.addr,))]
    assert bench.run(bench.context("AtomicUpdateContext", fill.output(0), (1,), 1, 1, task.info, outputs=0)) == 0
    task.filled(x, dirty, out)
    assert task.launch() == 0
    assert bench.read(out, F, (2,)).tolist() == [1, 2]


def test_a_task_that_nobody_filled_is_not_launched() -> None:
    task = Task()
    assert task.launch() == FAILED
    assert task.bench.said() == ["[LaunchFFTSPlusTaskNoCopy][k]task info is nullptr"]


@pytest.mark.parametrize("kernel", ["CopyTilingdata", "CopyAtomicTilingdata"])
def test_tiling_data_of_the_compiler_become_words_of_the_arguments(kernel: str) -> None:
    task = Task()
    part = task.cut(MemorySlice(64, 64))
    assert task.bench.run(task.bench.context(kernel, part, b"\x01" * 9, 9, outputs=0)) == 0
    assert part.words == [0x0101010101010101, 1]
    assert words_of(bytes_of(part.words)) == part.words


def test_tiling_data_are_written_behind_the_arguments() -> None:
    task = Task()
    redirect = task.bench.context("RedirectLaunchArgs", task.part, outputs=4)
    assert task.bench.run(redirect) == 0
    assert [redirect.output(index) for index in range(4)] == [task.host.addr + 64] * 4


def test_kernels_of_a_tiling_key_are_loaded_once_and_found_by_name() -> None:
    bench = Workbench()
    handles = []
    for key in ("bin_mix_aic", "bin_mix_aiv", "bin_mix_aic"):
        sink = bench.context("SinkMixDyNodeBin", KernelBinary("Add", "_mix"), key)
        assert bench.run(sink) == 0
        handles.append(sink.output(0))
    assert handles[0] is handles[2] is not handles[1]
    found = bench.context("GetMixAddrAndPrefCnt", 2, 1, 7, 7, "_mix_aic", handles[0], "_mix_aiv", handles[1])
    assert bench.run(found) == 0
    assert found.output(0).kernels == (handles[0], handles[1])


def test_a_kernel_that_the_device_has_not_is_refused() -> None:
    bench = Workbench()
    assert bench.run(bench.context("SinkMixDyNodeBin", KernelBinary("NoSuch", "_mix"), "key")) == FAILED
    assert bench.said() == ["SinkMixDyNodeBin para check failed"]


def test_what_a_dump_reads_runs_nothing() -> None:
    bench = Workbench()
    assert bench.run(bench.context("MixL2UpdateDataDumpInfo", 0, 1, 1, None, None, outputs=0)) == 0
    assert bench.recorder.events() == []
