"""ModelConverter: whether a model gets its streams, before it is lowered (spec/execution.md 3.3).

A model that asks for more streams than the device has left is lowered for one stream instead, but only when the caller
brings all three allocators. Decided later, the kernels of several streams would stand in the graph already.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

from getrace.errors import ModelError
from getrace.events import Level
from getrace.events.text import LogLine
from runtime.engines.options import LoweringOptions
from runtime.executors.arguments import ResourceAllocator
from runtime.executors.stream_resource import StreamResource, stream_resource
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.machine import Machine

Lower = Callable[[ComputeGraph, LoweringOptions], ExecuteGraph]

_FILE: Final = "model_converter.cc"
_REFRESHED: Final = (_FILE, 340, "RefreshStreamId")
_COUNTS: Final = (_FILE, 409, "CalcStreamResource")
_FROM_ACL: Final = (_FILE, 421, "NeedRollback")
_UNKNOWN: Final = (_FILE, 427, "NeedRollback")
_ROLLBACK: Final = (_FILE, 431, "NeedRollback")
_SINGLE: Final = (_FILE, 445, "ReserveStreamResource")
_INNER: Final = (_FILE, 449, "ReserveStreamResource")
_REQUIRED: Final = (_FILE, 485, "ConvertGeModelToExecuteGraph")


class LoadAllocators(NamedTuple):
    """The three allocators that one overload of the loaders takes; any of them may be missing."""

    streams: ResourceAllocator | None = None
    events: ResourceAllocator | None = None
    notifies: ResourceAllocator | None = None

    @property
    def whole(self) -> bool:
        """Whether all three are there."""
        return None not in self


def convert_model(
    graph: ComputeGraph,
    machine: Machine,
    options: LoweringOptions,
    lower: Lower,
    allocators: LoadAllocators = LoadAllocators(),  # noqa: B008 - a tuple of nothing
    available: Callable[[], int | None] | None = None,
) -> ExecuteGraph:
    """``ConvertGeModelToExecuteGraph``: count streams, roll back if there are too few, lower, reserve.

    ``available`` tells how many streams there are, None when that cannot be told; without it the device is asked.

    Raises ModelError when the parts of the model need more than the whole has, when it cannot be lowered, and when
    something cannot be reserved.
    """
    converter = _Converter(machine, allocators, available or machine.device.available_streams)
    resource = stream_resource(graph)
    converter.say(
        _COUNTS,
        f"Root graph total stream_num {resource.total}, reusable stream num {resource.reusable}, attached stream num "
        f"{resource.attached}, event_num {resource.events}, notify_num {resource.notifies}.",
    )
    rolled_back = converter.needs_rollback(resource) and resource.streams > 1
    if rolled_back:
        resource = StreamResource()
    if rolled_back or resource.streams == 1:
        converter.say(_REFRESHED, "Finish to refresh nodes' stream_id in unknown graph to 0.")
        options = replace(options, single_stream=True)
    converter.say(
        _REQUIRED,
        f"Model {graph.name} require reusable stream num is {resource.reusable}, attached stream num is "
        f"{resource.attached}, event num is {resource.events}, notify num is {resource.notifies}.",
    )
    root = lower(graph, options)
    converter.reserve(resource)
    return root


class _Converter:
    """The decisions of one conversion, and what is said about them."""

    def __init__(self, machine: Machine, allocators: LoadAllocators, available: Callable[[], int | None]) -> None:
        self._available = available
        self._machine = machine
        self._allocators = allocators

    def say(self, place: tuple[str, int, str], text: str, level: Level = Level.INFO) -> None:
        self._machine.journal.say(LogLine("GE", *place, text), level=level)

    def needs_rollback(self, resource: StreamResource) -> bool:
        """``NeedRollback``: too few streams, or nobody knows how many."""
        if not self._allocators.whole:
            text = "Stream allocator or event allocator is null. Its come from acl. No need rollback."
            self.say(_FROM_ACL, text, Level.DEBUG)
            return False
        available = self._available()
        if available is None:
            text = "Fail to get available stream num on device. Better to roll back to single stream."
            self.say(_UNKNOWN, text, Level.WARNING)
            return True
        if available >= resource.total:
            return False
        self.say(
            _ROLLBACK,
            f"Model total required {resource.total} streams, including reusable stream_num {resource.reusable}, but "
            f"current available stream num is {available}. Need rollback to single stream",
        )
        return True

    def reserve(self, resource: StreamResource) -> None:
        """Acquire up front what a model of several streams will ask for. Raises ModelError for what there is not."""
        if resource.streams == 1:
            self.say(_SINGLE, "Model is single stream, no need acquire reusable stream", Level.DEBUG)
            return
        if not self._allocators.whole:
            text = "No external stream allocator during load, model will use inner stream allocator when executing."
            self.say(_INNER, text, Level.DEBUG)
            return
        counts = resource.streams, resource.events, resource.notifies
        names = "streams", "events", "notifies"
        for allocator, count, name in zip(self._allocators, counts, names, strict=True):
            if allocator is not None and allocator.acquire(count) is None:
                raise ModelError(f"Failed to reserve {name}, num {count}")
