"""Runs of the simulator that fail, with the truth of what failed: kernel, operator and call, from the run itself.

The truth is taken where the fault strikes: from the stack of kernels that the host executes, and from the task's own
names. A truth that was read back from the log would agree with whatever the log says.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from unittest.mock import patch

import numpy as np

from getrace.bus import Bus
from getrace.events import Level
from getrace.plog.writer import PlogWriter
from getrace.replay import open_store
from getrace.store.store import Store
from runtime.api.executor_choice import choose
from runtime.api.models import Model
from runtime.api.simulate import RunOptions, RunResult, run_model
from runtime.device.device import Device
from runtime.device.fault_plan import FaultPlan, Host
from runtime.device.fault_spec import FaultSpec
from runtime.device.stream import Stream
from runtime.device.tasks import KERNELS, MEMCPY, Task
from runtime.kernels.context import KernelContext
from runtime.kernels.families import builtin_kernels
from runtime.kernels.registry import Kernel, KernelRegistry


@dataclass(frozen=True, slots=True)
class Executor:
    """An executor by the command line's words."""

    word: str | None = None
    threads: int | None = None

    def __str__(self) -> str:
        return f"{self.word}{self.threads or ''}"


SEQUENTIAL: Final = Executor("sequential")
EXECUTORS: Final = (
    SEQUENTIAL,
    Executor("topological"),
    Executor("priority"),
    Executor("multithread", 2),
    Executor("multithread", 4),
)


@dataclass(frozen=True, slots=True)
class Strike:
    """One fault that happened. ``kernel`` and ``op`` are those the host was at; None: it was at no kernel.

    ``names`` are those of the task that was struck, empty for a call of the driver; ``task`` is that task. ``event`` is
    the event whose record was lost, or 0.
    """

    kind: str
    kernel: str | None
    op: str | None
    names: tuple[str, ...] = ()
    task: Task | None = None
    event: int = 0


@dataclass(slots=True)
class Watch:
    """What happened in a run: the faults that struck, and how often each operator was launched on which unit.

    ``event`` is the one that is being recorded, ``waiters`` are kernels that waited for the event that was lost.
    """

    strikes: list[Strike] = field(default_factory=list)
    launched: Counter[tuple[str, str]] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    at: list[KernelContext] = field(default_factory=list)
    event: int = 0
    waiters: list[str] = field(default_factory=list)

    @property
    def kernel(self) -> str | None:
        """The kernel that the host is at."""
        return self.at[-1].name if self.at else None

    def struck(self, kind: str, names: Collection[str] = (), task: Task | None = None) -> None:
        """Note a fault with the kernel that the host is at."""
        inside = self.at[-1] if self.at else None
        op = None if inside is None or inside.node is None else inside.node.name
        self.strikes.append(Strike(kind, self.kernel, op, tuple(names), task, self.event))


class WatchedPlan(FaultPlan):
    """A plan that tells what it did."""

    def __init__(self, specs: Iterable[FaultSpec], seed: int, watch: Watch) -> None:
        super().__init__(specs, seed)
        self._watch = watch
        self._task: Task | None = None

    def refuses_malloc(self) -> bool:
        self._watch.calls["malloc"] += 1
        refused = super().refuses_malloc()
        if refused:
            self._watch.struck("malloc")
        return refused

    def strikes(self, kind: str, names: Collection[str] = ()) -> FaultSpec | None:
        self._watch.calls[kind] += kind not in ("malloc", "copy")
        found = super().strikes(kind, names)
        if found is not None and kind != "malloc":
            self._watch.struck(kind, names, self._task)
        return found

    def on_launch(self, task: Task, host: Host) -> None:
        if task.names and task.kind.name in KERNELS:
            self._watch.launched[task.names[0], task.kind.name.removeprefix("KERNEL_")] += 1
        self._watch.calls["copy"] += task.kind is MEMCPY
        self._task = task
        super().on_launch(task, host)
        self._task = None

    @property
    def is_empty(self) -> bool:
        return False


def _watched_device(watch: Watch) -> type[Device]:
    class WatchedDevice(Device):
        def record_event(self, stream: Stream, handle: int) -> None:
            watch.event = handle
            super().record_event(stream, handle)
            watch.event = 0

        def wait_event(self, stream: Stream, handle: int) -> None:
            if watch.kernel and any(strike.event == handle for strike in watch.strikes):
                watch.waiters.append(watch.kernel)
            super().wait_event(stream, handle)

    return WatchedDevice


def _watched(watch: Watch) -> KernelRegistry:
    def wrapped(kernel: Kernel) -> Kernel:
        def run(context: KernelContext) -> int:
            watch.at.append(context)
            try:
                return kernel.run(context)
            finally:
                watch.at.pop()

        return replace(kernel, run=run)

    return KernelRegistry(wrapped(kernel) for kernel in builtin_kernels())


@dataclass(frozen=True, slots=True)
class Simulated:
    """A run with its log and its truth."""

    result: RunResult
    store: Store
    watch: Watch
    files: tuple[Path, ...]


def simulate(
    model: Model, options: RunOptions, executor: Executor, root: Path, levels: Mapping[str, Level] | None = None
) -> Simulated:
    """Run a model and write its log below ``root``, which is torn where a fault ends the process."""
    watch = Watch()
    bus = Bus(now=int, levels=levels)
    chosen = replace(options, executor=choose(executor.word, executor.threads, options.seed))

    def plan(specs: Iterable[FaultSpec] = (), seed: int = 0) -> FaultPlan:
        return WatchedPlan(specs, seed, watch)

    with (
        patch("runtime.api.simulate.FaultPlan", plan),
        patch("runtime.api.simulate.Device", _watched_device(watch)),
        patch("runtime.api.ge_process.builtin_kernels", lambda: _watched(watch)),
        PlogWriter(root) as writer,
    ):
        bus.subscribe(writer)
        result = run_model(model, chosen, bus)
        if result.killed:
            writer.tear()
    assert bus.failures == []
    return Simulated(result, open_store([str(file) for file in writer.files]), watch, tuple(writer.files))


def inputs_on_disk(arrays: Mapping[str, np.ndarray], root: Path) -> tuple[str, ...]:
    """Write arrays where a run finds them; gives the words of ``--input``."""
    root.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(root / f"{name}.npy", array)
    return tuple(f"{name}={root / name}.npy" for name in arrays)
