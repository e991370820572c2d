"""What a single-stream run prints: order per kernel, per block and per run (spec/kerneltrace.md 2, 3.5, 10)."""

from collections.abc import Sequence

import pytest
from simulated_runs import Heard, Recorder, add_model, run

from getrace.events import Event
from getrace.events.allocators import (
    InitL2Bound,
    InitL2Created,
    L1Created,
    L1Selected,
    L2Counted,
    L2Created,
    L2Selected,
)
from getrace.events.launch import (
    ArgsLayout,
    ArgWords,
    CompiledArgs,
    HostInputData,
    HostInputInfo,
    Launch,
    LaunchAddresses,
    LaunchTiling,
    LaunchWorkspaces,
    TaskIds,
)
from getrace.events.markers import ExecutorSelected, KernelEnd, ModelEnd, ModelStart, NodesOrdered
from getrace.events.memory import BirthRecycle, CopyAlloc, MemFree, OutputAlloc
from getrace.events.pools import PoolExpand, PoolShrink
from getrace.events.shapes import NodeType, ShapesIn, ShapesOut, TensorSize
from getrace.events.streams import StreamSplit
from getrace.events.tiling import Tiling
from getrace.plog.codec import spell
from runtime.api.simulate import RunOptions

STEPS = 3


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    return run(add_model((-1, -1)), options=RunOptions(steps=STEPS, inputs=("x1=2x1024", "x2=2x1024")))[1]


def of_kernel(recorder: Recorder, kernel_type: str, stage: str = "main") -> list[type[Event]]:
    """Kinds of what the first kernel of a type said in its first run, and of what had an empty NAME on the way."""
    heard = [item for item in recorder.heard if item.stage == stage and item.kernel is not None]
    first = next(index for index, item in enumerate(heard) if str(item.kernel).startswith(f"{kernel_type}_"))
    name = heard[first].kernel
    last = first
    while last + 1 < len(heard) and heard[last + 1].kernel in (name, ""):
        last += 1
    return [type(item.event) for item in heard[first : last + 1]]


KERNELS: list[tuple[str, Sequence[type[Event]]]] = [
    ("SplitRtStreams", (StreamSplit, KernelEnd)),
    ("SplitDataTensor", (KernelEnd,)),
    ("SelectL1Allocator", (L1Selected, KernelEnd)),
    ("SelectL2Allocator", (L2Selected, KernelEnd)),
    ("CalcTensorSizeFromStorage", (TensorSize,)),
    ("CalcTensorSizeFromShape", (TensorSize,)),
    ("InferShape", (NodeType, ShapesIn, ShapesOut)),
    ("CacheableTiling", (Tiling,)),
    ("CopyFlowLaunch", (CopyAlloc, CopyAlloc, KernelEnd)),
    ("AllocMemHbm", (OutputAlloc, KernelEnd)),
    ("AllocBatchHbm", (KernelEnd,)),
    (
        "LaunchKernelWithHandle",
        (
            *(Launch, TaskIds, ArgsLayout, CompiledArgs, LaunchAddresses),
            *(LaunchWorkspaces, LaunchTiling, HostInputData, HostInputInfo, ArgWords),
        ),
    ),
    ("FreeMemory", (MemFree, BirthRecycle, KernelEnd)),
    ("FreeBatchHbm", (KernelEnd,)),
    ("EnsureTensorAtOutMemory", (KernelEnd,)),
]


@pytest.mark.parametrize(("kernel_type", "kinds"), KERNELS)
def test_a_kernel_of_main_says_this_in_this_order(
    recorder: Recorder, kernel_type: str, kinds: Sequence[type[Event]]
) -> None:
    assert of_kernel(recorder, kernel_type) == list(kinds)


@pytest.mark.parametrize(
    ("kernel_type", "kinds"),
    [
        ("CreateL1Allocator", [L1Created, KernelEnd]),
        ("CreateL2Allocators", [KernelEnd]),
        ("CreateInitL2Allocator", [InitL2Bound, KernelEnd]),
        ("Const", [KernelEnd]),
        ("GetPlatformInfo", [KernelEnd]),
    ],
)
def test_a_kernel_of_init_says_this_in_this_order(
    recorder: Recorder, kernel_type: str, kinds: list[type[Event]]
) -> None:
    assert of_kernel(recorder, kernel_type, "init") == kinds


def test_a_run_has_a_pair_of_markers_for_load_each_step_and_unload(recorder: Recorder) -> None:
    markers = [
        (item.stage, type(item.event)) for item in recorder.heard if isinstance(item.event, ModelStart | ModelEnd)
    ]
    stages = ["init", *["main"] * STEPS, "deinit"]
    assert markers == [pair for stage in stages for pair in ((stage, ModelStart), (stage, ModelEnd))]


def test_the_three_lines_of_the_build_come_before_the_first_marker(recorder: Recorder) -> None:
    first = next(index for index, item in enumerate(recorder.heard) if isinstance(item.event, ModelStart))
    before = [item for item in recorder.heard[:first] if item.stage == "load"]
    lines = [item.event for item in before if isinstance(item.event, ExecutorSelected | NodesOrdered)]
    assert lines == [
        ExecutorSelected("sequential-executor", "Init_4"),
        NodesOrdered("with", "Init_4"),
        ExecutorSelected("sequential-executor", "Main_30"),
        NodesOrdered("with", "Main_30"),
        ExecutorSelected("sequential-executor", "DeInit_27"),
        NodesOrdered("with", "DeInit_27"),
    ]
    built = [type(item.event) for item in before if item.kernel is not None]
    assert built == [L2Counted, L2Created, InitL2Created]


def test_kernels_speak_between_markers_only(recorder: Recorder) -> None:
    inside = False
    outside: list[Heard] = []
    for item in recorder.heard:
        if isinstance(item.event, ModelStart | ModelEnd):
            inside = isinstance(item.event, ModelStart)
        elif item.kernel and not inside and item.stage != "load":
            outside.append(item)
    assert outside == []


def test_free_and_recycle_are_neighbours_and_every_block_is_given_before_it_is_freed(recorder: Recorder) -> None:
    alive: set[int | None] = set()
    previous: Event | None = None
    for item in (item for item in recorder.heard if item.kernel is not None):
        event = item.event
        if isinstance(event, OutputAlloc | CopyAlloc):
            assert event.addr not in alive
            alive.add(event.addr)
        elif isinstance(event, MemFree):
            assert event.addr in alive
        elif isinstance(event, BirthRecycle):
            assert isinstance(previous, MemFree)
            assert (item.kernel, event.stream, event.addr) == ("", 0, previous.addr)
            alive.remove(event.addr)
        previous = event
    assert alive == set()


def test_a_single_stream_never_expands_or_shrinks_a_pool(recorder: Recorder) -> None:
    assert not any(isinstance(event, PoolExpand | PoolShrink) for event in recorder.events())


def test_allocations_are_rounded_to_pages_and_sizes_have_room_behind(recorder: Recorder) -> None:
    (output, *_) = [event for event in recorder.events() if isinstance(event, OutputAlloc)]
    assert (output.size, output.stream) == (8224, 0)
    copies = [event for event in recorder.events() if isinstance(event, CopyAlloc)]
    assert [(copy.size, copy.stream) for copy in copies[:2]] == [(65536, 0), (65536, 0)]


def test_the_argument_block_of_a_launch_is_laid_out_as_on_a_machine(recorder: Recorder) -> None:
    # 16 bytes of tiling data are named, not the room for them, because a copy flow may write behind them
    layout = next(event for event in recorder.events() if isinstance(event, ArgsLayout))
    base = layout.inputs_at
    assert layout.base == base
    assert (layout.inputs_length, layout.outputs_at - base, layout.outputs_length) == (16, 16, 8)
    assert (layout.workspaces_at - base, layout.workspaces_length) == (24, 0)
    assert (layout.tiling_at - base, layout.tiling_length, layout.size) == (32, 16, 48)
    addresses = next(event.addresses for event in recorder.events() if isinstance(event, LaunchAddresses))
    words = next(event.words for event in recorder.events() if isinstance(event, ArgWords))
    assert addresses is not None
    assert words == (*addresses, 0, 2048, 8)


def test_task_numbers_count_every_task_of_the_stream(recorder: Recorder) -> None:
    # two copies come before each launch
    tasks = [event.task for event in recorder.events() if isinstance(event, TaskIds)]
    assert tasks == [2, 5, 8]


def test_every_event_has_words_in_the_dialect_of_the_simulator(recorder: Recorder) -> None:
    wordless = {type(item.event).__name__ for item in recorder.heard if spell(item.event, item.kernel)[0] is None}
    assert wordless == {"LogLine"}  # an ordinary log line has its words with it
