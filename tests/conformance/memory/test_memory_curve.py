"""The curve of ``getrace memory``, read back from a run's plog alone, against the allocators' own counters."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from simulated_runs import OpenProcess, add_model, open_process

from getrace.analysis.memory import memory_report, usage
from getrace.events import Event, Level, Origin
from getrace.events.memory import BatchAlloc, BirthRecycle, CopyAlloc, MemAlloc, PlacedOutputAlloc
from getrace.plog.writer import PlogWriter
from getrace.replay import open_store
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.stream_assign import assign_events
from runtime.lowering.pipeline import lower_model
from runtime.memory.l2_multi import MultiStreamL2Allocator
from runtime.memory.l2_single import SingleStreamL2Allocator
from runtime.subscribers.phase import GraphType

_CHANGES = (MemAlloc, BatchAlloc, CopyAlloc, PlacedOutputAlloc, BirthRecycle)


class Counting:
    """A sink that reads the counters behind each event that changes them: they change around the line, so next time."""

    def __init__(self, used: Callable[[], int]) -> None:
        self.levels: list[int] = []
        self._used = used
        self._pending = False

    def __call__(self, _time: int, _origin: Origin, _level: Level, _kernel: str | None, event: Event, /) -> None:
        """Hear an event."""
        self.settle()
        self._pending = isinstance(event, _CHANGES)

    def settle(self) -> None:
        """Read the counters if an event has changed them."""
        if self._pending and (not self.levels or self.levels[-1] != self._used()):
            self.levels.append(self._used())
        self._pending = False


def allocators(process: OpenProcess) -> list[SingleStreamL2Allocator | MultiStreamL2Allocator]:
    """Every level-2 allocator of the built model."""
    values = [
        cell.value
        for graph in (GraphType.INIT, GraphType.MAIN)
        for node in process.executor.model.graphs[graph].data.nodes
        for cell in node.context.outputs
    ]
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    kinds = (SingleStreamL2Allocator, MultiStreamL2Allocator)
    return list({item.handle: item for item in flat if isinstance(item, kinds)}.values())


def crossing(streams: int) -> ComputeGraph:
    """A chain of nine operators that changes the stream after each one."""
    graph = GraphBuilder("crossing")
    value = graph.data("x", (-1,))
    for index in range(9):
        value = graph.op(("Relu", "Neg", "Abs")[index % 3], value, name=f"op{index}", stream=index % streams)
    model = graph.output(value).build()
    if streams > 1:
        assign_events(model)
    return model


MODELS: dict[str, tuple[Callable[[], ComputeGraph], int]] = {
    "one operator": (add_model, 2),
    "one stream": (lambda: crossing(1), 1),
    "two streams": (lambda: crossing(2), 1),
    "four streams": (lambda: crossing(4), 1),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_curve_of_a_log_is_what_the_allocators_held(name: str, tmp_path: Path) -> None:
    build, inputs = MODELS[name]
    ops = open_process(level=Level.ERROR).machine.ops
    process = open_process(lowered=lower_model(build(), LoweringOptions(library=library_of(ops))).root)
    every = allocators(process)
    counting = Counting(lambda: sum(one.used_bytes for one in every))
    process.machine.journal.bus.subscribe(counting)
    with PlogWriter(tmp_path) as writer:
        process.machine.journal.bus.subscribe(writer)
        assert process.executor.load(process.arg) == 0
        for size in (10, 100_000, 500):
            arrays = [np.arange(size, dtype=np.float32)] * inputs
            status, _ = process.outputs(arrays, 1, given=arrays[:1])
            assert status == 0
        assert process.executor.unload() == 0
    counting.settle()
    report = memory_report(open_store([str(file) for file in writer.files]))
    store = open_store([str(file) for file in writer.files])
    curve = usage(store, report.blocks).bytes.tolist()
    changes = [level for at, level in enumerate(curve) if at == 0 or curve[at - 1] != level]
    assert len(counting.levels) > 6
    assert changes == counting.levels
    assert report.peak_bytes == max(counting.levels)
    assert (counting.levels[-1], list(report.live_at_end)) == (0, [])
