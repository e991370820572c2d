"""What a diagnosis adds to the opening of a log of a gigabyte, both measured in one run."""

import time
from pathlib import Path
from typing import Any

import pytest
from whole_logs import FAULT, write_whole

from getrace.analysis.failure import diagnose
from getrace.analysis.failure.model import How, Verdict
from getrace.analysis.rules.book import own_book
from getrace.analysis.rules.load import own_rules
from getrace.plog.scan_choice import VARIABLE
from getrace.plog.scan_native import extension
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


SCANNERS = ("numpy",) if extension() is None else ("numpy", "native")
"""A faster scanner opens a log sooner, and the same diagnosis is more of it."""


@pytest.mark.parametrize("name", LOGS)
def test_a_diagnosis_adds_a_fifth_at_most_to_opening_a_log(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    how, verdict, evidence = LOGS[name]
    path = tmp_path / "plog-4711_20260305100000000.log"
    lines = write_whole(path, SIZE, **how)
    ratios = {}
    for scanner in SCANNERS:
        monkeypatch.setenv(VARIABLE, scanner)
        own_rules.cache_clear()  # a user's first diagnosis reads the table, too
        own_book.cache_clear()
        start = time.perf_counter()
        store = open_store([str(path)])
        opened = time.perf_counter()
        told = diagnose(store)
        diagnosed = time.perf_counter()
        assert store.rows == lines
        assert told.verdict is verdict
        assert (told.failure.how if told.failure else None) is evidence
        ratios[scanner] = (diagnosed - opened) / (opened - start)
        seconds = f"opened in {opened - start:.2f} s, diagnosed in {diagnosed - opened:.2f} s"
        print(f"\n{name}, {scanner}: {seconds}, ratio {ratios[scanner]:.3f}", end="")
        del store
    path.unlink()
    assert max(ratios.values()) <= SHARE, ratios
