"""Models of AI CPU and host operators, lowered and run: what comes out is what numpy computes, and nothing leaks."""

from collections.abc import Sequence

import numpy as np
import pytest
from one_operator import KNOWN, UNKNOWN, model_of

from getrace.bus import Bus
from getrace.dumps.snapshot import AttrValue
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, RunResult, run_model
from runtime.graph.compute_graph import nd_desc
from runtime.values import DType

TF, CC, HOST = "aicpu_tf_kernel", "aicpu_ascend_kernel", "DNN_VM_HOST_CPU_OP_STORE"


def run(
    type_name: str,
    engine: str,
    attrs: dict[str, AttrValue],
    dims: Sequence[Sequence[int]] = (UNKNOWN, UNKNOWN),
    dtype: DType = DType.FLOAT,
) -> RunResult:
    model = model_of(type_name, engine, dims, (dims[0],) if type_name != "NonZero" else ((1, -1),), attrs)
    op = model.node("op").op
    op.outputs = (nd_desc(op.outputs[0].shape, dtype),)
    model.node("NetOutput").op.inputs = op.outputs
    shapes = {f"x{index}": (3,) for index in range(len(dims)) if -1 in dims[index]}
    return run_model(Model("m", model, shapes), RunOptions(steps=2), Bus(lambda: 0))


@pytest.mark.parametrize("dims", [UNKNOWN, KNOWN])
@pytest.mark.parametrize(
    ("engine", "attrs"),
    [
        (TF, {}),
        (TF, {"_is_blocking_op": True}),
        (CC, {}),
        (CC, {"_support_blockdim_flag": True, "_blockdim_index": 0}),
        (CC, {"aicpu_kernel_type": 7, "cust_aicpu_kernel": b"so"}),
        (CC, {"_aicpu_workspace_type": (0,), "workspace_bytes": (64,)}),
        (HOST, {}),
    ],
)
def test_each_form_of_a_sum_gives_the_sum(engine: str, attrs: dict[str, AttrValue], dims: tuple[int, ...]) -> None:
    result = run("Add", engine, attrs, (dims, dims))
    (found,) = result.outputs.values()
    assert (result.status, result.fault, result.steps, result.leaked_bytes) == (0, "", 2, 0)
    np.testing.assert_array_equal(found, result.inputs["x0"] + result.inputs["x1"])


@pytest.mark.parametrize("engine", [TF, CC])
def test_results_of_the_fourth_class_are_copied_out_in_their_own_shape(engine: str) -> None:
    result = run("NonZero", engine, {"_unknown_shape_type": 4}, (UNKNOWN,), DType.INT64)
    (found,) = result.outputs.values()
    assert (result.status, result.fault, result.leaked_bytes) == (0, "", 0)
    assert found.tolist() == np.argwhere(result.inputs["x0"]).tolist()
