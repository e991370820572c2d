"""One process of the host program, held open: a device, and what GE and ACL reach through singletons beside it.

Every function of the API takes it first. As module globals these things would make one program of two simulations; and
if each layer of the API started a device of its own, a tensor of one would be nothing to the next.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Final, NamedTuple

from getrace.bus import Bus
from getrace.errors import InputError
from getrace.events import Level, Origin
from getrace.events.text import LogLine
from runtime.api.support import check_kernels, check_support
from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.context import Place
from runtime.kernels.families import builtin_kernels
from runtime.kernels.machine import Machine
from runtime.kernels.registry import KernelRegistry
from runtime.kernels.status import Status
from runtime.lowering.pipeline import lower_model
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.ops.builtin import builtin_ops

DEFAULT_START_NS: Final = 1_772_705_472_000_000_000
"""2026-03-05 10:11:12, so that a run without a start time prints the same log every time."""

PROCESS_NAME: Final = "getrace"

_FIRST_SESSION: Final = (1 << 64) // 2
_FIRST_MODEL: Final = (1 << 32) // 2
"""Where ACL begins to number sessions and models of RT2 (spec/execution.md 3.4)."""


class Report(NamedTuple):
    """A message of GE's error manager: what ``aclGetRecentErrMsg`` shows to the caller."""

    code: str
    text: str


@dataclass(slots=True)
class GeProcess:
    """The host program's process. ``environment`` holds its variables, ``options`` GE's process options by key.

    ``lowering`` is what every lowering starts from. ``reports`` are the messages of the error manager, oldest first.
    ``is_ge_initialized``: GEInitializeV2 was called, and GEFinalizeV2 not since. ``opp_version`` is that of the
    installed operators, "" when nobody says; a model may ask for the one it was compiled with.
    """

    machine: Machine
    kernels: KernelRegistry
    environment: Mapping[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    lowering: LoweringOptions = field(default_factory=LoweringOptions)
    reports: list[Report] = field(default_factory=list)
    is_ge_initialized: bool = False
    opp_version: str = ""
    hybrid_ids: Iterator[int] = field(default_factory=lambda: count(1))
    session_ids: Iterator[int] = field(default_factory=lambda: count(_FIRST_SESSION))
    model_ids: Iterator[int] = field(default_factory=lambda: count(_FIRST_MODEL))
    static_model_ids: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def device(self) -> Device:
        """The device the process works on."""
        return self.machine.device

    def say(self, place: Place, text: str, level: Level = Level.INFO, *, module: str = "GE") -> None:
        """Print an ordinary line of a module. ``place`` is file, line and function of GE's source."""
        self.machine.journal.say(LogLine(module, *place, text), level=level)

    def refuse(self, place: Place, text: str, code: int = Status.FAILED, *, report: str = "") -> int:
        """Print an ``ErrorNo`` record of GE, and a message of the error manager if ``report`` has its code.

        Gives the code, for the caller to return.
        """
        self.machine.journal.error(place, text, code)
        if report:
            self.reports.append(Report(report, text))
        return code

    @contextmanager
    def refusing(self, place: Place) -> Iterator[None]:
        """Let what is wrong with a model become an error record; the error goes on to whoever turns it into a status.

        GE has a record of its own for each such mistake; here the sentence of the error stands in it.
        """
        try:
            yield
        except InputError as error:
            self.refuse(place, f"{error.message} ({error.hint})" if error.hint else error.message)
            raise

    def lower(self, graph: ComputeGraph, options: LoweringOptions | None = None) -> ExecuteGraph:
        """Lower a model for this process. Raises ModelError for one that does not lower, or cannot run here."""
        check_support(graph, self.machine.ops, self.device.profile)
        root = lower_model(graph, options or self.lowering).root
        check_kernels(graph.name, root, self.kernels)
        return root

    def close(self) -> int:
        """End the process: all memory goes back to the driver. Gives the bytes that did not (0 when all is well)."""
        return 0 if self.machine.memory.finalize() else self.machine.memory.occupied_bytes


def start_process(
    bus: Bus | None = None,
    *,
    profile: str = "ascend910b",
    seed: int = 0,
    start_time_ns: int = DEFAULT_START_NS,
    environment: Mapping[str, str] | None = None,
) -> GeProcess:
    """Start a process on a device of its own. ``bus`` hears everything; its clock becomes the simulated host's.

    Raises UsageError for a profile that there is not.
    """
    device = Device(find_profile(profile), seed=seed, start_ns=start_time_ns)
    return process_on(device, bus or Bus(now=int), origin_of(seed), environment or {})


def process_on(device: Device, bus: Bus, origin: Origin, environment: Mapping[str, str]) -> GeProcess:
    """Start a process on a device."""
    bus.now = device.clock.stamp
    journal = Journal(bus, origin)
    ops = builtin_ops()
    machine = Machine(device, journal, ProcessMemory(device, journal), ops)
    machine.memory.start()
    return GeProcess(machine, builtin_kernels(), environment, lowering=LoweringOptions(library=library_of(ops)))


def origin_of(seed: int) -> Origin:
    """Who speaks: a process number that the seed decides."""
    pid = Random(seed).randrange(1_000, 60_000)  # noqa: S311 - reproducible, not secret
    return Origin(pid, PROCESS_NAME, pid, "load")
