"""What a kernel costs to run and to trace, against the barest loop there is.

The sides take turns in one process and the best of several turns counts; a busy machine changes both, and takes no
part in the time of a process.
"""

import gc
from collections.abc import Callable
from time import process_time

import pytest

from getrace.bus import Bus
from getrace.events import Level, Origin
from getrace.store.live import LiveStore
from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.executors.execution_data import ExecutionData, GraphExecutor, PlannedNode
from runtime.executors.loops import Plan, run_plain
from runtime.kernels.context import KernelContext
from runtime.kernels.machine import Machine
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.ops.builtin import builtin_ops
from runtime.subscribers.phase import GraphType
from runtime.subscribers.scheduler import SubscribersScheduler
from runtime.subscribers.tracer import ExecutorTracer

KERNELS = 100_000
TURNS = 5


def empty(_context: KernelContext) -> int:
    return 0


def bare(plan: Plan) -> None:
    for run, context in plan:
        status = run(context)
        if status:
            break


def best(*sides: Callable[[], object]) -> list[float]:
    """The shortest time of each side in seconds."""
    times = [float("inf")] * len(sides)
    for _ in range(TURNS):
        for index, side in enumerate(sides):
            gc.collect()  # what another bench left behind is not this one's cost
            start = process_time()
            side()
            times[index] = min(times[index], process_time() - start)
    return times


@pytest.mark.bench
def test_the_plain_loop_is_the_bare_loop_and_tracing_into_a_store_is_bounded() -> None:
    device = Device(find_profile("tiny"), seed=0, start_ns=0)
    bus = Bus(now=device.clock.stamp, levels={"GE": Level.INFO})
    journal = Journal(bus, Origin(1, "bench", 1))
    machine = Machine(device, journal, ProcessMemory(device, journal), builtin_ops())
    nodes = tuple(
        PlannedNode(f"NoOp_{index}", empty, KernelContext(f"NoOp_{index}", "NoOp", (), (), None, machine), None)
        for index in range(KERNELS)
    )
    executor = GraphExecutor(ExecutionData("Main_1", GraphType.MAIN, nodes, (), ()))
    plan = executor.data.plan
    subscribers = SubscribersScheduler(ExecutorTracer(journal))

    def traced() -> None:
        store = LiveStore("bench", lambda *_event: "")
        leave = bus.subscribe(store)
        executor.execute(subscribers)
        leave()
        assert store.poll() == KERNELS + 2

    base, plain, trace = best(lambda: bare(plan), lambda: run_plain(plan), traced)
    shown = f"bare {1e9 * base / KERNELS:.0f} ns, plain {plain / base:.2f} x, traced into columns {trace / base:.1f} x"
    print(shown)
    assert plain <= 1.3 * base
    assert trace <= 36 * base
