"""Outputs and who owns their memory: scenarios ZC-01 to ZC-10 of spec/execution.md 8.3, and 5.9."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from kernel_runs import Workbench
from session_models import error_texts, machine_for_tests
from simulated_runs import Array, Recorder, empty_output, floats

from getrace.events.launch import LaunchAddresses
from getrace.events.memory import PlacedOutputAlloc, ZeroCopy
from getrace.events.text import LogLine
from runtime.api.host_tensors import free_output, to_array, to_tensor
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.executors.arguments import ModelExecuteArg
from runtime.executors.builder import build_executor
from runtime.executors.model_v2 import ModelV2Executor
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.kernels.families import builtin_kernels
from runtime.kernels.machine import Machine
from runtime.lowering.pipeline import lower_model
from runtime.ops.builtin import builtin_ops
from runtime.values import DType, Placement, StorageShape, Tensor, TensorData

PARAM_INVALID, FAILED = 1343225857, 4294967295
HBM, HOST = Placement.DEVICE_HBM, Placement.HOST


def adding() -> ComputeGraph:
    """y = x1 + x2."""
    graph = GraphBuilder("adding")
    x1, x2 = graph.data("x1", (-1,)), graph.data("x2", (-1,))
    return graph.output(graph.op("AddExample", x1, x2, name="add")).build()


def reshaping() -> ComputeGraph:
    """y = x as a matrix of two columns."""
    graph = GraphBuilder("reshaping")
    shape = graph.const("shape", (2,), np.array([-1, 2], np.int32).tobytes(), DType.INT32)
    x = graph.data("x", (-1,))
    return graph.output(graph.op("Reshape", x, shape, name="turn", engine=GE_LOCAL, outputs=[nd_desc((-1, 2))])).build()


@dataclass
class Process:
    """A machine with a loaded model, with all passes applied."""

    graph: ComputeGraph
    options: LoweringOptions = field(default_factory=LoweringOptions)
    recorder: Recorder = field(default_factory=Recorder)

    def __post_init__(self) -> None:
        self.machine: Machine = machine_for_tests(self.recorder)
        self.device = self.machine.device
        self.arg = ModelExecuteArg(self.device.create_stream().handle)
        root = lower_model(self.graph, self.options).root
        self.executor: ModelV2Executor = build_executor(root, self.machine, builtin_kernels())
        assert self.executor.load(self.arg) == 0

    def given(self, placement: Placement, size: int = 96) -> Tensor:
        """An output tensor with memory of the caller's."""
        space = self.device.hbm if placement.on_device else self.device.host
        address = space.malloc(size)
        assert address is not None
        return Tensor(StorageShape.same((2,)), data=TensorData(address, size, placement))

    def run(self, output: Tensor | None, *arrays: Array) -> int:
        self.recorder.heard.clear()
        inputs = [to_tensor(self.device, array) for array in arrays or (floats(1, 2), floats(3, 4))]
        status = self.executor.execute(self.arg, inputs, [output])
        return status or self.device.synchronize(self.arg.stream)

    def launched_with(self) -> tuple[int, ...]:
        """The addresses in the argument block of the only launch: inputs, then the output."""
        (event,) = [each for each in self.recorder.events("main") if isinstance(each, LaunchAddresses)]
        assert event.addresses is not None
        return event.addresses

    def copies_out(self) -> list[str]:
        """What EnsureTensorAtOutMemory and AllocModelOutTensor said of copying."""
        kinds = (ZeroCopy, PlacedOutputAlloc)
        texts = [type(each).__name__ for each in self.recorder.events("main") if isinstance(each, kinds)]
        lines = [each.text for each in self.recorder.events("main") if isinstance(each, LogLine)]
        return texts + [text.partition(",")[0] for text in lines]


def address_of(tensor: Tensor) -> int:
    assert tensor.data is not None
    return tensor.data.addr


def library(**options: bool) -> LoweringOptions:
    return LoweringOptions(library=library_of(builtin_ops()), **options)  # type: ignore[arg-type]


def test_ZC_01_a_launch_writes_straight_into_the_callers_device_memory() -> None:
    process = Process(adding())
    output = process.given(HBM)
    address = address_of(output)
    assert process.run(output) == 0
    assert process.launched_with()[2] == address
    assert process.copies_out() == ["ZeroCopy", "Zero copy takes effect"]
    assert (address_of(output), to_array(process.device, output).tolist()) == (address, [4.0, 6.0])


def test_ZC_02_host_memory_of_the_caller_gets_a_copy() -> None:
    process = Process(adding())
    output = process.given(HOST)
    address = address_of(output)
    assert process.run(output) == 0
    assert process.launched_with()[2] != address
    assert process.copies_out() == ["PlacedOutputAlloc"]
    assert (address_of(output), output.placement) == (address, HOST)
    assert to_array(process.device, output).tolist() == [4.0, 6.0]


def test_ZC_02_the_copy_to_the_host_is_there_only_after_the_stream_was_waited_for() -> None:
    process = Process(adding())
    output = process.given(HOST)
    inputs = [to_tensor(process.device, array) for array in (floats(1, 2), floats(3, 4))]
    assert process.executor.execute(process.arg, inputs, [output]) == 0
    output.shape = StorageShape.same((2,))
    assert to_array(process.device, output).tolist() == [0.0, 0.0]
    assert process.device.synchronize(process.arg.stream) == 0
    assert to_array(process.device, output).tolist() == [4.0, 6.0]


def test_ZC_03_an_output_without_memory_gets_some_that_survives_the_executor() -> None:
    process = Process(adding())
    output = empty_output()
    assert process.run(output) == 0
    assert address_of(output) != 0
    assert output.placement is HBM
    assert process.launched_with()[2] == address_of(output)
    assert process.copies_out() == ["Zero copy takes effect"]
    process.executor.unload()
    process.executor.close()
    assert to_array(process.device, output).tolist() == [4.0, 6.0]
    free_output(output)
    assert process.machine.memory.finalize()


@pytest.mark.parametrize("placement", [HBM, HOST])
def test_ZC_05_a_model_that_only_reshapes_copies_into_the_given_output(placement: Placement) -> None:
    process = Process(reshaping())
    output = process.given(placement)
    address = address_of(output)
    assert process.run(output, floats(1, 2, 3, 4)) == 0
    assert (address_of(output), output.placement) == (address, placement)
    assert to_array(process.device, output).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def owed() -> str:
    return "In the `always_zero_copy` mode, the output tensor and tensor data must be allocated by the called"


def test_ZC_07_an_output_that_is_always_the_callers_must_have_memory() -> None:
    process = Process(adding(), library(always_zero_copy=True))
    assert process.run(empty_output()) == PARAM_INVALID
    assert error_texts(process.recorder)[0] == owed()
    assert process.run(process.given(HBM)) == 0


def test_ZC_07_a_missing_tensor_is_refused_in_the_same_words() -> None:
    bench = Workbench()
    context = bench.context("SplitTensorForOutputData", None, bench.allocator(), outputs=2)
    assert bench.run(context) == PARAM_INVALID
    assert bench.said() == [owed()]


@pytest.mark.parametrize("size", [4849664, 1605664])
def test_ZC_08_memory_that_is_too_small_for_the_shape_of_the_output(size: int) -> None:
    process = Process(adding(), library(always_zero_copy=True))
    output = Tensor(StorageShape.same((25690112 // 4,)), data=TensorData(0x12C041200000, size, HBM))
    assert process.run(output) == PARAM_INVALID
    assert error_texts(process.recorder)[0] == (
        f"The output tensor memory size[{size}] is smaller than the actual size[25690112] required by tensor."
    )


def test_a_given_output_that_is_too_small_is_found_only_after_the_launch() -> None:
    process = Process(adding())
    output = process.given(HBM, 32)
    assert output.data is not None
    output.data.size = 4
    assert process.run(output) == FAILED
    assert len(process.launched_with()) >= 3
    assert error_texts(process.recorder)[0] == (
        "Failed to copy output tensor data to the given buffer, given buffer size 4 is less than output tensor size 8"
    )


def test_ZC_09_a_placement_that_nothing_can_be_copied_to() -> None:
    process = Process(adding())
    output = process.given(HBM)
    assert output.data is not None
    output.data.placement = Placement.END
    assert process.run(output) == FAILED
    assert error_texts(process.recorder)[0] == (
        "Failed to copy output tensor to the given buffer, do not support the copy direction, from DeviceHbm(0) to "
        "Unknown(4)"
    )


@pytest.mark.parametrize(("allocator", "place"), [(False, True), (True, False)])
def test_ZC_10_an_output_without_allocator_or_place(allocator: bool, place: bool) -> None:
    bench = Workbench()
    context = bench.context("AllocModelOutTensor", bench.allocator() if allocator else None, 100, empty_output())
    if not place:
        context.set(0, None)
    assert bench.run(context) == PARAM_INVALID
    assert bench.said() == [f"Assert (({'tensor_data' if allocator else 'gert_allocator'}) != nullptr) failed"]


def test_an_output_may_be_given_in_one_run_and_left_to_the_runtime_in_the_next() -> None:
    process = Process(adding())
    mine, made = process.given(HBM), empty_output()
    for output in (mine, made, mine):
        assert process.run(output) == 0
        assert to_array(process.device, output).tolist() == [4.0, 6.0]
    assert address_of(mine) != address_of(made)
