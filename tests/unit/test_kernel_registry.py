"""Registers of kernels and operators: entered once, found by name, refused twice."""

import pytest
from simulated_runs import open_process

from getrace.errors import InternalError, ModelError
from runtime.kernels.families import builtin_kernels
from runtime.kernels.feed import do_nothing
from runtime.kernels.registry import Kernel, KernelRegistry
from runtime.ops.add_example.op_def import ADD_EXAMPLE
from runtime.ops.builtin import builtin_ops
from runtime.ops.op_def import OpDef
from runtime.ops.registry import OpRegistry, impl_op_infershape, impl_op_optiling, kernel_binary, op_add
from runtime.values import DType


def test_a_kernel_type_is_entered_once() -> None:
    registry = KernelRegistry((Kernel("Mine", do_nothing),))
    with pytest.raises(InternalError, match="kernel Mine is registered twice"):
        registry.add(Kernel("Mine", do_nothing))
    with pytest.raises(InternalError, match="kernel Const is registered twice"):
        KernelRegistry(builtin_kernels(), (Kernel("Const", do_nothing),))


def test_an_unknown_kernel_is_named_with_its_node() -> None:
    with pytest.raises(ModelError) as caught:
        builtin_kernels().find("Strange", "Strange_add_7")
    assert caught.value.message == "Failed to find exec node [Strange_add_7] kernel funcs"


def test_every_part_of_an_operator_is_entered_once() -> None:
    ops = builtin_ops()
    op = ops.find("AddExample")
    assert op.infer_shape is not None
    assert op.tiling is not None
    assert op.compute is not None
    with pytest.raises(InternalError, match="operator AddExample is defined twice"):
        op_add(ops, ADD_EXAMPLE)
    with pytest.raises(InternalError, match="operator AddExample has a second shape inference"):
        impl_op_infershape(ops, "AddExample", op.infer_shape)
    with pytest.raises(InternalError, match="operator AddExample has a second tiling"):
        impl_op_optiling(ops, "AddExample", op.tiling)
    with pytest.raises(InternalError, match="operator AddExample has a second kernel"):
        kernel_binary(ops, "AddExample", op.compute)


def test_an_unknown_operator_is_refused_with_a_list() -> None:
    ops = OpRegistry()
    for name in ("Mine", "Another"):
        op_add(ops, OpDef(name, (), ()))
    with pytest.raises(ModelError) as caught:
        ops.find("Softmax")
    assert caught.value.message == "no operator of type 'Softmax' is registered"
    assert caught.value.hint == "there are: Another, Mine"


def test_two_registries_do_not_share_an_operator() -> None:
    first, second = OpRegistry(), OpRegistry()
    for ops in (first, second):
        op_add(ops, OpDef("Mine", (), ()))
    impl_op_infershape(first, "Mine", lambda _context: 0)
    assert second.find("Mine").infer_shape is None


def test_add_example_supports_what_its_definition_says() -> None:
    assert ADD_EXAMPLE.supports("ascend910b", (DType.FLOAT, DType.FLOAT))
    assert ADD_EXAMPLE.supports("ascend910b", (DType.INT32, DType.INT32))
    assert not ADD_EXAMPLE.supports("ascend910b", (DType.FLOAT, DType.INT32))
    assert not ADD_EXAMPLE.supports("ascend310p", (DType.FLOAT, DType.FLOAT))
    assert [io.name for io in (*ADD_EXAMPLE.inputs, *ADD_EXAMPLE.outputs)] == ["x1", "x2", "y"]


def test_outputs_creators_ran_when_the_executor_was_built() -> None:
    process = open_process()
    launch_args = [
        node.context.output(1)
        for graph in process.executor.model.graphs.values()
        for node in graph.data.nodes
        if node.context.type == "AllocLaunchArg"
    ]
    assert len(launch_args) == 1
    assert launch_args[0].capacity == 2048
