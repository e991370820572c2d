"""The table: each row's samples are claimed by that row alone and come back to the letter."""

import re

import pytest

from getrace.events import EVENTS
from getrace.plog.codec import grammar
from getrace.plog.row import GE, GUIDE, MARK, RT2_2023, RT2_2026, RUNTIME, TRACE, Row
from getrace.plog.rows import ROWS

SAMPLES = [(row, sample) for row in ROWS for sample in row.samples]

# The viewer's patterns (spec/kerneltrace.md 5): ECMAScript syntax, adapted to Python's.
_PTR = r"((\(nil\))|(0x\w+))"
_K = r"\[KernelTrace]\[(.*)]"
VIEWER = {
    "kAllocRe": rf"{_K}\[MEM]Alloc memory at stream (\d+), block {_PTR}, address (0x\w+), size (\d+)",
    "kFreeRe": rf"{_K}\[MEM]Free memory at stream (-?\d+), address (0x\w+)",
    "kMirrorStream": rf"{_K}Get rts stream {_PTR} from logical stream (\d+)",
    "kLocalRecycleRe": rf"{_K}\[MEM]Local-recycle memory at stream (\d+), address (\w+)",
    "kBorrowRecycleRe": rf"{_K}\[MEM]Borrow-recycle memory at stream (\d+), address (0x\w+)",
    "kBirthRecycleRe": rf"{_K}\[MEM]Recycle memory at stream (\d+), address (\w+)",
    "kWander": rf"{_K}\[MEM]Memory wandering from stream (\d+) to (\d+), address (0x\w+)",
    "kRecycleSendEvent": rf"{_K}\[MEM]Send memory recycling event from stream (\d+), event id (\d+), address (0x\w+)",
    "kRecycleRecvEvent": rf"{_K}\[MEM]Wait memory recycling event at stream (\d+), event id (\d+), address (0x\w+)",
    "kMigrationSendEvent": rf"{_K}\[MEM]Send memory migration event from stream (\d+), event id (\d+), address (0x\w+)",
    "kMigrationRecvEvent": rf"{_K}\[MEM]Wait memory migration event at stream (\d+), event id (\d+), address (0x\w+)",
    "kPoolExpand": rf"\[MEM]Expand memory pool at stream {_PTR}, address (0x\w+), size (\d+)",
    "kPoolShrink": rf"\[MEM]Shrink memory pool at stream {_PTR}, address (0x\w+)",
    "kSendEvent": rf"{_K}Sent event (\d+) RT event {_PTR} from stream (\d+)",
    "kWaitEvent": rf"{_K}Waited event (\d+) RT event {_PTR} at stream (\d+)",
    "kSendEventWithMem": rf"{_K}\[MEM]Send memory (.*) event from stream (\d+), event id (\d+), address (0x\w+)",
    "kWaitEventWithMem": rf"{_K}\[MEM]Wait memory (.*) event at stream (\d+), event id (\d+), address (0x\w+)",
}


def _allocator(row: Row) -> str | None:
    return "allocator_3" if row.spoken else None


@pytest.mark.parametrize(("row", "sample"), SAMPLES)
def test_a_sample_is_claimed_by_its_row_alone(row: Row, sample: str) -> None:
    claimed = grammar().claims(row.scope, sample, _allocator(row))
    assert [other.template.text for other in claimed] == [row.template.text]


@pytest.mark.parametrize(("row", "sample"), [pair for pair in SAMPLES if GUIDE not in pair[0].dialects])
def test_a_sample_comes_back_from_its_event(row: Row, sample: str) -> None:
    event = row.read(sample, _allocator(row))
    assert event is not None
    assert row.writes(event)
    assert row.spell(event) == sample


def test_every_row_has_a_sample_and_a_known_dialect_and_scope() -> None:
    for row in ROWS:
        assert row.samples
        assert row.dialects <= {GUIDE, RT2_2023, RT2_2026}
        assert row.scope in {TRACE, MARK, GE, RUNTIME}


def test_a_template_names_only_fields_of_its_event() -> None:
    for row in ROWS:
        slots = set(getattr(row.event, "__slots__", ()))
        assert set(row.template.names) | set(row.fixed) <= slots, row.template.text


def test_every_event_that_is_a_message_has_a_row() -> None:
    without = {event.kind for event in EVENTS} - {row.event.kind for row in ROWS}
    assert without == {"log_line", "note", "foreign", "graph_seen", "pass_applied"}


@pytest.mark.parametrize(("name", "pattern"), VIEWER.items(), ids=list(VIEWER))
def test_the_viewer_finds_its_lines_in_what_the_writer_writes(name: str, pattern: str) -> None:
    lines = [
        f"[KernelTrace][AllocMemHbm_add1_63]{sample}" if row.scope == TRACE else sample
        for row in ROWS
        for sample in row.samples
        if RT2_2026 in row.dialects
    ]
    assert [line for line in lines if re.search(pattern, line)], name


def test_the_viewer_finds_nothing_in_what_2023_alone_prints() -> None:
    lines = [
        f"[KernelTrace][AllocMemHbm_Unique_150]{sample}"
        for row in ROWS
        for sample in row.samples
        if row.dialects == frozenset({RT2_2023}) and row.scope == TRACE
    ]
    assert lines
    assert [line for line in lines for pattern in VIEWER.values() if re.search(pattern, line)] == []
