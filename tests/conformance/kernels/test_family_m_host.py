"""Family M, what the host does beside AI CPU tasks: tensor lists, fused groups (spec/lowering.md 4.5, 4.6, 11.M)."""

import numpy as np
from kernel_runs import Workbench, node_info

from runtime.kernels.payloads_aicpu import FusedHostCpuState
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, StorageShape

FAILED = 4294967295
F, V = DType.FLOAT, DType.VARIANT


def test_a_list_keeps_its_tensors_until_they_are_popped_or_the_step_ends() -> None:
    bench = Workbench()
    home = bench.allocator()
    push, pop = node_info("TensorListPushBack", [V, F], [V]), node_info("TensorListPopBack", [V, V], [V, F])
    for _ in range(2):
        block, data = home.malloc(512), GertTensorData()
        assert block is not None
        data.own(block, home.placement, 0)
        assert bench.run(bench.context("TensorListOp", bench.stream, None, data, None, node=push)) == 0
        data.free()
    kept = list(bench.machine.engines.tensor_lists)
    assert [item.data.block is None for item in kept] == [False, False]
    assert bench.run(bench.context("TensorListOp", bench.stream, None, None, None, None, node=pop)) == 0
    assert [item.data.block is None for item in kept] == [False, True]
    step = bench.context("CreateStepId", outputs=2)
    assert bench.run(step) == 0
    assert bench.run(bench.context("IncreaseStepId", step.output(0), 0, bench.stream, outputs=0)) == 0
    assert [item.data.block is None for item in kept] == [True, True]
    assert bench.run(bench.context("TensorListOp", bench.stream, None, None, None, None, node=pop)) == FAILED
    assert bench.said() == ["[TensorListOp][k]the list of tensors is empty"]


def test_a_fused_group_computes_on_the_host_and_gives_the_memory_that_was_made_for_it() -> None:
    bench, shape = Workbench(), StorageShape.same((2,))
    x, y, out = (bench.on_host(np.array(values, np.float32)) for values in ([1, 2], [3, 4], [0, 0]))
    given = (FusedHostCpuState("Add", 2, 1), shape, shape, x, y, shape, out)
    compute = bench.context("FusedHostCpuCompute", *given, node=node_info("FusedHostCpu", [F, F], [F]))
    assert bench.run(compute) == 0
    assert (compute.output(0).addr, bench.read(out, F, (2,)).tolist()) == (out.addr, [4, 6])
    assert bench.run(bench.context("ReleaseFusedHostCpuKernelState", given[0], outputs=0)) == 0
    assert bench.run(bench.context("ReleaseFusedHostCpuSo", "Add", outputs=0)) == 0
