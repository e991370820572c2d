"""A run on several threads that its caller is torn out of: nothing of it is left for the next one."""

import signal
from collections.abc import Callable, Sequence
from threading import Condition, Thread

import pytest
from number_graphs import NumberGraph

from runtime.executors.multi_thread import crew
from runtime.executors.multi_thread.scheduler import TaskScheduler
from runtime.executors.multi_thread.task import Done
from runtime.executors.options import MultiThreadExecutorOption, TaskProducerType

KERNEL, CHAIN, OP = TaskProducerType.KERNEL, TaskProducerType.CHAIN, TaskProducerType.OP
SECTIONS = ("", "memory", "launch")
LENGTH = 40


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "_LONGEST_WAIT_S", 2.0)


def scheduler_of(graph: NumberGraph) -> TaskScheduler:
    found = graph.executor.data.scheduler
    assert found is not None
    return found


def lanes(option: MultiThreadExecutorOption, interrupted_at: int | None = None) -> NumberGraph:
    """Two lanes of kernels that change between the workers; the process is interrupted in one of them, once."""
    pending = [] if interrupted_at is None else [interrupted_at]

    def interrupt() -> int:
        if pending:
            pending.pop()
            signal.raise_signal(signal.SIGINT)
        return 0

    graph = NumberGraph()
    nodes = [
        graph.kernel(
            f"K{at}_{at}", interrupt if at == interrupted_at else lambda *_: 0, section=SECTIONS[at % 3], priority=at
        )
        for at in range(LENGTH)
    ]
    graph.order(*nodes[::2])
    graph.order(*nodes[1::2])
    graph.build(option)
    return graph


def run_once_more(graph: NumberGraph) -> None:
    graph.take()
    assert graph.run() == (0, [])
    assert sorted(graph.take()) == sorted(f"K{at}_{at}" for at in range(LENGTH))
    graph.executor.emptied()


@pytest.mark.parametrize("split", [KERNEL, CHAIN, OP])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_an_interrupt_between_two_tasks_leaves_no_task_for_the_next_run(
    split: TaskProducerType, seed: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = lanes(MultiThreadExecutorOption(thread_num=4, split=split, seed=seed))

    def interrupted(_done: Sequence[Done]) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(scheduler_of(graph).producer, "recycle", interrupted)
        with pytest.raises(KeyboardInterrupt):
            graph.run()
    assert not scheduler_of(graph).running
    run_once_more(graph)


@pytest.mark.parametrize("at", [0, 7, 20, 39])
def test_an_interrupt_that_comes_while_threads_work_comes_out_of_execute_and_the_next_run_is_whole(at: int) -> None:
    graph = lanes(MultiThreadExecutorOption(thread_num=4), interrupted_at=at)
    with pytest.raises(KeyboardInterrupt):
        graph.run()
    run_once_more(graph)


class Impatient(Condition):
    """A condition whose waits for something are over, for want of time, whenever somebody has made a step."""

    def wait_for(self, predicate: Callable[[], object], timeout: float | None = None) -> object:  # type: ignore[override]
        del timeout
        self.wait()
        return predicate()


def test_a_run_may_last_longer_than_the_longest_wait_while_its_threads_make_steps() -> None:
    graph = NumberGraph()
    turn = graph.machine.turn = Impatient()

    def give_way() -> int:
        turn.wait(0.001)
        return 0

    nodes = [graph.kernel(f"Slow_{at}", give_way) for at in range(LENGTH)]
    graph.order(*nodes)
    graph.build(MultiThreadExecutorOption(thread_num=2, split=CHAIN))
    assert graph.run() == (0, [])
    assert graph.take() == [f"Slow_{at}" for at in range(LENGTH)]
    graph.executor.emptied()


def test_threads_that_could_not_all_be_started_are_started_in_the_next_run(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = lanes(MultiThreadExecutorOption(thread_num=4))
    started: list[Thread] = []
    start = Thread.start

    def second_fails(thread: Thread) -> None:
        if started:
            raise RuntimeError("can't start new thread")
        start(thread)
        started.append(thread)

    with monkeypatch.context() as patched:
        patched.setattr(Thread, "start", second_fails)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            graph.run()
    run_once_more(graph)
    assert not started[0].is_alive()
