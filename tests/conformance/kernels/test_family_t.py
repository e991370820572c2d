"""Family T, collectives: each kernel type is run, alone, as one of equal ranks (spec/lowering.md 4.8, 11.T)."""

from collections.abc import Sequence

import numpy as np
import pytest
from kernel_runs import Workbench, node_info

from getrace.events.engines import HcomArgs
from runtime.kernels.payloads_hccl import HcomOpAttr
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, StorageShape

FAILED = 4294967295
F = DType.FLOAT


def launched(bench: Workbench, attr: HcomOpAttr, data: Sequence[GertTensorData], dims: int, result: int) -> None:
    shapes = [StorageShape.same((dims,)), StorageShape.same((result,))]
    prepare = bench.context("PrepareHcomKernel", attr, bench.stream, len(data) - 1, 1, *shapes)
    assert bench.run(prepare) == 0
    launch = bench.context("LaunchHcomKernel", prepare.output(0), *data, node=node_info(attr.op_type, [F], [F]))
    assert bench.run(launch) == 0
    assert launch.output(0) is data[-1]


@pytest.mark.parametrize(
    ("attr", "expected"),
    [
        (HcomOpAttr("HcomAllReduce", F, "g", "sum"), [1, 2, 3, 4]),
        (HcomOpAttr("HcomAllReduce", F, "g", "sum", rank_size=3), [3, 6, 9, 12]),
        (HcomOpAttr("HcomReduce", F, "g", "prod", rank_size=2), [1, 4, 9, 16]),
        (HcomOpAttr("HcomAllReduce", F, "g", "max", rank_size=8), [1, 2, 3, 4]),
        (HcomOpAttr("HcomAllGather", F, "g", rank_size=2), [1, 2, 3, 4, 1, 2, 3, 4]),
        (HcomOpAttr("HcomReduceScatter", F, "g", "sum", rank_size=2), [2, 4]),
        (HcomOpAttr("HcomAllToAll", F, "g"), [1, 2, 3, 4]),
    ],
)
def test_a_collective_of_equal_ranks(attr: HcomOpAttr, expected: list[float]) -> None:
    bench = Workbench()
    out = bench.on_device(np.zeros(len(expected), np.float32))
    launched(bench, attr, [bench.on_device(np.array([1, 2, 3, 4], np.float32)), out], 4, len(expected))
    assert bench.read(out, F, (len(expected),)).tolist() == expected


def test_an_exchange_with_counts_takes_the_part_that_is_for_this_rank() -> None:
    bench = Workbench()
    counts = [bench.on_host(np.array([number])) for number in (2, 1, 2, 0)]
    out = bench.on_device(np.zeros(2, np.float32))
    x = bench.on_device(np.array([1, 2, 3, 4], np.float32))
    launched(bench, HcomOpAttr("HcomAllToAllV", F, "g"), [x, *counts, out], 4, 2)
    assert bench.read(out, F, (2,)).tolist() == [2, 3]


def test_a_broadcast_leaves_what_is_there() -> None:
    bench = Workbench()
    x = bench.on_device(np.array([5, 6], np.float32))
    launched(bench, HcomOpAttr("HcomBroadcast", F, "g", root=0), [x, x], 2, 2)
    assert bench.read(x, F, (2,)).tolist() == [5, 6]


def test_what_is_sent_is_received_with_its_shape() -> None:
    bench = Workbench()
    x = bench.on_device(np.array([5, 6, 7], np.float32))
    launched(bench, HcomOpAttr("HcomSend", F, "g", peer=1, tag=4), [x, x], 3, 3)
    wanted = (HcomOpAttr("HcomReceive", F, "g", peer=1, tag=4), bench.stream, bench.allocator(), F)
    receive = bench.context("LaunchRecvKernel", *wanted, outputs=2, node=node_info("HcomReceive", (), [F]))
    assert bench.run(receive) == 0
    assert receive.output(0) == StorageShape.same((3,))
    assert bench.read(receive.output(1), F, (3,)).tolist() == [5, 6, 7]
    assert bench.run(receive) == FAILED
    assert bench.said() == ["[LaunchRecvKernel][k]no message of rank 1 with tag 4"]


def test_a_collective_says_its_arguments() -> None:
    bench = Workbench()
    attr, shape = HcomOpAttr("HcomAllReduce", F, "hccl_world_group", "sum"), StorageShape.same((2,))
    prepare = bench.context("PrepareHcomKernel", attr, bench.stream, 1, 1, shape, shape)
    assert bench.run(prepare) == 0
    assert bench.traces(prepare) == [HcomArgs(2, "DT_FLOAT", "hccl_world_group", 1, 1)]


def test_the_communicator_is_made_on_init() -> None:
    bench = Workbench()
    init = bench.context("LaunchHcomKernelInitComm")
    assert bench.run(init) == 0
    assert (init.output(0), bench.machine.engines.communicators) == (1, 1)
