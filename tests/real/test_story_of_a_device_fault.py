"""A simulated fault of the device reads like the real one of cases/real/01: same kinds of RUNTIME lines, same order."""

from pathlib import Path

import numpy as np
import pytest
from simulated_runs import OpenProcess, add_model, floats, open_process

from getrace.events import Level
from getrace.events.device import RuntimeEvent
from getrace.replay import open_store

LAUNCH, FAILURE = 8325, 8435
"""Lines of the launch that fails and of the last word of RUNTIME on it."""

LAUNCHED = ["KernelLaunched", "TaskSubmitted", "TaskListed"]
COPIED = RECORDED = ["TaskSubmitted", "TaskListed"]
DIED = ["ErrorDetected", "TaskException", "CoreError", "TaskFinished", "KernelFault", "ErrorDetected"]
TOLD = ["SyncFailed", "KernelFault", "ApiFailed"]
REAL = [*LAUNCHED, *COPIED, "SyncStarted", *RECORDED, *DIED, "TaskFinished", "TaskFinished", *TOLD]
"""What RUNTIME says in the real log, by kind of event."""
SIMULATED = [*LAUNCHED, "SyncStarted", "TaskFinished", "TaskFinished", *DIED, *TOLD]
"""Copies stand before the launch and none behind it; a simulated host needs no record to know that a stream is done."""


def failed(level: Level) -> tuple[OpenProcess, int]:
    process = open_process(add_model(), faults=["aicore@add"], level=Level.INFO)
    process.machine.journal.bus.set_level("RUNTIME", level)
    assert process.executor.load(process.arg) == 0
    status, _ = process.outputs([floats(1, 2), floats(3, 4)], 1)
    return process, status


def story(process: OpenProcess) -> list[RuntimeEvent]:
    heard = [item.event for item in process.recorder.heard]
    return [event for event in heard if isinstance(event, RuntimeEvent)]


@pytest.mark.real
def test_the_real_log_tells_the_story_in_this_order(cases: Path) -> None:
    (path,) = (cases / "real").glob("01-rt2-kerneltrace-gatherv2*.log")
    store = open_store([str(path)])
    lines = store.column("line")
    rows = np.flatnonzero((lines >= LAUNCH) & (lines <= FAILURE)).tolist()
    found = [kind.__name__ for kind in map(store.kind, rows) if issubclass(kind, RuntimeEvent)]
    assert [name for name in found if name != "HostMalloc"] == REAL


def test_a_simulated_fault_tells_it_in_the_same_order() -> None:
    process, status = failed(Level.INFO)
    assert status == 507015
    told = [type(event).__name__ for event in story(process)]
    launched = max(index for index, name in enumerate(told) if name == "KernelLaunched")
    assert told[launched:] == SIMULATED
    (exception,) = [event for event in story(process) if type(event).__name__ == "TaskException"]
    assert (getattr(exception, "ret", 0), getattr(exception, "reason", "")) == (0x26, "aicore exception")


def test_at_level_error_the_errors_stay() -> None:
    process, status = failed(Level.ERROR)
    assert status == 507015
    assert [type(event).__name__ for event in story(process)] == [
        "TaskException",
        "CoreError",
        "KernelFault",
        "SyncFailed",
        "KernelFault",
        "ApiFailed",
    ]


def test_every_task_is_submitted_once_and_finished_once() -> None:
    process = open_process(add_model())
    process.machine.journal.bus.set_level("RUNTIME", Level.INFO)
    assert process.executor.load(process.arg) == 0
    status, (y,) = process.outputs([floats(1, 2), floats(3, 4)], 1)
    assert status == 0
    assert np.array_equal(y, floats(4, 6))
    told = story(process)
    ids = {
        name: [
            (getattr(event, "rt_stream", -1), getattr(event, "task", -1))
            for event in told
            if type(event).__name__ == name
        ]
        for name in ("TaskSubmitted", "TaskListed", "TaskFinished")
    }
    assert ids["TaskSubmitted"] == ids["TaskListed"] == ids["TaskFinished"]
    assert len(set(ids["TaskFinished"])) == len(ids["TaskFinished"]) == 3
    counts = [getattr(event, "count", 0) for event in told if type(event).__name__ == "TaskFinished"]
    assert counts == [1, 2, 3]
