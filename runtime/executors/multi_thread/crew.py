"""Who makes the threads of the workers step: the operating system, or a seed (spec/execution.md 2.5).

Whoever runs a kernel holds the machine's ``turn``. Kernels share one clock, one journal, one device and allocators
without locks, and in Python two of them would not run at the same time anyway; so threads change between kernels and
where one waits, and nowhere else. GE's critical sections stay what they are, a choice of worker: they keep the order.
"""

from collections.abc import Callable, Sequence
from random import Random
from threading import Condition, Thread
from time import sleep
from typing import Final, Protocol

from getrace.errors import InternalError
from runtime.executors.multi_thread.worker import Run, TaskThread
from runtime.executors.options import TaskThreadMode

THREAD_NAME: Final = "ge_exe_tasktd"

_LONGEST_WAIT_S: Final = 60.0
"""How long nobody may make a step. GE's wait for launches has no end (spec 9.29); a simulation should end."""

_PAUSES: Final = {TaskThreadMode.URGENT: None, TaskThreadMode.MODERATE: 0.0, TaskThreadMode.LOW_LOAD: 1e-6}
"""What a thread does between two kernels: go on, yield, or sleep a microsecond."""


class Crew(Protocol):
    """Lets threads work for a run."""

    def wake(self, run: Run) -> None:
        """Let the threads work for a run from now on."""

    def sleep(self) -> None:
        """Let them rest."""

    def wait(self, until: Callable[[], bool]) -> bool:
        """Let the threads work until something holds; False when it never will. The caller holds the turn."""

    def stop(self) -> None:
        """End the threads."""


class ThreadCrew:
    """Real threads, begun when they are first needed. They wait for the turn, and for something to do."""

    def __init__(self, threads: Sequence[TaskThread], turn: Condition) -> None:
        self._members = threads
        self._turn = turn
        self._run: Run | None = None
        self._threads: list[Thread] = []
        self._stopped = False
        self._steps = 0

    def wake(self, run: Run) -> None:
        """Let the threads work for a run from now on."""
        self._run = run
        self._stopped = False
        for member in self._members[len(self._threads) :]:
            thread = Thread(target=self._work, args=(member,), name=THREAD_NAME, daemon=True)
            thread.start()
            self._threads.append(thread)
        self._turn.notify_all()

    def sleep(self) -> None:
        """Let them rest."""
        self._run = None

    def wait(self, until: Callable[[], bool]) -> bool:
        """Give the turn away until something holds, or nobody has made a step for a minute.

        Who is interrupted here (Ctrl-C) has the turn, too: the caller's ``with`` gives it back.
        """
        self._turn.notify_all()
        try:
            return self._wait_while_steps_are_made(until)
        except BaseException:
            self._own_turn()
            raise

    def stop(self) -> None:
        """End the threads and wait for them."""
        with self._turn:
            self._run, self._stopped = None, True
            self._turn.notify_all()
        for thread in self._threads:
            thread.join()
        self._threads = []

    def _wait_while_steps_are_made(self, until: Callable[[], bool]) -> bool:
        while True:
            before = self._steps
            if self._turn.wait_for(until, _LONGEST_WAIT_S):
                return True
            if self._steps == before:
                return False

    def _own_turn(self) -> None:
        """Take the turn unless this thread has it; a condition says so only by refusing to notify."""
        try:
            self._turn.notify_all()
        except RuntimeError:
            self._turn.acquire()

    def _work(self, member: TaskThread) -> None:
        pause = _PAUSES[member.worker.mode]
        while True:
            with self._turn:
                while not (self._run is not None and member.step(self._run)):
                    if self._stopped:
                        return
                    self._turn.wait()
                self._steps += 1
                self._turn.notify_all()
            if pause is not None:
                sleep(pause)


class SeededCrew:
    """No threads: whoever waits lets the members step, the next one drawn from a seed. One seed, one order."""

    def __init__(self, members: Sequence[TaskThread], seed: int) -> None:
        self._members = list(members)
        self._random = Random(seed)  # noqa: S311 - reproducible, not secret
        self._run: Run | None = None

    def wake(self, run: Run) -> None:
        """Let the members work for a run from now on."""
        self._run = run

    def sleep(self) -> None:
        """Let them rest."""
        self._run = None

    def wait(self, until: Callable[[], bool]) -> bool:
        """Let members step until something holds. A member in the middle of a kernel waits for the others."""
        while not until():
            if not self._step():
                return False
        return True

    def stop(self) -> None:
        """There is nothing to end."""

    def _step(self) -> bool:
        if self._run is None:
            raise InternalError("nobody works for this run")
        order = [member for member in self._members if not member.running]
        self._random.shuffle(order)
        return any(member.step(self._run) for member in order)
