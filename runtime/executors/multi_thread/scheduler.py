"""The scheduler's main loop: what is produced is handed out, what is through is taken back (spec/execution.md 2.5)."""

from collections.abc import Callable, Sequence

from getrace.errors import InternalError
from runtime.executors.multi_thread.binding import NoLimits, StreamLimits, dispatched, main_stream, release
from runtime.executors.multi_thread.crew import Crew
from runtime.executors.multi_thread.execution import Execution, RunKernel
from runtime.executors.multi_thread.free_launch import FreeLaunchCsr, FreeLaunchState
from runtime.executors.multi_thread.plan import ThreadPlan
from runtime.executors.multi_thread.producers.producer import TaskProducer
from runtime.executors.multi_thread.task import Done, ExecTask, TaskType
from runtime.executors.multi_thread.worker import TaskWorker
from runtime.kernels.context import Cell
from runtime.kernels.machine import Machine
from runtime.kernels.status import Status

ThreadListener = Callable[[int, bool], None]
"""Told the id of a worker's thread and whether it begins."""


class TaskScheduler:
    """``TaskScheduler``: runs one graph on its workers; the thread that calls waits until it is through.

    ``scheduled`` and ``completed`` count tasks of the last run. ``limits`` is the device's side of the binding of
    threads to streams. ``thread_listener`` is told by each run that has subscribers when each thread begins and ends
    to work for it: GE's profiling reports ``kModelExecute`` there.
    """

    def __init__(
        self,
        plan: ThreadPlan,
        producer: TaskProducer,
        workers: dict[TaskType, TaskWorker],
        crew: Crew,
        machine: Machine,
        inputs: Sequence[Cell] = (),
    ) -> None:
        self.plan = plan
        self.producer = producer
        self.workers = workers
        self.relation = FreeLaunchState(FreeLaunchCsr([0] * (len(plan.nodes) + 1), [], len(plan.nodes), 0))
        self.scheduled = self.completed = 0
        self.running = False
        self._crew = crew
        self._machine = machine
        self._inputs = inputs
        self.limits: StreamLimits = NoLimits()
        self.thread_listener: ThreadListener | None = None

    def prepare(self, csr: FreeLaunchCsr) -> int:
        """``Prepare``: take a relation. PARAM_INVALID, with the text of the broken rule, keeps the one there was."""
        if fault := csr.fault(len(self.plan.nodes)):
            place = ("task_scheduler.cc", 319, "CheckFreeLaunchCsr")
            self._machine.journal.error(place, fault, Status.FAILED)
            return Status.PARAM_INVALID
        self.relation = FreeLaunchState(csr)
        return Status.SUCCESS

    def schedule(
        self, run_kernel: RunKernel, begin: Callable[[], None], end: Callable[[], None], *, told: bool = False
    ) -> int:
        """``Schedule``: run the graph once and give the status that ended it. ``end`` is not called after a failure.

        ``told`` says that there are subscribers. What a kernel's code raises is raised here, when all threads have
        stopped.
        """
        with self._machine.turn:
            if status := self._start_up():
                return status
            run = Execution(self.plan, self.relation, self._machine.journal, run_kernel, self.producer.waits)
            self._dispatch_stream(run)
            begin()
            self._tell_threads(begins=True, told=told)
            memory = self._machine.memory
            before = memory.multi_thread, memory.wait_for_launches
            memory.multi_thread, memory.wait_for_launches = True, self._launches_submitted
            try:
                status = self._loop(run)
            except BaseException:
                self._break_off(run)
                raise
            finally:
                memory.multi_thread, memory.wait_for_launches = before
                self.producer.end_up()
                self._crew.sleep()
                self.running = False
            if run.failure is not None:
                raise run.failure
            self._tell_threads(begins=False, told=told)
            if not status:
                end()
            return status

    def wait_for_launch_submissions(self) -> int:
        """``WaitForLaunchSubmissions``: wait until launches are on their stream; the status the run was given up with.

        Only before a stream is synchronised so that its memory can go back to the device.
        """
        state, journal = self.relation, self._machine.journal
        origin = journal.origin
        if not self._crew.wait(lambda: state.settled):
            state.abort(Status.FAILED)
        journal.origin = origin
        return state.abort_status

    def close(self) -> None:
        """End the threads."""
        self._crew.stop()
        for worker in self.workers.values():
            for thread in worker.threads:
                release(thread, self.limits)

    def _tell_threads(self, *, begins: bool, told: bool) -> None:
        if told and self.thread_listener is not None:
            for worker in self.workers.values():
                for thread in worker.threads:
                    self.thread_listener(thread.tid, begins)

    def _launches_submitted(self) -> bool:
        return self.wait_for_launch_submissions() == 0

    def _start_up(self) -> int:
        if not self.plan.nodes:
            return 0
        if status := self.relation.start_up():
            return status
        if status := self.producer.start_up():
            self.relation.abort(status)
            self.producer.end_up()
            return status
        self.scheduled = self.completed = 0
        self.running = True
        return 0

    def _dispatch_stream(self, run: Execution) -> None:
        journal = self._machine.journal
        run.stream, run.limits = main_stream(self._inputs, journal), self.limits
        if run.stream:
            journal.say(dispatched(run.stream, self._machine.device.streams, len(TaskType)))

    def _loop(self, run: Execution) -> int:
        self._crew.wake(run)
        while True:
            tasks = self.producer.produce()
            self._hand_out(tasks)
            if not tasks and self.completed == self.scheduled:
                return 0
            if status := self._recycle(run):
                self.relation.abort(status)
                run.force_quit = True
                while self.completed < self.scheduled:
                    self._take(run)
                return status

    def _break_off(self, run: Execution) -> None:
        """Leave nothing of a run that the caller was torn out of (Ctrl-C): its tasks would run in the next one."""
        self.relation.abort(Status.FAILED)
        run.force_quit = True
        workers = self.workers.values()
        self._crew.wait(lambda: not any(thread.running for worker in workers for thread in worker.threads))
        for worker in workers:
            worker.forget()

    def _hand_out(self, tasks: Sequence[ExecTask]) -> None:
        """Give tasks to the workers of their kind; what finds no room goes back and is tried again."""
        for at, task in enumerate(tasks):
            worker = self.workers.get(task.type) or self.workers[TaskType.NORMAL]
            if worker.submit(task):
                self.producer.put_back(tasks[at:])
                return
            self.scheduled += 1

    def _recycle(self, run: Execution) -> int:
        done = self._take(run)
        return self.producer.recycle(done)

    def _take(self, run: Execution) -> Sequence[Done]:
        if not self._crew.wait(lambda: bool(run.done)):
            raise InternalError("no worker of the multi-thread executor can go on")
        done = run.take()
        self.completed += len(done)
        return done
