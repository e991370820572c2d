"""Every form of an AI Core operator computes: lowered, optimised and run, against numpy."""

from collections.abc import Mapping

import numpy as np
import pytest
from simulated_runs import Recorder, run

from getrace.dumps.snapshot import AttrValue
from runtime.api.simulate import RunOptions, RunResult
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ALL_KERNEL, KERNEL, ComputeGraph, nd_desc
from runtime.ops.builtin import builtin_ops
from runtime.ops.op_def import KernelArgs, OpDef
from runtime.ops.operator_v1 import OldTiling, Operator, OpRunInfo
from runtime.ops.registry import OpRegistry, infer_func_reg, kernel_binary, op_add, register_op_tiling
from runtime.values import DType

STATIC_CLEAN: Mapping[str, AttrValue] = {"atomic_output_index": (0,), "atomic_op_para_size": 64}
CLEAN: Mapping[str, AttrValue] = {"_atomic_compile_info_json": "{}", **STATIC_CLEAN}


def adding(
    tasks: tuple[str, ...], attrs: Mapping[str, AttrValue], dims: tuple[int, ...] = (-1,), op_type: str = "AddExample"
) -> ComputeGraph:
    graph = GraphBuilder("form")
    x, y = graph.data("x", dims), graph.data("y", dims)
    built = graph.output(graph.op(op_type, x, y, name="add", attrs=attrs)).build()
    built.node("add").op.tasks = tasks
    return built


def types_of(recorder: Recorder) -> set[str]:
    return {item.kernel.partition("_")[0] for item in recorder.heard if item.kernel}


def sums(result: RunResult) -> bool:
    x, y = result.inputs.values()
    (output,) = result.outputs.values()
    return bool(np.array_equal(output, x + y))


@pytest.mark.parametrize(
    ("tasks", "attrs", "dims", "kernels"),
    [
        ((ALL_KERNEL,), {}, (-1,), {"CacheableTiling", "LaunchKernelWithHandle"}),
        ((ALL_KERNEL,), {}, (8,), {"LaunchKernelWithHandle"}),
        ((KERNEL,), {}, (-1,), {"CacheableTiling", "SinkNodeBinWithoutHandle", "LaunchKernelWithFlag"}),
        ((KERNEL,), {}, (8,), {"SinkNodeBinWithoutHandle", "LaunchKernelWithFlag"}),
        ((ALL_KERNEL, ALL_KERNEL), CLEAN, (-1,), {"Tiling", "AtomicLaunchKernelWithHandle"}),
        ((KERNEL, KERNEL), CLEAN, (-1,), {"Tiling", "AtomicLaunchKernelWithFlag"}),
        ((KERNEL, KERNEL), STATIC_CLEAN, (8,), {"AtomicLaunchKernelWithFlag"}),
        ((ALL_KERNEL,), {"_memcheck": True}, (-1,), {"TilingAppendDfxInfo"}),
        ((ALL_KERNEL,), {"workspace_bytes": (100, 7)}, (-1,), {"TilingAppendWorkspace"}),
        ((ALL_KERNEL,), {"workspace_bytes": (9,), "_op_dfx_buffer_size": 64}, (-1,), {"ExpandDfxWorkspaceSize"}),
        ((ALL_KERNEL,), {"partially_supported": True}, (-1,), {"CacheableFallibleTiling"}),
        ((ALL_KERNEL,), {"_cube_vector_core_type": "MIX_AICORE", "_mix_core_num_vec": (60, 20, 40)}, (-1,), set()),
    ],
)
def test_a_form_gives_the_sum_twice_and_leaves_nothing_behind(
    tasks: tuple[str, ...], attrs: Mapping[str, AttrValue], dims: tuple[int, ...], kernels: set[str]
) -> None:
    result, recorder = run(adding(tasks, attrs, dims), options=RunOptions(steps=2, inputs=("x=8", "y=8")))
    assert (result.status, result.fault, result.leaked_bytes) == (0, "", 0)
    assert sums(result)
    assert kernels - types_of(recorder) == set()


@pytest.mark.parametrize(("elements", "sent"), [(16, 0), (17, 1), (40, 2)])
def test_inputs_that_do_not_fit_into_the_arguments_are_copied(elements: int, sent: int) -> None:
    """Each of two inputs has 4 bytes an element, and both together have 128 at most."""
    options = RunOptions(inputs=(f"x={elements}", f"y={elements}"))
    result, recorder = run(adding((ALL_KERNEL,), {}), options=options)
    assert sums(result)
    copies = [item for item in recorder.heard if type(item.event).__name__ == "CopyAlloc"]
    assert len(copies) == sent


def test_an_operator_tells_its_shape_after_it_ran() -> None:
    graph = GraphBuilder("third")
    positions = nd_desc((-1, -1), DType.INT64)
    found = graph.op("NonZero", graph.data("x", (-1, -1)), outputs=[positions], attrs={"_unknown_shape_type": 3})
    result, recorder = run(graph.output(found).build(), options=RunOptions(steps=2, inputs=("x=2,3",)))
    (x,) = result.inputs.values()
    (output,) = result.outputs.values()
    assert output.tolist() == np.argwhere(x).tolist()
    assert {"InferShapeRange", "SetOutputShape"} <= types_of(recorder)


def _infer(operator: Operator) -> int:
    operator.get_output_desc(0).shape = operator.get_input_desc(0).shape
    return 0


def _tile(operator: Operator, offset: object, info: OpRunInfo) -> bool:
    assert isinstance(offset, int)
    info.block_dim = operator.get_input_desc(0).shape.storage.elements + offset
    info.tiling_data = info.block_dim.to_bytes(8, "little")
    return True


def _add(args: KernelArgs) -> None:
    count = int.from_bytes(args.tiling, "little")
    np.add(args.inputs[0][:count], args.inputs[1][:count], out=args.outputs[0][:count])


def old_ops() -> OpRegistry:
    ops = builtin_ops()
    op_add(ops, OpDef("AddOld", (), ()))
    infer_func_reg(ops, "AddOld", _infer)
    register_op_tiling(ops, "AddOld", OldTiling(4, lambda _operator, text: len(text) - len("{}"), _tile))
    kernel_binary(ops, "AddOld", _add)
    return ops


def test_an_operator_of_the_old_registries_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.api.ge_process.builtin_ops", old_ops)
    monkeypatch.setattr("runtime.api.simulate.check_support", lambda *_: None)
    graph = adding((ALL_KERNEL,), {}, op_type="AddOld")
    result, recorder = run(graph, options=RunOptions(steps=2, inputs=("x=8", "y=8")))
    assert (result.status, result.fault) == (0, "")
    assert sums(result)
    assert {"CompatibleInferShape", "CompatibleTiling", "CompatibleTilingParse"} <= types_of(recorder)
