"""Family L, aclnn and custom operators: each kernel type that runs is run (spec/lowering.md 4.2, 4.4, 11.L)."""

from typing import Any

import numpy as np
from kernel_runs import Workbench, node_info

from getrace.events.engines import CustomTensors
from getrace.events.launch import TaskIds
from getrace.events.shapes import NodeType
from runtime.kernels.engines.aclnn import OpFunction
from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, Placement, StorageShape, Tensor, TensorData

FAILED = 4294967295
F = DType.FLOAT
ADD = node_info("Add", [F, F], [F])


def tensor(bench: Workbench, values: list[float]) -> Tensor:
    data = bench.on_device(np.array(values, np.float32))
    return Tensor(StorageShape.same((len(values),)), F, data=TensorData(data.addr, data.size, data.placement))


def read(bench: Workbench, tensor: Tensor) -> list[float]:
    assert tensor.data is not None
    data = GertTensorData(tensor.data.addr, tensor.data.size, Placement.DEVICE_HBM, 0)
    return [float(value) for value in bench.read(data, F, tensor.shape.storage)]


def test_an_aclnn_operator_computes_in_one_call() -> None:
    bench = Workbench()
    found = bench.context("FindOpExeFunc", "Add", None)
    framework = bench.context("BuildSingleStageAclnnOpFwkData", "cores", "config", "original")
    assert (bench.run(found), bench.run(framework)) == (0, 0)
    assert found.output(0) == OpFunction("Add", "execute")
    assert framework.output(0).parts == ("cores", "config", "original")
    x, y, out = tensor(bench, [1, 2]), tensor(bench, [10, 20]), tensor(bench, [0, 0])
    tail = (bench.allocator(), bench.stream, None, found.output(0), framework.output(0))
    execute = bench.context("ExecuteOpFunc", x, y, out, *tail, node=ADD)
    assert bench.run(execute) == 0
    assert (read(bench, out), execute.output(0)) == ([11, 22], [])


def test_an_aclnn_operator_prepares_and_launches() -> None:
    bench = Workbench()
    found = bench.context("FindOpExe2PhaseFunc", "Add", None, outputs=2)
    assert bench.run(found) == 0
    phases = [found.output(0), found.output(1)]
    assert phases == [OpFunction("Add", "prepare"), OpFunction("Add", "launch")]
    framework = bench.context("BuildDualStageAclnnOpFwkData", *phases, "infos", "cores", "config", "original")
    assert bench.run(framework) == 0
    x, y, out = tensor(bench, [1, 2]), tensor(bench, [10, 20]), tensor(bench, [0, 0])
    shared = framework.output(0)
    prepare = bench.context("ExecuteOpPrepare", x, y, out, None, shared, bench.stream, outputs=2, node=ADD)
    assert bench.run(prepare) == 0
    assert (prepare.output(0).tensors, prepare.output(1)) == (3, [])
    nothing: list[GertTensorData] = []
    tail = (prepare.output(0), nothing, prepare.output(1), bench.stream, shared)
    assert bench.run(bench.context("ExecuteOpLaunch", x, y, out, *tail, outputs=0, node=ADD)) == 0
    assert read(bench, out) == [11, 22]


def test_an_operator_whose_function_is_missing_is_refused() -> None:
    bench = Workbench()
    assert bench.run(bench.context("FindOpExeFunc", "NoSuch", None)) == FAILED
    assert bench.run(bench.context("FindCustomOp", "NoSuch", None)) == FAILED
    assert bench.said() == [
        "[FindOpExeFunc][k]Failed to find op execute func of NoSuch",
        "[FindCustomOp][k]Failed to create custom op NoSuch",
    ]


def custom(bench: Workbench, kernel: str, *shapes: StorageShape) -> Any:
    found = bench.context("FindCustomOp", "Add", None)
    assert bench.run(found) == 0
    x, y = tensor(bench, [1, 2]), tensor(bench, [10, 20])
    context = bench.context(
        kernel, x, y, bench.allocator(), bench.stream, found.output(0), *shapes, outputs=3, node=ADD
    )
    assert bench.run(context) == 0
    return context


def test_a_custom_operator_gives_its_outputs_memory_and_computes() -> None:
    bench = Workbench()
    for context in (
        custom(bench, "ExecuteCustomOp"),
        custom(bench, "ExecuteCustomOpWithInferShape", StorageShape.same((2,))),
    ):
        made = context.output(0)
        assert (read(bench, made), made.shape, made.dtype) == ([11, 22], StorageShape.same((2,)), F)


def test_a_custom_operator_says_its_tensors_and_its_task() -> None:
    bench = Workbench()
    context = custom(bench, "ExecuteCustomOp")
    x, y = (context.input(index).data.addr for index in (0, 1))
    stream = bench.machine.device.stream(bench.stream)
    shape = "format: ND, datatype: DT_FLOAT, shape: [2]"
    assert bench.traces(context) == [
        NodeType("Add"),
        CustomTensors("input", f"[0]: [{shape}, addr: {x}], [1]: [{shape}, addr: {y}]"),
        CustomTensors("output", f"[0]: [{shape}, addr: {context.output(0).data.addr}]"),
        TaskIds(stream.rt_id, 0, 0, 0),
    ]


def test_workspaces_and_arguments_of_a_custom_operator_are_released() -> None:
    bench = Workbench()
    context, home, data = custom(bench, "ExecuteCustomOp"), bench.allocator(), GertTensorData()
    block = home.malloc(512)
    assert block is not None
    data.own(block, home.placement, 0)
    workspaces, handler = context.output(1), context.output(2)
    workspaces.append(data)
    assert len(handler.addresses) == 3
    assert bench.run(bench.context("FreeCustomOpWorkspaces", workspaces, home, outputs=0)) == 0
    assert bench.run(bench.context("FreeArgsGuarder", handler, outputs=0)) == 0
    assert (workspaces, data.block, handler.addresses) == ([], None, [])
