"""What happens around one kernel on a worker's thread, and what follows from its status (spec/execution.md 2.5).

One object per run: it is what threads see of the scheduler, so a thread cannot reach the producer.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from getrace.events import Level
from getrace.events.markers import KernelFailed
from runtime.executors.multi_thread.binding import StreamLimits, bind
from runtime.executors.multi_thread.free_launch import FreeLaunchState
from runtime.executors.multi_thread.plan import ThreadPlan
from runtime.executors.multi_thread.task import Done
from runtime.executors.multi_thread.worker import TaskThread
from runtime.kernels.status import Status
from runtime.memory.journal import Journal

RunKernel = Callable[[int], int]
"""Runs the kernel of a number, plain, stamped or told."""


class Execution:
    """``Run`` of one Execute: counts waits down, tells failures, and keeps what threads have finished."""

    def __init__(
        self,
        plan: ThreadPlan,
        relation: FreeLaunchState,
        journal: Journal,
        run_kernel: RunKernel,
        waits: list[int] | None,
    ) -> None:
        self.force_quit = False
        self.done: list[Done] = []
        self.failure: BaseException | None = None
        self.stream = 0
        self.limits: StreamLimits | None = None
        self._plan = plan
        self._relation = relation
        self._journal = journal
        self._run_kernel = run_kernel
        self._waits = waits
        self._caller = journal.origin

    def must_wait(self, number: int) -> bool:
        """Whether a kernel was handed out before its turn."""
        return self._waits is not None and self._waits[number] > 0

    def prepare(self, thread: TaskThread) -> bool:
        """Bind a thread to the main stream, if it has another one."""
        if self.limits is None or thread.bound_stream == self.stream:
            return False
        self._speak_as(thread)
        bind(thread, self.stream, self.limits, self._journal)
        self._journal.origin = self._caller
        return True

    def execute(self, number: int, thread: TaskThread) -> int:
        """Run a kernel under the thread's own id. What its code raises ends the run and comes out of Execute."""
        waits, plan = self._waits, self._plan
        if waits is not None:
            waits[number] += plan.topology.indegrees[number]
        self._speak_as(thread)
        try:
            status = self._run_kernel(number)
            status = status or self._relation.executed(number)
            if status:
                self._failed(number, status)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that called Execute
            self.failure = self.failure or error
            status = Status.FAILED
            self._relation.abort(status)
        finally:
            self._journal.origin = self._caller
        if waits is not None and not status:
            for watcher in plan.topology.watchers[number]:
                waits[watcher] -= 1
        return status

    def finished(self, done: Done) -> None:
        """Keep a task that is through until the scheduler asks."""
        self.done.append(done)

    def take(self) -> Sequence[Done]:
        """Give the tasks that are through since the last time."""
        taken, self.done = self.done, []
        return taken

    def _speak_as(self, thread: TaskThread) -> None:
        if thread.origin is None or thread.origin.stage != self._caller.stage:
            thread.origin = replace(self._caller, tid=thread.tid)
        self._journal.origin = thread.origin

    def _failed(self, number: int, status: int) -> None:
        self._relation.abort(status)
        if status != Status.END_OF_SEQUENCE:
            node = self._plan.nodes[number]
            self._journal.say(KernelFailed(node.name, node.context.type), level=Level.ERROR)
