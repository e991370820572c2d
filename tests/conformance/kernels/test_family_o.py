"""Family O, control: each kernel type is run, one row or more each (spec/lowering.md 11.O, execution.md 2.4)."""

from typing import Any

import numpy as np
import pytest
from kernel_runs import Workbench

from runtime.kernels.control import NotifySignal
from runtime.values import DType, StorageShape

PARAM_INVALID = 1343225857
FAILED = 4294967295


@pytest.mark.parametrize(
    ("kernel", "inputs"),
    [
        ("NoOp", ()),
        ("Enter", ()),
        ("Exit", ()),
        ("BranchPivot", ()),
        ("BranchDone", ()),
        ("WaitAnyone", ()),
        ("WatcherPlaceholder", (None,)),
    ],
)
def test_kernels_that_only_order_succeed_and_say_nothing(kernel: str, inputs: tuple[Any, ...]) -> None:
    bench = Workbench()
    assert bench.run(bench.context(kernel, *inputs, outputs=0)) == 0
    assert bench.recorder.events() == []


@pytest.mark.parametrize(
    ("kernel", "chosen", "watchers"),
    [
        ("SwitchNotify", 0, [11, 40]),
        ("SwitchNotify", 1, [12, 40]),
        ("CondSwitchNotify", True, [11, 40]),
        ("CondSwitchNotify", False, [12, 40]),
    ],
)
def test_a_switch_tells_one_receiver_and_all_that_wait_for_its_end(
    kernel: str, chosen: int, watchers: list[int]
) -> None:
    bench = Workbench()
    signal = NotifySignal([11, 40], (11, 12))
    assert bench.run(bench.context(kernel, chosen, outputs=[signal, None, None])) == 0
    assert signal.watchers == watchers


def test_a_branch_that_is_not_there_is_refused() -> None:
    bench = Workbench()
    signal = NotifySignal([11], (11, 12))
    assert bench.run(bench.context("SwitchNotify", 2, outputs=[signal, None, None])) == PARAM_INVALID
    assert bench.said() == ["Invalid branch index 2, receiver num 2"]
    assert signal.watchers == [11]


CONDITIONS: list[tuple[Any, DType, bool]] = [
    (np.array(True), DType.BOOL, True),
    (np.array(False), DType.BOOL, False),
    (np.array(-3, np.int32), DType.INT32, True),
    (np.array(0, np.int64), DType.INT64, False),
    (np.array(1e-9, np.float32), DType.FLOAT, False),
    (np.array(1e-9, np.float64), DType.DOUBLE, True),
    (np.zeros((2, 3), np.float32), DType.FLOAT, True),
    (np.zeros((2, 0), np.float32), DType.FLOAT, False),
]


@pytest.mark.parametrize(("value", "dtype", "holds"), CONDITIONS)
def test_a_condition_picks_the_first_branch_when_it_holds(value: Any, dtype: DType, holds: bool) -> None:
    bench = Workbench()
    context = bench.context("GenIndexForIf", bench.host_tensor(value, dtype))
    assert bench.run(context) == 0
    assert context.output(0) == (0 if holds else 1)


@pytest.mark.parametrize(("value", "dtype", "holds"), CONDITIONS)
def test_the_condition_of_a_loop_follows_the_same_rules(value: Any, dtype: DType, holds: bool) -> None:
    bench = Workbench()
    shape = StorageShape.same(value.shape)
    context = bench.context("GenCondForWhile", bench.on_host(value), shape, dtype)
    assert bench.run(context) == 0
    assert context.output(0) is holds


def test_a_condition_of_a_type_without_truth_is_refused() -> None:
    bench = Workbench()
    tensor = bench.host_tensor(np.array(0, np.complex64), DType.COMPLEX64)
    assert bench.run(bench.context("GenIndexForIf", tensor)) == FAILED
    assert bench.said() == ["Unsupported cond data type DT_COMPLEX64(16)"]


@pytest.mark.parametrize(("index", "branch"), [(0, 0), (2, 2), (3, 2), (-1, 2)])
def test_an_index_out_of_range_means_the_last_branch(index: int, branch: int) -> None:
    bench = Workbench()
    context = bench.context("GenIndexForCase", bench.host_tensor(np.array(index, np.int32), DType.INT32), 3)
    assert bench.run(context) == 0
    assert context.output(0) == branch


def test_a_case_without_branches_is_refused() -> None:
    bench = Workbench()
    tensor = bench.host_tensor(np.array(0, np.int32), DType.INT32)
    assert bench.run(bench.context("GenIndexForCase", tensor, 0)) == PARAM_INVALID
    assert bench.said() == ["Failed to generate index for case, at least one default branch"]


def test_a_calculated_condition_calls_the_function_that_was_found_by_name() -> None:
    bench = Workbench()

    def twice(context: Any) -> int:
        context.set(0, 2 * context.input(0))
        return 0

    bench.machine.host_functions["twice"] = twice
    find = bench.context("FindKernelFunc", "twice")
    assert bench.run(find) == 0
    calc = bench.context("ConditionCalc", 21, find.output(0))
    assert bench.run(calc) == 0
    assert calc.output(0) == 42


def test_a_condition_function_that_nobody_registered_is_named() -> None:
    bench = Workbench()
    assert bench.run(bench.context("FindKernelFunc", "missing")) == FAILED
    assert bench.said() == ["[FindKernelFunc][k]Failed to find kernel func missing"]
