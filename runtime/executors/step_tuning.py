"""The line that GE prints for each step while multi-stream tuning is on (spec/execution.md 1.5).

It waits for the stream to measure it, which changes what it measures; so it exists only when a mode was asked for.
"""

from collections.abc import Callable
from threading import local

from getrace.events.text import LogLine
from runtime.kernels.machine import Machine

_PLACE = ("step_scope.cc", 0, "~StepScope")
_API = "ModelV2Executor"
_MICROSECOND = 1000
_thread = local()


class StepTuning:
    """``StepScope`` of one executor. ``mode`` is the tuning mode, ``execution_id`` the number it was built with."""

    def __init__(self, machine: Machine, mode: str, execution_id: int) -> None:
        self._machine = machine
        self._mode = mode
        self._execution_id = execution_id
        self._steps = 0

    def step(self, stream: int, run: Callable[[], int]) -> int:
        """Run a step and give its status. Inside another step of the same thread nothing is measured."""
        if getattr(_thread, "inside", False):
            return run()
        clock = self._machine.device.clock
        _thread.inside = True
        start = clock.ns
        try:
            status = run()
        finally:
            _thread.inside = False
        end = clock.ns
        waited = 0 if status else self._machine.device.synchronize(stream)
        self._say(start, end, clock.ns - end, status, waited)
        return status

    def _say(self, start: int, end: int, sync: int, status: int, waited: int) -> None:
        self._steps += 1
        start_us, end_us = start // _MICROSECOND, end // _MICROSECOND
        text = (
            f"[GE_MS_TUNE][STEP] api={_API} mode={self._mode} model_id={self._execution_id} step={self._steps} "
            f"start_us={start_us} end_us={end_us} cost_us={end_us - start_us} sync_us={sync // _MICROSECOND} "
            f"ret={int(status)} sync_ret={waited}"
        )
        self._machine.journal.say(LogLine("GE", *_PLACE, text))
