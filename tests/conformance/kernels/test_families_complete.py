"""Each kernel type that is said to run is run by a test of its family or of memory that states something and passes."""

import os
import subprocess
import sys
from pathlib import Path

import executed_kernels
import pytest

from runtime.kernels.catalogue import catalogue

HERE = Path(__file__).parent
TYPES = 280
IDLE = {
    "DlcloseSoHandles": "GE registers it and lowers nothing to it",
    "GetAutofuseFuncs": "it calls a library that was generated for one model",
    "GetSymbolTilingCacheKey": "it calls a library that was generated for one model",
    "SymbolTilingParse": "it calls a library that was generated for one model",
}
"""Types of the families that run, A, F to P, R and T, which do not; with the reason."""


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The types that the tests of the families run: a type that is only mentioned is not among them."""
    found = tmp_path_factory.mktemp("kernels") / "executed.txt"
    memory = HERE.parent / "memory"
    tests = [str(path) for path in sorted([*HERE.glob("test_family_*.py"), *memory.glob("test_??_*.py")])]
    command = [sys.executable, "-m", "pytest", "-p", "executed_kernels", "-p", "no:cacheprovider", "-n", "0", *tests]
    folders = [str(Path(executed_kernels.__file__).parent), str(HERE.parents[2])]
    environment = {
        **os.environ,
        executed_kernels.VARIABLE: str(found),
        "PYTHONPATH": os.pathsep.join(folders),
    }
    done = subprocess.run(command, env=environment, cwd=HERE.parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return set(found.read_text(encoding="utf-8").splitlines())


def test_each_type_that_runs_is_run_by_a_test_that_states_something(executed: set[str]) -> None:
    assert [entry.type for entry in catalogue() if entry.runs and entry.type not in executed] == []


def test_nothing_else_is_run(executed: set[str]) -> None:
    assert executed <= {entry.type for entry in catalogue() if entry.runs}


def test_a_test_without_an_assert_proves_nothing() -> None:
    def silent() -> None:
        Path()

    def speaking() -> None:
        assert Path()

    assert not executed_kernels.states_something(silent)
    assert executed_kernels.states_something(speaking)


def test_all_types_are_listed_and_each_that_does_not_run_says_why() -> None:
    entries = catalogue()
    assert (len(entries), len({entry.type for entry in entries})) == (TYPES, TYPES)
    assert [entry.type for entry in entries if bool(entry.reason) == entry.runs] == []


def test_the_families_that_run_are_whole_but_for_generated_libraries() -> None:
    idle = {entry.type: entry.reason for entry in catalogue() if entry.family in "AFGHIJKLMNOPRT" and not entry.runs}
    assert idle == IDLE
