"""Family K, AI Core launches: each kernel type is run (spec/lowering.md 11.K, 4.1; kerneltrace.md 3.5)."""

from typing import Any

import numpy as np
import pytest
from kernel_runs import Workbench

from getrace.events.launch import HostInputInfo, Launch, LaunchAddresses, LaunchTiling, LaunchWorkspaces, TaskIds
from getrace.events.text import LogLine
from runtime.device.tasks import Task
from runtime.kernels.context import ComputeNodeInfo, IoDesc, KernelContext
from runtime.kernels.launch import split_blocks
from runtime.kernels.launch_args import LaunchArgs
from runtime.kernels.payloads import ArgsInfosDesc, DfxExeArg, KernelBinary, MixCoreArgs, NodeDesc, TaskConfig
from runtime.memory.tensor_data import GertTensorData
from runtime.ops.op_def import KernelArgs, OpDef
from runtime.ops.registry import kernel_binary, op_add
from runtime.values import DType, StorageShape

FAILED, PARAM_INVALID = 4294967295, 1343225857
INT = IoDesc(DType.INT32)
NODE = ComputeNodeInfo("op", "Mine", (INT, INT), (INT,))
SHAPE = StorageShape.same((4,))


def subtract(args: KernelArgs) -> None:
    (x, y), (z,) = args.inputs, args.outputs
    z[:] = (x - y) * args.block_dim + args.tiling_key
    if args.shape_buffer is not None:
        args.tell_shape(0, (2, 2))


def bench_with_mine() -> Workbench:
    bench = Workbench()
    op_add(bench.machine.ops, OpDef("Mine", (), ()))
    kernel_binary(bench.machine.ops, "Mine", subtract)
    return bench


def argument_block(bench: Workbench, *, shape_buffer: bool = False) -> LaunchArgs:
    node = NodeDesc(2, 1, 64, need_shape_buffer=shape_buffer)
    context = bench.context("AllocLaunchArg", node, ArgsInfosDesc(2, 1), outputs=4)
    assert bench.run(context) == 0
    args: LaunchArgs = context.output(1)
    assert [context.output(0), context.output(2), context.output(3)] == [
        args,
        args.base,
        args.base + 24 + 8 * shape_buffer,
    ]
    return args


def handle(bench: Workbench, kernel: str = "SinkNodeBinWithHandle") -> Any:
    names = ("bin",) if kernel.endswith("WithHandle") else ("stub", "meta", "mine_kernel")
    context = bench.context(kernel, KernelBinary("Mine", "bin", 4096), *names, node=NODE)
    assert bench.run(context) == 0
    return context.output(0)


def head(bench: Workbench, args: LaunchArgs, binary: Any, buffer: Any = None) -> list[Any]:
    return [bench.stream, binary, 2, [], buffer, TaskConfig(), 3, 0, DfxExeArg(), args, 0]


def tensors(bench: Workbench) -> list[GertTensorData]:
    x, y = np.array([5, 6, 7, 8], np.int32), np.array([1, 1, 2, 2], np.int32)
    return [bench.on_device(x), bench.on_device(y), bench.on_device(np.zeros(4, np.int32))]


def launch(
    bench: Workbench, kernel: str, args: LaunchArgs, data: list[GertTensorData], buffer: Any = None
) -> KernelContext:
    own = [3, "op/"] if kernel.endswith("WithHandle") else []
    device, tail = bench.machine.device, list[Any]()
    if "Mix" in kernel:
        mix = MixCoreArgs("MIX_AICORE", 2, 1, 1)
        tail = [mix, device.create_stream().handle, device.create_notify(), device.create_notify()]
    inputs = [*head(bench, args, handle(bench), buffer), *own, *data, SHAPE, SHAPE, SHAPE, *tail]
    return bench.context(kernel, *inputs, outputs=0, node=NODE)


LAUNCHES = [
    ("LaunchKernelWithHandle", [11, 13, 13, 15]),
    ("LaunchKernelWithFlag", [8, 10, 10, 12]),
    ("LaunchMixKernelWithHandle", [11, 13, 13, 15]),
    ("LaunchMixKernelWithFlag", [8, 10, 10, 12]),
]


@pytest.mark.parametrize(("kernel", "result"), LAUNCHES)
def test_a_launch_computes_when_the_device_comes_to_it(kernel: str, result: list[int]) -> None:
    bench = bench_with_mine()
    args, data = argument_block(bench), tensors(bench)
    assert bench.run(launch(bench, kernel, args, data)) == 0
    assert bench.read(data[2], DType.INT32, (4,)).tolist() == result
    assert args.addresses == tuple(item.addr for item in data)


@pytest.mark.parametrize(("kernel", "_result"), LAUNCHES)
def test_a_launch_says_what_lies_in_its_arguments(kernel: str, _result: list[int]) -> None:
    bench = bench_with_mine()
    args, data = argument_block(bench), tensors(bench)
    args.tiling = b"\1\2"
    context = launch(bench, kernel, args, data)
    assert bench.run(context) == 0
    lines = bench.traces(context)
    assert len(lines) == 10
    assert lines[0] == Launch(context.input(1).handle, 2, args.handle, bench.stream, 0, 0)
    assert isinstance(lines[1], TaskIds)
    addresses = tuple(item.addr for item in data)
    assert lines[4:7] == [LaunchAddresses(addresses, (16, 16, 16)), LaunchWorkspaces(), LaunchTiling(24, 2, b"\1\2")]


def test_numbers_of_cores_behind_an_ordinary_launch_change_nothing() -> None:
    """With a single stream a mix operator is launched as an ordinary one and keeps its constant."""
    bench = bench_with_mine()
    data = tensors(bench)
    inputs = [*head(bench, argument_block(bench), handle(bench)), *data, SHAPE, SHAPE, SHAPE]
    context = bench.context("LaunchKernelWithFlag", *inputs, MixCoreArgs("MIX_AICORE", 2, 1, 1), outputs=0, node=NODE)
    assert bench.run(context) == 0
    assert bench.read(data[2], DType.INT32, (4,)).tolist() == [8, 10, 10, 12]


def test_an_input_that_travels_with_the_arguments_is_read_from_there() -> None:
    bench = bench_with_mine()
    args, data = argument_block(bench), tensors(bench)
    args.begin_host_inputs()
    assert args.take_host_input([0], np.array([9, 9, 9, 9], np.int32).tobytes())
    data[0] = GertTensorData()
    context = launch(bench, "LaunchKernelWithFlag", args, data)
    assert bench.run(context) == 0
    assert bench.read(data[2], DType.INT32, (4,)).tolist() == [16, 16, 14, 14]
    assert HostInputInfo((32 << 32, 0)) in bench.traces(context)


def test_an_operator_tells_the_shape_that_it_found() -> None:
    bench = bench_with_mine()
    args, data = argument_block(bench, shape_buffer=True), tensors(bench)
    buffer = bench.on_device(np.zeros(9, np.uint64))
    assert bench.run(launch(bench, "LaunchKernelWithHandle", args, data, buffer)) == 0
    assert bench.machine.device.synchronize(bench.stream) == 0
    shape = StorageShape.same((4,))
    set_shape = bench.context("SetOutputShape", buffer, outputs=[shape], node=NODE)
    assert bench.run(set_shape) == 0
    assert shape == StorageShape.same((2, 2))
    assert args.layout().shapes_length == 8
    assert args.words()[3] == buffer.addr


@pytest.mark.parametrize(("kernel", "own"), [("AtomicLaunchKernelWithHandle", [0]), ("AtomicLaunchKernelWithFlag", [])])
def test_an_atomic_launch_clears_outputs_and_the_workspaces_it_names(kernel: str, own: list[int]) -> None:
    bench = bench_with_mine()
    args = argument_block(bench)
    ones = [bench.on_device(np.ones(8, np.int32)) for _ in range(4)]
    output, *workspaces = ones
    inputs = [*head(bench, args, handle(bench)), *own, (0, 2), output, workspaces]
    context = bench.context(kernel, *inputs, outputs=0, node=NODE)
    assert bench.run(context) == 0
    sums = [int(bench.read(data, DType.INT32, (8,)).sum()) for data in ones]
    assert sums == [0, 0, 8, 0]
    addresses = (output.addr, workspaces[0].addr, workspaces[2].addr)
    assert bench.traces(context)[4] == LaunchAddresses(addresses, (32, 32, 32))


def test_slots_that_an_atomic_launch_leaves_out_are_0() -> None:
    bench = bench_with_mine()
    args = argument_block(bench)
    output = bench.on_device(np.ones(8, np.int32))
    inputs = [*head(bench, args, handle(bench)), None, output, []]
    context = bench.context("AtomicLaunchKernelWithFlag", *inputs, outputs=0, node=NODE)
    assert bench.run(context) == 0
    assert bench.traces(context)[4] == LaunchAddresses((output.addr, 0, 0), (32, 0, 0))


@pytest.mark.parametrize(
    ("mix", "blocks", "split"),
    [
        (MixCoreArgs("MIX_AICORE", 60, 20, 40), 30, (10, 20)),
        (MixCoreArgs("MIX_VECTOR_CORE", 60, 20, 40), 30, (20, 10)),
        (MixCoreArgs("MIX_AICORE", 60, 20, 40), 1, (1, 0)),
        (MixCoreArgs("MIX_AICORE", 60, 60, 0), 7, (7, 0)),
        (MixCoreArgs("MIX_AICORE", 60, 20, 40), 0, (0, 0)),
    ],
)
def test_blocks_are_shared_in_the_proportion_of_the_cores(
    mix: MixCoreArgs, blocks: int, split: tuple[int, int]
) -> None:
    assert split_blocks(mix, blocks) == split


def test_a_mix_launch_uses_both_streams() -> None:
    bench = bench_with_mine()
    context = launch(bench, "LaunchMixKernelWithHandle", argument_block(bench), tensors(bench))
    assert bench.run(context) == 0
    sub = bench.machine.device.stream(context.input(len(context.inputs) - 3))
    assert sub.last_task is not None
    lines = [item.event.text for item in bench.recorder.heard if isinstance(item.event, LogLine)]
    assert lines[-1] == "Mix vector core launched main/sub block dim [1][1] successfully"


def test_the_streams_of_a_mix_launch_wait_for_each_other() -> None:
    bench = bench_with_mine()
    device = bench.machine.device
    context = launch(bench, "LaunchMixKernelWithHandle", argument_block(bench), tensors(bench))
    second = device.stream(context.input(len(context.inputs) - 3))
    order: list[str] = []
    before = Task("before", lambda: order.append("before"), 1_000_000)
    device.launch(device.stream(bench.stream), before)
    assert bench.run(context) == 0
    beside = Task("beside", lambda: order.append("beside"), 2_000_000)
    device.launch(second, beside)
    behind = Task("behind", lambda: order.append("behind"), 1)
    device.launch(device.stream(bench.stream), behind)
    assert [device.synchronize(handle) for handle in (bench.stream, second.handle)] == [0, 0]
    assert beside.start_ns >= before.end_ns
    assert (order[0], sorted(order[1:])) == ("before", ["behind", "beside"])


def test_a_mix_launch_of_no_blocks_is_refused() -> None:
    bench = bench_with_mine()
    context = launch(bench, "LaunchMixKernelWithFlag", argument_block(bench), tensors(bench))
    context.inputs[2].value = 0
    assert bench.run(context) == PARAM_INVALID
    assert bench.said() == ["block dim is 0, no task to launch"]


def test_a_binary_of_a_known_id_is_loaded_once() -> None:
    bench = bench_with_mine()
    assert handle(bench) is handle(bench)
    assert bench.recorder.events() == []


def test_a_binary_with_a_stub_says_its_size() -> None:
    bench = bench_with_mine()
    assert handle(bench, "SinkNodeBinWithoutHandle").op.name == "Mine"
    (line,) = [item.event for item in bench.recorder.heard if isinstance(item.event, LogLine)]
    assert line.text == "Register static kernel size 4096, node op, stub stub"


@pytest.mark.parametrize("kernel", ["SinkNodeBinWithHandle", "SinkNodeBinWithoutHandle"])
def test_a_binary_of_no_operator_is_refused(kernel: str) -> None:
    bench = Workbench()
    context = bench.context(kernel, KernelBinary("Strange", "bin"), "bin", node=NODE)
    assert bench.run(context) == FAILED
    assert bench.said() == [f"{kernel} para check failed"]
