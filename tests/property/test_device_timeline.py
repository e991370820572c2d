"""The device against a slow model of one: when each task begins and ends, and which bytes it sees.

The model walks over time and asks every stream again and again whether its next task may begin. Programs are drawn:
kernels that copy one cell to another, events recorded and waited for on any stream, synchronises in between.
"""

from dataclasses import dataclass, field
from random import Random

import pytest

from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.device.tasks import Finish, Task

CELLS = 4


@dataclass(slots=True)
class Step:
    """One task of a program: a copy of a cell, a record or a wait; ``number`` is which record of the event."""

    stream: int
    cost: int = 0
    source: int = 0
    target: int = 0
    record: int | None = None
    wait: int | None = None
    number: int = 0
    ready: int = 0
    start: int = -1
    end: int = -1
    taken: int = 0


@dataclass(slots=True)
class Program:
    """What is launched, in order."""

    steps: list[Step] = field(default_factory=list)

    def model(self, streams: int) -> tuple[list[int], list[int]]:
        """Give the times by step, flattened, and the cells in the end: the slow way."""
        queues = [[step for step in self.steps if step.stream == number] for number in range(streams)]
        free = [0] * streams
        records: dict[tuple[int, int], int] = {}
        moved = True
        while moved:
            moved = False
            for number, queue in enumerate(queues):
                while queue:
                    step = queue[0]
                    if step.wait is not None and not _opened(records, step):
                        break
                    since = _opening(records, step) if step.wait is not None else 0
                    step.start = max(step.ready, free[number], since)
                    step.end = free[number] = step.start + step.cost
                    if step.record is not None:
                        records[step.record, step.number] = step.end
                    queue.pop(0)
                    moved = True
        return [time for step in self.steps for time in (step.start, step.end)], self._cells()

    def _cells(self) -> list[int]:
        cells = list(range(1, CELLS + 1))
        moments = sorted(
            [(step.start, 1, index) for index, step in enumerate(self.steps) if step.start >= 0 and _copies(step)]
            + [(step.end, 0, index) for index, step in enumerate(self.steps) if step.start >= 0 and _copies(step)]
        )
        taken: dict[int, int] = {}
        for _, begins, index in moments:
            step = self.steps[index]
            if begins:
                taken[index] = cells[step.source]
            else:
                cells[step.target] = taken[index]
        return cells


def _copies(step: Step) -> bool:
    return step.record is None and step.wait is None


def _opened(records: dict[tuple[int, int], int], step: Step) -> bool:
    return any(event == step.wait and number >= step.number for event, number in records)


def _opening(records: dict[tuple[int, int], int], step: Step) -> int:
    """The wanted record's end; when it came too late to be waited for by name, the first later one's."""
    numbers = [number for event, number in records if event == step.wait and number >= step.number]
    assert step.wait is not None
    return records[step.wait, min(numbers)]


def drawn(seed: int, streams: int, events: int, length: int) -> Program:
    """A program in which every wait is for a record that was asked for before; an event has one stream that records."""
    random, asked = Random(seed), [0] * events
    program = Program()
    for _ in range(length):
        stream, event, kind = random.randrange(streams), random.randrange(events), random.random()
        if kind < 0.15:
            asked[event] += 1
            program.steps.append(Step(event % streams, record=event, number=asked[event]))
        elif kind < 0.3 and asked[event]:
            program.steps.append(Step(stream, wait=event, number=asked[event]))
        else:
            source, target = random.sample(range(CELLS), 2)
            program.steps.append(Step(stream, random.randrange(1_000, 60_000), source, target))
    return program


class Machine:
    """The device with its cells."""

    def __init__(self, streams: int, events: int) -> None:
        self.device = Device(find_profile("tiny"), seed=1, start_ns=0)
        self.streams = [self.device.create_stream() for _ in range(streams)]
        self.events = [self.device.create_event() for _ in range(events)]
        address = self.device.malloc(CELLS)
        assert address is not None
        self.cells = self.device.hbm.view(address, CELLS)
        self.cells[:] = range(1, CELLS + 1)

    def launch(self, step: Step) -> Task | None:
        """Launch a step and note when the host did."""
        stream, task = self.streams[step.stream], None
        if step.record is not None:
            self.device.record_event(stream, self.events[step.record])
        elif step.wait is not None:
            self.device.wait_event(stream, self.events[step.wait])
        else:
            task = Task("copy", self._run(step), step.cost, begin=self._begin(step))
            self.device.launch(stream, task)
        step.ready = self.device.clock.ns + self.device.profile["task_latency_ns"]
        return task

    def _begin(self, step: Step) -> "_Begin":
        return _Begin(self, step)

    def _run(self, step: Step) -> "_Run":
        return _Run(self, step)


@dataclass(frozen=True, slots=True)
class _Begin:
    machine: Machine
    step: Step

    def __call__(self) -> Finish:
        value = int(self.machine.cells[self.step.source])

        def finish() -> None:
            self.machine.cells[self.step.target] = value

        return finish


@dataclass(frozen=True, slots=True)
class _Run:
    machine: Machine
    step: Step

    def __call__(self) -> None:
        self.machine.cells[self.step.target] = self.machine.cells[self.step.source]


def compared(seed: int, streams: int, length: int) -> None:
    """Run a drawn program on both and hold that they agree, whenever the host looked."""
    events = streams + 1
    program, machine = drawn(seed, streams, events, length), Machine(streams, events)
    random = Random(seed + 1)
    tasks: list[Task | None] = []
    for step in program.steps:
        tasks.append(machine.launch(step))
        if random.random() < 0.03:
            machine.device.advance()
        if random.random() < 0.01:
            assert machine.device.synchronize(machine.streams[random.randrange(streams)].handle) == 0
    for stream in machine.streams:
        assert machine.device.synchronize(stream.handle) == 0
    times, cells = program.model(streams)
    for index, task in enumerate(tasks):
        if task is not None:
            assert [task.start_ns, task.end_ns] == times[2 * index : 2 * index + 2], (seed, index)
    assert machine.cells.tolist() == cells, seed


@pytest.mark.parametrize("streams", [1, 2, 3, 8])
def test_times_and_bytes_are_those_of_the_slow_model(streams: int) -> None:
    for seed in range(40):
        compared(100 * streams + seed, streams, 120)


@pytest.mark.long
def test_times_and_bytes_are_those_of_the_slow_model_for_long_programs() -> None:
    for seed in range(60):
        compared(10_000 + seed, 1 + seed % 8, 6_000)


def test_a_device_that_forgot_to_wait_would_be_noticed() -> None:
    program = Program([Step(0, 50_000, 0, 1), Step(0, record=0, number=1), Step(1, wait=0, number=1), Step(1, 1, 1, 2)])
    assert program.model(2)[1] == [1, 1, 1, 4]
    careless = Program([Step(0, 50_000, 0, 1), Step(1, 1, 1, 2)])
    assert careless.model(2)[1] == [1, 1, 2, 4]
