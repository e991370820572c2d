"""Fixtures that every kind of test may ask for."""

import os
from pathlib import Path

import pytest


def pytest_configure() -> None:
    """Keep the user's cache out of the tests, and the tests out of it; processes that a test starts inherit this."""
    os.environ["GETRACE_CACHE"] = "off"


@pytest.fixture(scope="session")
def cases() -> Path:
    """The collection of real logs, dumps and models; tests that need it skip where it is absent."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "cases"
    folder = Path(os.environ.get("GETRACE_CASES", beside))
    if not folder.is_dir():
        pytest.skip("no case collection: set GETRACE_CASES to its folder")
    return folder


@pytest.fixture(scope="session")
def case_01(cases: Path) -> Path:
    """The real RT2 log whose GatherV2 kernel fails on the device."""
    return cases / "real" / "01-rt2-kerneltrace-gatherv2-aicore-full-plog370.log"
