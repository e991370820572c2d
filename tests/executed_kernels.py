"""A plugin of pytest: which kernel types the tests that passed have run, written to the file that a variable names.

A type counts only where the test that ran it states something: its function holds an assert.
"""

import ast
import inspect
import os
import textwrap
from pathlib import Path

import pytest
from kernel_runs import Workbench

from runtime.kernels.context import KernelContext

VARIABLE = "EXECUTED_KERNELS"
_run = Workbench.run
_of_test: set[str] = set()
_proved: set[str] = set()


def _recorded(self: Workbench, context: KernelContext) -> int:
    _of_test.add(context.type)
    return _run(self, context)


def states_something(function: object) -> bool:
    """Whether a test function holds an assert."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))  # type: ignore[arg-type]
    return any(isinstance(node, ast.Assert) for node in ast.walk(tree))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> object:
    """Note what a test runs; a test that fails raises here and proves nothing."""
    _of_test.clear()
    result = yield
    if isinstance(item, pytest.Function) and states_something(item.function):
        _proved.update(_of_test)
    return result


def pytest_configure() -> None:
    """Begin to listen."""
    Workbench.run = _recorded  # type: ignore[method-assign]


def pytest_sessionfinish() -> None:
    """Write the types, one a line."""
    Workbench.run = _run  # type: ignore[method-assign]
    Path(os.environ[VARIABLE]).write_text("\n".join(sorted(_proved)), encoding="utf-8")
