"""Streams of a model when it is converted: spec/execution.md 3.3 and scenario MX-15 of 8.2."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from session_models import line_texts, machine_for_tests
from simulated_runs import OpenProcess, Recorder, add_model, floats

from getrace.errors import ModelError
from getrace.events import Level
from runtime.api.models import load_model
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.executors.arguments import ModelExecuteArg
from runtime.executors.builder import build_executor
from runtime.executors.model_converter import LoadAllocators, convert_model
from runtime.executors.model_v2 import ModelV2Executor
from runtime.executors.resources import EventAllocator, NotifyAllocator, StreamAllocator
from runtime.executors.stream_resource import StreamResource, stream_resource
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.families import builtin_kernels
from runtime.kernels.machine import Machine
from runtime.lowering.model_desc import ModelDesc
from runtime.lowering.pipeline import lower_model

SAMPLES = Path(__file__).parents[3] / "samples"
ROLLBACK = (
    "Model total required 2 streams, including reusable stream_num 2, but current available stream num is 1. Need "
    "rollback to single stream"
)


def two_streams() -> ComputeGraph:
    """y = relu(x) + neg(x) on two streams."""
    return load_model("two_streams", SAMPLES).graph


def lower(graph: ComputeGraph, options: LoweringOptions) -> ExecuteGraph:
    return lower_model(graph, options).root


@dataclass
class Converted:
    """A model that was converted with the three allocators of a caller, or without."""

    available: int | None = None
    with_allocators: bool = True
    recorder: Recorder = field(default_factory=Recorder)

    def __post_init__(self) -> None:
        self.machine: Machine = machine_for_tests(self.recorder, Level.DEBUG)
        device = self.machine.device
        made = LoadAllocators(StreamAllocator(device), EventAllocator(device), NotifyAllocator(device))
        self.allocators = made if self.with_allocators else LoadAllocators()
        options = LoweringOptions(library=library_of(self.machine.ops))
        self.root = convert_model(two_streams(), self.machine, options, lower, self.allocators, lambda: self.available)

    @property
    def desc(self) -> ModelDesc:
        desc = self.root.attrs["ModelDesc"]
        assert isinstance(desc, ModelDesc)
        return desc

    def run(self) -> list[float]:
        executor: ModelV2Executor = build_executor(self.root, self.machine, builtin_kernels())
        stream = self.machine.device.create_stream().handle
        arg = ModelExecuteArg(stream)
        if self.with_allocators:
            arg = ModelExecuteArg(stream, None, *self.allocators)
        assert executor.load(arg) == 0
        status, value = OpenProcess(self.machine, executor, self.recorder, arg).step(floats(1, -2).reshape(1, 2))
        assert status == 0
        assert value is not None
        return [float(each) for each in np.ravel(value)]


def test_MX_15_too_few_streams_roll_the_model_back_to_one() -> None:
    converted = Converted(available=1)
    texts = line_texts(converted.recorder)
    assert ROLLBACK in texts
    assert "Finish to refresh nodes' stream_id in unknown graph to 0." in texts
    assert "Model is single stream, no need acquire reusable stream" in texts
    desc = converted.desc
    assert (desc.reusable_stream_num, desc.reusable_event_num, desc.reusable_notify_num) == (1, 0, 0)
    before = len(converted.machine.device.streams)
    assert converted.run() == [0.0, 2.0]
    assert len(converted.machine.device.streams) == before + 1


def test_enough_streams_are_reserved_when_the_model_is_loaded() -> None:
    converted = Converted(available=2)
    assert ROLLBACK not in line_texts(converted.recorder)
    assert converted.desc.reusable_stream_num == 2
    assert len(converted.machine.device.streams) == 2
    assert converted.run() == [0.0, 2.0]


def test_a_device_that_cannot_tell_is_better_rolled_back() -> None:
    converted = Converted(available=None)
    assert "Fail to get available stream num on device. Better to roll back to single stream." in line_texts(
        converted.recorder
    )
    assert converted.desc.reusable_stream_num == 1


def test_without_the_three_allocators_nothing_is_rolled_back_and_nothing_reserved() -> None:
    converted = Converted(available=1, with_allocators=False)
    texts = line_texts(converted.recorder)
    assert "Stream allocator or event allocator is null. Its come from acl. No need rollback." in texts
    assert "No external stream allocator during load, model will use inner stream allocator when executing." in texts
    assert len(converted.machine.device.streams) == 1
    assert converted.desc.reusable_stream_num == 2
    assert converted.run() == [0.0, 2.0]


def test_the_device_is_asked_when_nobody_says_how_many_there_are() -> None:
    machine = machine_for_tests()
    device = machine.device
    left = device.available_streams()
    device.create_stream()
    assert device.available_streams() == left - 1


class Hoarder:
    """An allocator that has nothing."""

    def acquire(self, _count: int) -> list[int] | None:
        return None


@pytest.mark.parametrize(("short", "name", "count"), [(0, "streams", 2), (1, "events", 2), (2, "notifies", 0)])
def test_what_cannot_be_reserved_is_named(short: int, name: str, count: int) -> None:
    machine = machine_for_tests()
    device = machine.device
    have = [StreamAllocator(device), EventAllocator(device), NotifyAllocator(device)]
    given = LoadAllocators(*(Hoarder() if index == short else each for index, each in enumerate(have)))
    graph = two_streams()
    graph.attrs["event_num"] = 2
    options = LoweringOptions(library=library_of(machine.ops))
    with pytest.raises(ModelError, match=f"Failed to reserve {name}, num {count}"):
        convert_model(graph, machine, options, lower, given)


def with_static(attrs: Mapping[str, int], static: Mapping[str, int]) -> ComputeGraph:
    """A root with these attributes over one graph of known shapes with those."""
    below = add_model((4,))
    below.attrs.update({"_graph_unknown_flag": False, **static})
    root = add_model()
    root.name = "root"
    root.attrs.update(attrs)
    root.add_subgraph(root.node("add"), below)
    return root


@pytest.mark.parametrize(
    ("attrs", "static", "expected"),
    [
        ({}, {}, StreamResource()),
        ({"stream_num": 1, "event_num": 5}, {}, StreamResource()),
        ({"stream_num": 2, "event_num": 3, "notify_num": 1}, {}, StreamResource(2, 2, 0, 3, 1)),
        ({"stream_num": 5, "_attached_stream_num": 1, "event_num": 3}, {"stream_num": 2}, StreamResource(5, 2, 1, 3)),
        (
            {"stream_num": 4, "event_num": 3, "notify_num": 2},
            {"stream_num": 1, "event_num": 2, "notify_num": 2},
            StreamResource(4, 3, 0, 1, 0),
        ),
    ],
)
def test_what_static_graphs_bring_is_not_the_roots(
    attrs: Mapping[str, int], static: Mapping[str, int], expected: StreamResource
) -> None:
    assert stream_resource(with_static(attrs, static)) == expected


@pytest.mark.parametrize(
    ("attrs", "static", "text"),
    [
        (
            {"stream_num": 3, "_attached_stream_num": 1},
            {"stream_num": 2},
            "Total stream num 3 is insufficient, static stream nums is 2, attached stream nums is 1.",
        ),
        (
            {"stream_num": 3, "event_num": 1},
            {"event_num": 2},
            "Total event num 1 is less than static event nums is 2.",
        ),
        (
            {"stream_num": 3, "notify_num": 1},
            {"notify_num": 2},
            "Total notify num 1 is less than static notify nums is 2.",
        ),
    ],
)
def test_parts_that_need_more_than_the_whole(attrs: Mapping[str, int], static: Mapping[str, int], text: str) -> None:
    with pytest.raises(ModelError) as caught:
        stream_resource(with_static(attrs, static))
    assert caught.value.message == text


def test_a_root_that_was_not_flattened_counts_for_itself() -> None:
    attrs = {"stream_num": 3, "_attached_stream_num": 1, "event_num": 4, "notify_num": 2}
    graph = with_static(attrs, {"stream_num": 2})
    assert stream_resource(graph, has_root_model=False) == StreamResource(5, 2, 1, 4, 2)
    graph.attrs["stream_num"] = 1
    with pytest.raises(ModelError, match="Total stream num 1 is insufficient"):
        stream_resource(graph, has_root_model=False)
