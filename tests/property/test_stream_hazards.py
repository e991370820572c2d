"""The happens-before check over random runs: silent on what GE orders, loud when one line of an order is gone."""

from collections.abc import Sequence
from functools import cache

import pytest
from random_models import AICPU_CC, AICPU_TF, random_model, spread
from simulated_runs import Heard, empty_output, on_device, open_process

from getrace.analysis.stream_hazards import FREED_TWICE, WAITED_FOR_NOTHING
from getrace.analysis.stream_report import StreamReport, stream_report
from getrace.events import Event, Origin
from getrace.events.memory import BirthRecycle
from getrace.events.streams import EventSent, EventWaited
from getrace.store.live import LiveStore
from runtime.api.host_tensors import free_output
from runtime.executors.options import ExecutorKind, ExecutorOption, MultiThreadExecutorOption
from runtime.graph.builder import AI_CORE
from runtime.lowering.pipeline import lower_model

ENGINES = (AI_CORE, AICPU_TF, AICPU_CC)
EXECUTORS: dict[str, ExecutorOption] = {
    "usual": ExecutorOption(),
    "topological": ExecutorOption(ExecutorKind.TOPOLOGICAL),
    "workers-in-turn": MultiThreadExecutorOption(thread_num=3, seed=5),
}
SEEDS = range(4)
STEPS = 2
STREAMS = 3
EVERY = 5


@cache
def run_of(seed: int, executor: str = "usual") -> tuple[Heard, ...]:
    """What a run of a random model on several streams says, with its inputs on the device."""
    model = random_model(seed, 14, ENGINES)
    spread(model.graph, STREAMS, seed)
    process = open_process(executor=EXECUTORS[executor], lowered=lower_model(model.graph).root)
    assert process.executor.load(process.arg) == 0
    device = process.machine.device
    inputs = [on_device(device, array) for array in model.inputs]
    net_output = next(node for node in model.graph.nodes if node.type == "NetOutput")
    for _ in range(STEPS):
        outputs = [empty_output() for _ in net_output.op.inputs]
        assert process.executor.execute(process.arg, inputs, outputs) == 0
        assert device.synchronize(process.arg.stream) == 0
        for output in outputs:
            free_output(output)
    assert process.executor.unload() == 0
    return tuple(process.recorder.heard)


def told(heard: Sequence[Heard]) -> StreamReport:
    """Hear a run again, and check it."""
    store = LiveStore("run", lambda *parts: str(parts[-1]))
    for item in heard:
        store(item.time_ns, Origin(1, "test", 1), item.level, item.kernel, item.event)
    store.poll()
    return stream_report(store)


def without(heard: Sequence[Heard], kind: type[Event]) -> list[tuple[int, list[Heard]]]:
    """Give the run without one line of a kind, for every fifth such line; and that line's number."""
    places = [place for place, item in enumerate(heard) if isinstance(item.event, kind)]
    return [(place, [*heard[:place], *heard[place + 1 :]]) for place in places[::EVERY]]


@pytest.mark.parametrize("executor", ["usual", "topological", "workers-in-turn"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_clean_run_is_in_order(seed: int, executor: str) -> None:
    report = told(run_of(seed, executor))
    assert report.order.hazards == ()
    assert report.pairing.unmatched == ()
    assert report.order.examined > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wait_that_is_gone_leaves_one_send_over(seed: int) -> None:
    for place, heard in without(run_of(seed), EventWaited):
        gone = run_of(seed)[place].event
        left = [one.signal for one in told(heard).pairing.unmatched]
        assert [(one.sends, one.event_id) for one in left] == [(True, getattr(gone, "event_id", None))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_send_that_is_gone_leaves_a_wait_for_nothing(seed: int) -> None:
    for _, heard in without(run_of(seed), EventSent):
        kinds = [hazard.kind for hazard in told(heard).order.hazards]
        assert WAITED_FOR_NOTHING in kinds


@pytest.mark.parametrize("seed", SEEDS)
def test_a_run_without_any_wait_has_uses_that_nothing_orders(seed: int) -> None:
    heard = [item for item in run_of(seed) if not isinstance(item.event, EventWaited)]
    assert {hazard.kind for hazard in told(heard).order.hazards} & {"missing_wait", "reuse_without_wait"}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_block_that_goes_back_twice_is_found(seed: int) -> None:
    heard = run_of(seed)
    given = {getattr(item.event, "addr", None) for item in heard if _gives(item.event)}
    places = [place for place, item in enumerate(heard) if _twice(item.event, given)]
    for place in places[::EVERY]:
        again = [*heard[: place + 1], heard[place], *heard[place + 1 :]]
        assert [hazard.kind for hazard in told(again).order.hazards] == [FREED_TWICE]


def _gives(event: Event) -> bool:
    return event.kind.endswith("alloc")


def _twice(event: Event, given: set[object]) -> bool:
    return isinstance(event, BirthRecycle) and event.addr in given
