"""The log that several benches read: a gigabyte, or the one that ``GETRACE_BENCH_LOG`` names."""

import os
from pathlib import Path

import pytest
from plog_generator import write_plog

SIZE = 1_000_000_000
SHARE = 0.02


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give its path."""
    there = os.environ.get("GETRACE_BENCH_LOG")
    if there:
        return Path(there)
    path = tmp_path_factory.mktemp("bench") / "plog-1_1.log"
    write_plog(path, SIZE, SHARE)
    return path
