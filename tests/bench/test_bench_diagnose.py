"""What a diagnosis adds to the opening of a log of a gigabyte, both measured in one run."""

import time
from pathlib import Path
from typing import Any

import pytest
from whole_logs import FAULT, write_whole

from getrace.analysis.failure import diagnose
from getrace.analysis.failure.model import How, Verdict
from getrace.replay import open_store

pytestmark = pytest.mark.bench

SIZE = 1_000_000_000
SHARE = 0.2

# Logs of an application that went well, failed on the device, stopped, logs errors all the time; one of a model alone.
LOGS: dict[str, tuple[dict[str, Any], Verdict, How | None]] = {
    "clean": ({}, Verdict.CLEAN, None),
    "failed": ({"ending": FAULT}, Verdict.FAILED, How.TASK_JOIN),
    "stopped": ({"open_run": True}, Verdict.UNKNOWN, How.SILENCE),
    "noisy": ({"noisy": True}, Verdict.CLEAN, None),
    "noisy and failed": ({"noisy": True, "ending": FAULT}, Verdict.FAILED, How.TASK_JOIN),
    "traced": ({"share": 0.85, "ending": FAULT}, Verdict.FAILED, How.TASK_JOIN),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_diagnosis_adds_a_fifth_at_most_to_opening_a_log(tmp_path: Path, name: str) -> None:
    how, verdict, evidence = LOGS[name]
    path = tmp_path / "plog-4711_20260305100000000.log"
    lines = write_whole(path, SIZE, **how)
    start = time.perf_counter()
    store = open_store([str(path)])
    opened = time.perf_counter()
    told = diagnose(store)
    diagnosed = time.perf_counter()
    path.unlink()
    assert store.rows == lines
    assert told.verdict is verdict
    assert (told.failure.how if told.failure else None) is evidence
    ratio = (diagnosed - opened) / (opened - start)
    print(f"\n{name}: opened in {opened - start:.1f} s, diagnosed in {diagnosed - opened:.2f} s, ratio {ratio:.3f}")
    assert ratio <= SHARE
