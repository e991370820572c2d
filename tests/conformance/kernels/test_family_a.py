"""Family A, feed, constants, session, model description: each kernel type is run (spec/lowering.md 11.A)."""

from types import SimpleNamespace
from typing import Any

import pytest
from kernel_runs import Workbench

PARAM_INVALID = 1343225857


@pytest.mark.parametrize(("kernel", "value"), [("Data", 7), ("Const", "text"), ("NetOutput", None)])
def test_what_was_placed_before_stays_as_it_is(kernel: str, value: Any) -> None:
    bench = Workbench()
    context = bench.context(kernel, outputs=[value])
    assert bench.run(context) == 0
    assert context.output(0) == value
    assert bench.recorder.events() == []


@pytest.mark.parametrize(
    ("kernel", "given", "got"),
    [
        ("GetSessionId", SimpleNamespace(session_id=42), 42),
        ("GetFileConstantWeightDir", SimpleNamespace(file_constant_weight_dir="weights/"), "weights/"),
    ],
)
def test_a_fact_of_the_callers_record_is_handed_on(kernel: str, given: Any, got: object) -> None:
    bench = Workbench()
    context = bench.context(kernel, given)
    assert bench.run(context) == 0
    assert context.output(0) == got


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        ("GetSessionId", "Assert ((rt_session) != nullptr) failed"),
        ("GetFileConstantWeightDir", "Assert ((model_desc) != nullptr) failed"),
    ],
)
def test_a_record_that_is_missing_is_refused(kernel: str, text: str) -> None:
    bench = Workbench()
    assert bench.run(bench.context(kernel, None)) == PARAM_INVALID
    assert bench.said() == [text]


@pytest.mark.parametrize(("kernel", "inputs"), [("GetSpaceRegistry", (None, 1)), ("GetSpaceRegistries", (None,))])
def test_the_operators_of_the_process_serve_every_version(kernel: str, inputs: tuple[Any, ...]) -> None:
    bench = Workbench()
    context = bench.context(kernel, *inputs)
    assert bench.run(context) == 0
    assert context.output(0) is bench.machine.ops
