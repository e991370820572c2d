"""What shall go wrong on a device, and when: the faults of a run, counted call by call.

It owns the counts. The device asks at each call that can fail; nothing else on it knows that faults are made on
purpose, so a fault takes the way that a real one takes.
"""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from random import Random
from typing import Protocol

from getrace.errors import UsageError
from runtime.device.address_space import AddressSpace
from runtime.device.errors import AICORE_TIMEOUT, AICPU_TIMEOUT, ApiError, DeviceError
from runtime.device.fault_spec import GRAMMAR, FaultSpec
from runtime.device.profiles import DeviceProfile
from runtime.device.tasks import AICORE, AICPU, KERNELS, MEMCPY, Finish, Task

_BITS = 8


class Host(Protocol):
    """What a fault needs of the device."""

    profile: DeviceProfile
    hbm: AddressSpace


class ProcessKilled(BaseException):
    """The process dies here. Nothing is unloaded, freed or flushed in order."""


class _Counted:
    """A fault and how many calls it has seen."""

    def __init__(self, spec: FaultSpec) -> None:
        self.spec = spec
        self.calls = 0
        self.has_struck = False

    def strikes(self, names: Collection[str]) -> bool:
        if self.spec.name is not None and self.spec.name not in names:
            return False
        self.calls += 1
        always = self.spec.number is None and self.spec.kind == "slow"
        strikes = always or self.calls == (self.spec.number or 1)
        self.has_struck |= strikes
        return strikes


class FaultPlan:
    """The faults of one run. ``seed`` decides what a fault leaves open."""

    def __init__(self, specs: Iterable[FaultSpec] = (), seed: int = 0) -> None:
        self._counted = [_Counted(spec) for spec in specs]
        self._random = Random(seed)  # noqa: S311 - reproducible, not secret

    @property
    def is_empty(self) -> bool:
        """Whether nothing shall go wrong."""
        return not self._counted

    def clear(self) -> None:
        """Let nothing go wrong from now on."""
        self._counted.clear()

    def check_names(self, known: Collection[str]) -> None:
        """Refuse a fault in something that the model does not have. Raises UsageError with the nearest names."""
        for counted in self._counted:
            name = counted.spec.name
            if name is not None and name not in known:
                near = get_close_matches(name, sorted(known), 3)
                hint = f"near it: {', '.join(near)}; " if near else ""
                raise UsageError(
                    f"--fault {counted.spec.kind}@{name}: the model has no operator, node or kernel type of this name",
                    f"{hint}{GRAMMAR}",
                )

    def unmet(self) -> list[tuple[str, str]]:
        """Give the faults that never happened, as they are written, and how many such calls there were."""
        missed = [item for item in self._counted if not item.has_struck and item.spec.value_is_no_limit]
        return [(item.spec.text, f"there were {item.calls} such calls") for item in missed]

    def capacity(self, size: int) -> int:
        """Give how much memory a device of ``size`` bytes has."""
        limits = [int(item.spec.value) for item in self._counted if item.spec.kind == "oom" and item.spec.value]
        return min([size, *limits])

    def refuses_malloc(self) -> bool:
        """Count an allocation, and say whether it fails."""
        exhausted = [item for item in self._counted if self._is_exhausted(item)]
        return self.strikes("malloc") is not None or bool(exhausted)

    def strikes(self, kind: str, names: Collection[str] = ()) -> FaultSpec | None:
        """Count a call of a kind, and give the fault that strikes it."""
        if not self._counted:
            return None
        hits = [item.spec for item in self._counted if item.spec.kind == kind and item.strikes(names)]
        return hits[0] if hits else None

    def on_launch(self, task: Task, host: Host) -> None:
        """Do to a task what the plan wants. Raises ApiError when the launch itself fails, ProcessKilled for the end."""
        if not self._counted:
            return
        if task.kind == MEMCPY:
            if spec := self.strikes("copy"):
                raise ApiError(spec.code, f"copy {spec.number or 1} was refused")
            return
        if task.kind.name not in KERNELS:
            return
        if self.strikes("kill", task.names):
            raise ProcessKilled(f"killed at the launch of {task.name}")
        if spec := self.strikes("launch", task.names):
            raise ApiError(spec.code, f"the launch of {task.name} was refused")
        self._change(task, host)

    def _change(self, task: Task, host: Host) -> None:
        kind = {AICORE.name: "aicore", AICPU.name: "aicpu"}[task.kind.name]
        if spec := self.strikes("slow", task.names):
            task.cost_ns = int(task.cost_ns * (spec.effective_value or 1))
        if spec := self.strikes("bitflip", task.names):
            bit = self._random.randrange(1 << 16) if spec.value is None else int(spec.value)
            _spoil(task, host.hbm, bit)
        if self.strikes("timeout", task.names):
            task.cost_ns += host.profile["task_timeout_ns"]
            _die(task, AICPU_TIMEOUT if kind == "aicpu" else AICORE_TIMEOUT, "it took longer than a task may")
        if spec := self.strikes(kind, task.names):
            _die(task, spec.code, "a fault of the plan")

    def _is_exhausted(self, item: _Counted) -> bool:
        if item.spec.kind != "oom" or item.spec.value is not None:
            return False
        item.calls += 1
        item.has_struck |= item.calls >= (item.spec.number or 1)
        return item.has_struck


def _die(task: Task, code: int, why: str) -> None:
    def run() -> None:
        raise DeviceError(code, why)

    task.run, task.begin = run, None


def _spoil(task: Task, memory: AddressSpace, bit: int) -> None:
    """Flip a bit of a task's first result as soon as it is in memory."""
    run, begin = task.run, task.begin

    def flip() -> None:
        for address, size in [place for place in task.writes if place[1]][:1]:
            memory.view(address, size)[bit // _BITS % size] ^= 1 << bit % _BITS

    def run_and_flip() -> None:
        run()
        flip()

    task.run = run_and_flip
    if begin is not None:

        def begin_and_flip() -> Finish:
            finish = begin()

            def finish_and_flip() -> None:
                finish()
                flip()

            return finish_and_flip

        task.begin = begin_and_flip
