"""``getrace memory``: peak, leaks, the life of each block, and the whole story of one address."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from getrace.analysis.address_map import space_of
from getrace.analysis.block_columns import Block
from getrace.analysis.memory import MemoryReport, Usage, history, memory_report
from getrace.analysis.places import cell, file_of, line_of, place, time_of
from getrace.analysis.switches import GE_SWITCH
from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.envelope import Json, address, clean
from getrace.cli.layout import Paint, columns, moment_text, quoted, size_text
from getrace.cli.options import add_paths
from getrace.cli.row_json import row_json
from getrace.cli.source_names import SourceNames
from getrace.errors import UsageError

if TYPE_CHECKING:
    from getrace.store.store import Store

EXAMPLES = ("getrace memory plog-370.log", "getrace memory plog-370.log --addr 0x124080054000")

_SHOWN = 40


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser)
    parser.add_argument("--addr", metavar="0x…", help="tell the whole story of one address")


def answer(options: Namespace, tools: Tools) -> Answer:
    """Work out the memory story of the logs; exit 3 when they show no allocation at all."""
    wanted = None if options.addr is None else _address_of(options.addr)
    store = tools.open(options.paths)
    report = memory_report(store)
    story = None if wanted is None else history(store, wanted)
    data = _data(store, report)
    if story is not None:
        data["history"] = [_event_json(store, row) for row in story]
    return Answer(
        code=ExitCode.FINE if report.blocks else ExitCode.UNREADABLE,
        data=data,
        text=lambda paint: _story_text(store, story, paint) if story is not None else _text(store, report, paint),
        sources=store.sources,
        warnings=_warnings(report),
    )


def _warnings(report: MemoryReport) -> list[str]:
    if not report.blocks:
        said = f"none of the {report.allocs} allocations in the log has an address: no block can be followed"
        return [said if report.allocs else f"no allocation in the log: run with {GE_SWITCH}"]
    if report.undecided:
        return ["the log does not show that the model was unloaded: blocks that live at its end may still go back"]
    return []


def _address_of(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise UsageError(f"--addr {text!r} is no address", "write it as the log does, such as 0x124080054000") from None


def _data(store: "Store", report: MemoryReport) -> Json:
    peak = report.peak_row
    return {
        "allocs": report.allocs,
        "frees": report.frees,
        "recycles": report.recycles,
        "peak_bytes": report.peak_bytes,
        "peak_at_ns": None if peak is None else time_of(store, peak),
        "peak_at": None if peak is None else row_json(store, peak),
        "live_at_peak": [_name_json(block) for block in report.live_at_peak],
        "live_at_end": len(report.live_at_end),
        "live_blocks": [_name_json(block) for block in report.live_at_end],
        "undecided": report.undecided,
        "leaks": [_block_json(store, block) for block in report.leaks],
        "blocks": [_block_json(store, block) for block in report.blocks],
        "pool": _pool_json(store, report.pool),
        "fragmentation": [] if peak is None else _maps_json(store, report, peak),
    }


def _name_json(block: Block) -> Json:
    return {"addr": address(block.addr), "generation": block.generation, "size": block.size}


def _block_json(store: "Store", block: Block) -> Json:
    return {
        "addr": address(block.addr),
        "generation": block.generation,
        "block": address(block.block),
        "size": block.size,
        "requested": block.requested,
        "stream": block.stream,
        "host": block.on_host,
        "alloc": row_json(store, block.alloc),
        "free": row_json(store, block.free),
        "recycle": row_json(store, block.recycle),
    }


def _event_json(store: "Store", row: int) -> Json:
    return {
        **(row_json(store, row) or {}),
        "kind": store.kind(row).kind,
        "stream": cell(store, "stream", row),
        "size": cell(store, "size", row),
        "text": clean(place(store, row).text),
    }


def _pool_json(store: "Store", pool: Usage) -> Json:
    levels = pool.bytes.tolist()
    points = zip(pool.rows.tolist(), levels, strict=True)
    return {
        "peak_bytes": max(levels, default=0),
        "growth": [
            {"seq": row, "file": clean(file_of(store, row)), "line": line_of(store, row), "bytes": level}
            for row, level in points
        ],
    }


def _maps_json(store: "Store", report: MemoryReport, row: int) -> list[Json]:
    """Tell how the address space of each process looks at the peak: the numbers of the Memory screen's map."""
    space = space_of(store, report.blocks)
    maps = [space.at(row, pid) for pid in sorted(set(space.lives.pids.tolist()))]
    return [
        {
            "pid": found.pid,
            "held": found.held,
            "used": found.used,
            "free": found.free,
            "largest_free": found.largest_free,
            "fragmentation": round(found.fragmentation, 6),
            "rounding": found.rounding,
        }
        for found in maps
    ]


def _text(store: "Store", report: MemoryReport, paint: Paint) -> Iterator[str]:
    yield _headline(report, paint)
    peak = report.peak_row
    names = _names(store)
    if peak is None:
        yield from columns(names.heading())
    else:
        at = f"{names.at(file_of(store, peak), line_of(store, peak))}  {moment_text(time_of(store, peak))}"
        rows = [
            *names.heading(),
            ("peak", f"{size_text(report.peak_bytes)} ({report.peak_bytes} bytes)  first at {at}"),
        ]
        rows.append(("pool", f"{size_text(max(report.pool.bytes.tolist(), default=0))} taken from the device at most"))
        rows.append(
            ("records", f"{report.allocs} allocations, {report.frees} frees; {report.recycles} blocks went back")
        )
        yield from columns(rows)
        yield from _blocks_text("alive at the peak", report.live_at_peak, store, paint)
    if report.leaks:
        yield from _blocks_text("never returned", report.leaks, store, paint)
    yield from _blocks_text("blocks", report.blocks, store, paint)


def _headline(report: MemoryReport, paint: Paint) -> str:
    if not report.blocks:
        nothing = "no allocation with an address" if report.allocs else "no allocation"
        return paint("yellow", "NOTHING") + f"  the log shows {nothing}"
    if report.leaks:
        lost = sum(block.bytes for block in report.leaks)
        return paint("red", "LEAK") + f"  {len(report.leaks)} blocks, {size_text(lost)}, never went back to their pool"
    if report.undecided:
        live = f"{len(report.live_at_end)} blocks are alive at the end of the log"
        return paint("yellow", "UNDECIDED") + f"  {live}, which does not show whether they went back later"
    return paint("green", "NO LEAK") + "  every block that was given went back"


def _blocks_text(title: str, blocks: Sequence[Block], store: "Store", paint: Paint) -> Iterator[str]:
    if not blocks:
        return
    yield ""
    yield paint("bold", f"{title} ({len(blocks)})")
    head = ("address", "gen", "asked", "given", "stream", "alloc", "free", "return", "kernel")
    names = _names(store)
    table = [_cells(store, block, names) for block in blocks[:_SHOWN]]
    yield from columns([head, *table], frozenset(range(1, 8)), width=paint.width, squeeze=len(head) - 1)
    if len(blocks) > _SHOWN:
        yield f"  … {len(blocks) - _SHOWN} more (all of them with --json)"


def _names(store: "Store") -> SourceNames:
    return SourceNames([source.path for source in store.sources])


def _row_text(store: "Store", row: int | None, names: SourceNames, known: str) -> str:
    """Spell a row in a narrow column: its line, with the name of its log unless that is the one ``known`` already."""
    if row is None:
        return "-"
    file, line = file_of(store, row), line_of(store, row)
    if not line or file == known:
        return str(line or row)
    return names.at(file, line).removeprefix(":")


def _cells(store: "Store", block: Block, names: SourceNames) -> tuple[str, ...]:
    born = file_of(store, block.alloc)
    ends = [_row_text(store, row, names, born) for row in (block.free, block.recycle)]
    return (
        f"{block.addr:#x}",
        str(block.generation),
        "?" if block.requested is None else str(block.requested),
        "?" if block.size is None else str(block.size),
        "?" if block.stream is None else str(block.stream),
        _row_text(store, block.alloc, names, ""),
        *ends,
        store.kernel(block.alloc) or "",
    )


def _story_text(store: "Store", rows: list[int], paint: Paint) -> Iterator[str]:
    if not rows:
        yield "no record of the log speaks of this address"
        return
    names = _names(store)
    yield paint("bold", f"{len(rows)} records speak of the address")
    yield from columns(names.heading())
    for row in rows:
        spot = place(store, row)
        yield f"  {names.at(spot.file, spot.line)}  {store.kind(row).kind}  {quoted(spot.head, 10, paint)}"
