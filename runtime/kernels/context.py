"""What a kernel sees while it runs: its inputs and outputs, its compute node, its names, and the journal.

Kernels never see the graph they stand in. A kernel that could look at its neighbours would run in one executor only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from getrace.dumps.snapshot import AttrValue
from getrace.events import Event
from getrace.events.text import LogLine
from runtime.kernels.machine import Machine
from runtime.kernels.status import Status
from runtime.memory.journal import Journal
from runtime.values import DType, Shape, StorageFormat

Place = tuple[str, int, str]
"""File, line and function of GE's source that an ordinary log line names. Line 0: it is in no list of GE's texts."""


class Cell:
    """``AsyncAnyValue``: one value that all end points joined by data edges share (spec/lowering.md 1.5).

    ``deleter`` is called when the executor goes; None means that somebody else owns the value.
    """

    __slots__ = ("deleter", "value")

    def __init__(self, value: Any = None) -> None:
        self.value = value
        self.deleter: Callable[[], object] | None = None

    def own(self, value: Any, deleter: Callable[[], object] | None = None) -> None:
        """Set a value together with how it ends; a value that was owned before ends now."""
        self.release()
        self.value = value
        self.deleter = deleter

    def release(self) -> None:
        """End the value."""
        deleter, self.deleter, self.value = self.deleter, None, None
        if deleter is not None:
            deleter()


@dataclass(frozen=True, slots=True)
class IoDesc:
    """``CompileTimeTensorDesc``: type and formats of one input or output, and the shape that the model says.

    GE finds the latter in the extended information of an AI CPU task; nobody else reads it while a model runs.
    """

    dtype: DType
    format: StorageFormat = StorageFormat()  # noqa: RUF009 - frozen, so one for all is safe
    shape: Shape = Shape()  # noqa: RUF009 - the same


@dataclass(frozen=True, slots=True)
class ComputeNodeInfo:
    """``ComputeNodeInfo``: the operator that a kernel works for."""

    name: str
    type: str
    inputs: tuple[IoDesc, ...] = ()
    outputs: tuple[IoDesc, ...] = ()
    attrs: Mapping[str, AttrValue] = field(default_factory=dict, compare=False)


class KernelContext:
    """``KernelRunContext``: inputs and outputs as cells, the compute node, the kernel's name, type and attributes."""

    __slots__ = ("attrs", "inputs", "journal", "machine", "name", "node", "outputs", "type")

    def __init__(
        self,
        name: str,
        kernel_type: str,
        inputs: tuple[Cell, ...],
        outputs: tuple[Cell, ...],
        node: ComputeNodeInfo | None,
        machine: Machine,
        attrs: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self.attrs = attrs
        self.name = name
        self.type = kernel_type
        self.inputs = inputs
        self.outputs = outputs
        self.node = node
        self.machine = machine
        self.journal: Journal = machine.journal

    def input(self, index: int) -> Any:
        """Give an input's value."""
        return self.inputs[index].value

    def output(self, index: int) -> Any:
        """Give an output's value."""
        return self.outputs[index].value

    def set(self, index: int, value: Any) -> None:
        """Set an output's value."""
        self.outputs[index].value = value

    def trace(self, event: Event) -> None:
        """``KERNEL_TRACE``: say something under the kernel's name, while it runs."""
        self.journal.say(event, self.name)

    def info(self, place: Place, text: str) -> None:
        """``GELOGI``: an ordinary line of the kernel's source."""
        self.journal.say(LogLine("GE", *place, text))

    def error(self, place: Place, text: str, status: Status = Status.FAILED, *, code: Status | None = None) -> Status:
        """``GELOGE``: an error of the kernel's source. ``code`` is what it prints, if not the status to return."""
        self.journal.error(place, text, status if code is None else code)
        return status

    def kernel_error(self, place: Place, text: str) -> Status:
        """``KLOGE``, ``KERNEL_CHECK``: print ``[type][name]text`` as an error and give FAILED to return."""
        return self.error(place, f"[{self.type}][{self.name}]{text}")

    def assert_failed(self, place: Place, text: str) -> Status:
        """``GE_ASSERT``: print its message, or ``Assert (...) failed``; FAILED is printed, PARAM_INVALID returned."""
        return self.error(place, text, Status.PARAM_INVALID, code=Status.FAILED)

    @property
    def compute_node(self) -> ComputeNodeInfo:
        """The compute node of a kernel that cannot do without one."""
        assert self.node is not None
        return self.node
