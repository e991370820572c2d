"""An event in a few words, as a row shows it.

One table of phrases. A phrase is made of parts divided by ``|``; a part with a field that the log does not give is
left out, and when all are, what stands behind ``||`` is said. A kind without a phrase, or with nothing left of it, is
told by its name and its fields, so that no row is without words and a new kind is readable before anybody writes a
phrase. Numbers follow the name of their field: addresses as hex, sizes as bytes;
``:x`` behind a field's name asks for hex.
"""

import re
from collections.abc import Iterator

from getrace.events import (
    Event,
    aicpu,
    device,
    engines,
    failures,
    launch,
    markers,
    memory,
    pools,
    shapes,
    streams,
    text,
    tiling,
)
from getrace.printable import printable

PHRASES: dict[type[Event], str] = {
    text.LogLine: "{text}",
    text.Note: "{text}",
    text.Foreign: "{text}",
    markers.ModelStart: "── model starts ──",
    markers.ModelEnd: "── model ends ──",
    markers.KernelEnd: "done",
    markers.ExecutorSelected: "{executor} runs {graph}",
    markers.NodesOrdered: "nodes of {graph} {order} priority",
    markers.KernelFailed: "{kernel_type} {name} failed",
    memory.MemAlloc: "alloc {size}|{addr}|stream {stream}|for {asked}",
    memory.BatchAlloc: "alloc workspace {size}|{addr}|stream {stream}",
    memory.CopyAlloc: "alloc for copy {size}|{addr}|stream {stream}",
    memory.OutputAlloc: "alloc output {size}|{addr}|stream {stream}",
    memory.PlacedOutputAlloc: "alloc output {size}|{addr}|{placement} for {out_placement}",
    memory.ConstAlloc: "alloc weight {size}|{addr}|for {asked}",
    memory.SpecifiedAlloc: "alloc {size}|{addr}|output {index}",
    memory.FixedAlloc: "alloc fixed {size}|{addr}",
    memory.GuideAlloc: "alloc {size}",
    memory.MemFree: "free {addr}|stream {stream}",
    memory.TensorFree: "free tensor {addr}",
    memory.BatchFree: "free workspace {addr}|stream {stream}",
    memory.SpecifiedFree: "free {addr}|output {index}",
    memory.FixedFree: "free fixed {addr}",
    memory.MemWander: "{addr} also on stream {peer}|from stream {stream}",
    memory.BirthRecycle: "recycle {addr}|pool of stream {stream}",
    memory.BorrowRecycle: "borrow {addr}|stream {stream}|from {peer}",
    memory.LocalRecycle: "release {addr}|stream {stream}|born on {peer}",
    memory.StreamCopy: "copy {size} to {addr}|{source_placement} to {placement}",
    memory.ZeroCopy: "output written in place at {addr}",
    streams.StreamSplit: "stream {stream} is rt stream {rt_stream}",
    streams.StreamCollected: "stream {stream} is rt stream {rt_stream}",
    streams.EventSent: "send event {event_id}|from stream {stream}",
    streams.EventWaited: "wait event {event_id}|at stream {stream}",
    streams.RecycleSent: "send recycle of {addr}|event {event_id}|from stream {stream}",
    streams.RecycleWaited: "wait recycle of {addr}|event {event_id}|at stream {stream}",
    streams.MigrationSent: "send {addr} home|event {event_id}|from stream {stream}",
    streams.MigrationWaited: "wait {addr} home|event {event_id}|at stream {stream}",
    shapes.NodeType: "operator type {type}",
    shapes.ShapesIn: "shapes in {original}",
    shapes.ShapesOut: "shapes out {original}",
    shapes.ShapeResult: "shape {dims}",
    shapes.RangesIn: "ranges in {ranges}",
    shapes.RangesOut: "ranges out {ranges}",
    shapes.TensorSize: "{size} for {dims}",
    tiling.Tiling: "tiling key {key}|{block_dim} blocks|data {size}|cache {cache}",
    tiling.GuideTiling: "tiling key {key}|workspace {workspace}",
    launch.Launch: "launch {block_dim} blocks|on {handle}",
    launch.GuideLaunch: "launch task {task}|rt stream {rt_stream}",
    launch.TaskIds: "rt stream {rt_stream}|task {task}|flip {flip}",
    launch.ArgsLayout: "arguments: {inputs_length} inputs|{outputs_length} outputs|{tiling_length} tiling",
    launch.CompiledArgs: "compiled arguments {data}||no compiled arguments",
    launch.LaunchAddresses: "addresses {addresses}||no inputs or outputs",
    launch.LaunchWorkspaces: "workspaces {addresses}||no workspaces",
    launch.LaunchTiling: "tiling data {size}||no tiling data",
    aicpu.CcLaunch: "launch AI CPU {op}|{block_dim} blocks|on {handle}",
    aicpu.TfLaunch: "launch AI CPU {op}|on {handle}",
    aicpu.TfLaunch2023: "launch AI CPU {op}|rt stream {rt_stream}|task {task}",
    engines.StarsLaunch: "launch DSA on {handle}",
    pools.PoolExpand: "pool grows {size}|{addr}",
    pools.PoolShrink: "pool shrinks {addr}",
    pools.SpanAlloc: "span {size}|{addr}|for {asked}",
    pools.SpanFree: "span back {size}|{addr}",
    shapes.ExtShapes: "shapes in {inputs}|out {outputs}",
    shapes.ExtShapesOut: "shapes out {original}",
    launch.ArgWords: "argument words {words}",
    pools.DriverFree: "driver takes back {size}|{addr}",
    pools.SpanEvent: "{text}",
    pools.MemoryPressure: "{what}|{text}",
    pools.AllocatorMade: "{text}",
    pools.ExpandableMemory: "{text}",
    pools.MemoryProfile: "{text}",
    pools.OlderAllocator: "{text}",
    pools.AllocRequest: "asked for {asked}",
    pools.DriverMalloc: "driver gives {size}|{addr}|{func}|{purpose}",
    pools.DeviceAlloc: "device gives {size}|{addr}|block {block}",
    pools.DeviceFree: "device takes back {size}|{addr}|block {block}",
    engines.PrinterFailed: "{text}",
    failures.AssertFailed: "assert {condition} FAILED",
    failures.AssertUnequal: "assert {condition} FAILED|expected {expected}|got {actual}",
    failures.ExecutorError: "{text}",
    failures.SchedulerLine: "{text}",
    device.TaskSubmitted: "task {task} submitted|rt stream {rt_stream}|{type_name}",
    device.TaskListed: "task {task} listed|rt stream {rt_stream}|{type_name}",
    device.RuntimeMalloc: "runtime gives {size}|{addr}",
    device.RuntimeFree: "runtime takes back {addr}",
    device.HostMalloc: "host gives {size}",
    device.DeviceMemory: "device has {free} free",
    device.DumpPrepared: "dump knows {node}|rt stream {rt_stream}|task {task}",
    device.KernelLaunched: "put on rt stream {rt_stream}|task {task}|{fault_name}",
    device.TaskFinished: "task {task} done|rt stream {rt_stream}|{type_name}",
    device.TaskException: "task {task} FAILED|rt stream {rt_stream}|{reason}",
    device.KernelFault: "kernel FAULT {fault_name}|rt stream {rt_stream}|task {task}",
    device.CoreError: "{core_kind} {core} error {code:x}|{text}",
    device.SyncStarted: "wait for rt stream {rt_stream}",
    device.SyncFailed: "wait FAILED|rt stream {rt_stream}|{reason}",
    device.ApiFailed: "call FAILED {code}|{reason}|inner {inner:x}",
    device.ErrorDetected: "{which} error {code:x}|rt stream {rt_stream}|task {task}",
}

_HEX = frozenset(
    {"addr", "block", "handle", "tensor", "tensor_addr", "allocator", "l1", "l2", "binary", "args", "io", "source"}
    | {"hbm_addr", "p2p_addr", "weight"}
)
_BYTES = frozenset({"size", "asked", "workspace", "inputs_length", "outputs_length", "tiling_length", "length", "free"})
_DESCRIBED = frozenset({"original", "storage", "ranges"})
_FIELD = re.compile(r"{(\w+)(:x)?}")
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def short(event: Event, limit: int = 400) -> str:
    """Give an event in a few words, printable, at most ``limit`` characters."""
    phrase = PHRASES.get(type(event))
    said = _fill(phrase, event) if phrase else _told_by_fields(event)
    return printable(said, limit)


def value_text(name: str, value: object) -> str:
    """Spell one field's value: ``name`` decides between hex, bytes and plain. Not yet printable."""
    if value is None:
        return "?"
    if isinstance(value, bytes):
        return f"{len(value)} B {value[:32].hex(' ')}" + ("…" if len(value) > 32 else "")
    if isinstance(value, tuple):
        return _described(value) if name in _DESCRIBED else _tuple_text(name, value)
    if isinstance(value, int) and not isinstance(value, bool):
        if name in _HEX or name.endswith("_at"):
            return f"{value:#x}"
        if name in _BYTES:
            return byte_text(value)
    return str(value)


def counted(count: int, noun: str) -> str:
    """Spell a number of things: ``1 launch``, ``2 launches``."""
    many = "es" if noun.endswith("ch") else "s"
    return f"{count:,} {noun}{'' if count == 1 else many}"


def byte_text(count: float) -> str:
    """Spell bytes for a person: ``600 B``, ``64 KiB``, ``1.5 MiB``."""
    size, unit = float(count), 0
    while abs(size) >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    digits = f"{size:.1f}".removesuffix(".0") if abs(size) < 100 else f"{size:.0f}"
    return f"{digits} {_UNITS[unit]}"


def duration_text(nanoseconds: int) -> str:
    """Spell a span of time for a person: ``850 ns``, ``12.4 us``, ``3.25 ms``, ``71.2 s``, ``2 h 03 min``."""
    sign, size = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if size >= 3_600_000_000_000:
        hours, rest = divmod(size // 60_000_000_000, 60)
        return f"{sign}{hours:,} h {rest:02} min"
    for unit, worth in (("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)):
        # What three digits round up to a thousand is one of the next unit: ``.3g`` would spell it 1e+03.
        if 2000 * size >= 1999 * worth:
            told = f"{size / worth:.3g}" if 2 * size < 1999 * worth else f"{size / worth:,.0f}"
            return f"{sign}{told} {unit}"
    return f"{sign}{size} ns"


def fields(event: Event) -> Iterator[tuple[str, object]]:
    """Give the fields of an event in the order of its record."""
    slots: tuple[str, ...] = getattr(event, "__slots__", ())
    for name in slots:
        yield name, getattr(event, name)


def _fill(phrase: str, event: Event) -> str:
    def spelled(found: re.Match[str]) -> str:
        value = getattr(event, found[1])
        return f"{value:#x}" if found[2] else value_text(found[1], value)

    whole, _, otherwise = phrase.partition("||")
    # An empty text says nothing beside other parts; alone it is what the log says.
    missing = (None, "") if "|" in whole else (None,)
    parts = [
        part
        for part in whole.split("|")
        if all(getattr(event, found[1]) not in missing for found in _FIELD.finditer(part))
    ]
    return _FIELD.sub(spelled, ", ".join(parts)) if parts else otherwise or _told_by_fields(event)


def _told_by_fields(event: Event) -> str:
    told = [f"{name} {value_text(name, value)}" for name, value in fields(event) if value is not None]
    return f"{event.kind.replace('_', ' ')}: {', '.join(told)}" if told else event.kind.replace("_", " ")


def _described(tensors: tuple[object, ...]) -> str:
    # A described tensor is (format, data type, dimensions or ranges or text).
    told = []
    for tensor in tensors[:64]:
        if isinstance(tensor, tuple) and len(tensor) == 3 and isinstance(tensor[1], str):
            layout, dtype, dims = tensor
            told.append(f"{dtype}{_tuple_text('', dims) if isinstance(dims, tuple) else dims} {layout}")
        else:
            told.append(value_text("", tensor))
    return "; ".join(told) or "none"


def _tuple_text(name: str, value: tuple[object, ...]) -> str:
    if name in {"addresses", "words"}:
        items = [f"{item:#x}" if isinstance(item, int) else _tuple_text("", (item,)) for item in value[:64]]
    else:
        items = [value_text("", item) for item in value[:64]]
    return "[" + ", ".join(items) + (", …" if len(value) > 64 else "") + "]"
