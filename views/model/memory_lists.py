"""The lists of the Memory screen: who is alive at a row, all blocks with both ends, the story of one address."""

from collections.abc import Callable, Sequence

import numpy as np

from getrace.analysis.address_map import Ints, Lives
from getrace.analysis.block_columns import Block
from getrace.analysis.memory import history
from getrace.store.store import Store
from views.model.kernel_words import kernel_words
from views.model.lacks import NO_BLOCKS
from views.model.memory_story import MemoryStory
from views.model.rows import clock_text, number_of
from views.model.spans import Span
from views.model.style import ERROR_LEVELS
from views.model.table import Cells, Head, Table
from views.model.words import byte_text, short

ALIVE: tuple[Head, ...] = (
    Head("address", 14),
    Head("given", 9, right=True),
    Head("asked", 9, right=True, needs=64),
    Head("stream", 6, right=True),
    Head("gen", 4, right=True, needs=90),
    Head("since", 7, right=True),
    Head("given to", name=True),
)
BLOCKS: tuple[Head, ...] = (
    Head("address", 14),
    Head("gen", 4, right=True, needs=70),
    Head("asked", 9, right=True, needs=88),
    Head("given", 8, right=True),
    Head("stream", 6, right=True, needs=56),
    Head("alloc", 7, right=True),
    Head("free", 7, right=True, needs=64),
    Head("return", 7, right=True),
    Head("given to", name=True),
)
STORY: tuple[Head, ...] = (
    Head("line", 8, right=True),
    Head("time", 16, needs=64),
    Head("event"),
    Head("kernel", needs=90, name=True),
)
NO_LEAKS = "no block was lost, as far as the log shows"
NOBODY = "no block is alive here"
NO_ADDRESS = "no address: go to a record with one, or choose a block"


def alive_list(store: Store, lives: Lives, row: int) -> Table:
    """List the device blocks that are alive after a row, the biggest first."""
    found = lives.alive(row)

    def cells(index: int) -> Cells:
        block = lives.blocks[int(found[index])]
        asked = "?" if block.requested is None else byte_text(block.requested)
        return (
            Span(f"{block.addr:#x}", "number"),
            Span(byte_text(block.bytes), "strong"),
            Span(asked),
            Span(_stream(block), "dim"),
            Span(str(block.generation), "dim"),
            Span(_line(store, block.alloc), "dim"),
            Span(kernel_words(store.kernel(block.alloc)), "name"),
        )

    return Table(ALIVE, len(found), cells, lives.allocs[found], NOBODY)


def block_list(store: Store, story: MemoryStory, *, leaks: bool = False) -> Table:
    """List all device blocks in order of allocation, or only those that were lost."""
    lives = story.lives
    chosen = np.array(story.leaked, np.int64) if leaks else np.arange(len(lives.blocks))
    lost = frozenset(story.leaked)

    def cells(index: int) -> Cells:
        place = int(chosen[index])
        block, bad = lives.blocks[place], place in lost
        ends = [_line(store, row) for row in (block.free, block.recycle)]
        if block.recycle is None:
            ends[1] = "LOST" if bad else ("-" if block.end is None else _line(store, block.end))
        return (
            Span(f"{block.addr:#x}", "number"),
            Span(str(block.generation), "dim"),
            Span("?" if block.requested is None else byte_text(block.requested)),
            Span("?" if block.size is None else byte_text(block.size), "strong"),
            Span(_stream(block), "dim"),
            Span(_line(store, block.alloc)),
            Span(ends[0]),
            Span(ends[1], "bad" if bad else "text"),
            Span(kernel_words(store.kernel(block.alloc)), "name"),
        )

    return Table(BLOCKS, len(chosen), cells, lives.allocs[chosen], NO_LEAKS if leaks else NO_BLOCKS)


def story_list(store: Store, story: MemoryStory, addr: int) -> Table:
    """List every record that speaks of an address; 0 is none."""
    rows = history(store, addr, story.used) if addr else []
    none = f"no record speaks of {addr:#x}" if addr else NO_ADDRESS
    return Table(STORY, len(rows), _story_cells(store, rows), np.array(rows, np.int64), none)


def address_at(store: Store, row: int) -> int:
    """Give the address that a row names, the first of a launch's; 0 when it names none."""
    if not 0 <= row < store.rows:
        return 0
    addr = store.value("addr", row)
    named: tuple[int, ...] = getattr(store.event(row), "addresses", None) or ()
    return addr if addr > 0 else next((one for one in named if one), 0)


def block_at(lives: Lives, addr: int, row: int) -> int:
    """Give the index of the block that holds an address at a row: alive then, else the last one before; -1 for none."""
    inside: Ints = np.flatnonzero((lives.addrs <= addr) & (addr < lives.addrs + np.maximum(lives.sizes, 1)))
    begun = inside[lives.allocs[inside] <= row]
    return int(begun[-1]) if len(begun) else -1


def story_title(story: MemoryStory, addr: int, row: int) -> str:
    """Say whose an address is at a row."""
    if not addr:
        return "Address"
    place = block_at(story.lives, addr, row)
    rest = f"; {story.used.rest:,} launches were not read" if story.used.rest else ""
    if place < 0:
        return f"Address {addr:#x}: no block lies there{rest}"
    block = story.lives.blocks[place]
    alive = block.end is None or block.end > row
    inside = f" + {addr - block.addr:#x}" if addr != block.addr else ""
    state = "alive" if alive else "gone"
    where = f", stream {block.stream}" if block.stream is not None else ""
    return f"Address {block.addr:#x}{inside}: {state}{where}, generation {block.generation}{rest}"


def _story_cells(store: Store, rows: Sequence[int]) -> Callable[[int], Cells]:
    def cells(index: int) -> Cells:
        row = rows[index]
        bad = store.column("level")[row] in ERROR_LEVELS
        return (
            Span(_line(store, row), "dim"),
            Span(clock_text(store, row), "dim"),
            Span(short(store.event(row)), "bad" if bad else "text"),
            Span(kernel_words(store.kernel(row)), "name"),
        )

    return cells


def _line(store: Store, row: int | None) -> str:
    return "-" if row is None else str(number_of(store, row))


def _stream(block: Block) -> str:
    return "?" if block.stream is None else str(block.stream)
