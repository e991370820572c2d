"""The grammar against logs printed by GE's own code (dialect rt2-2026)."""

import csv
import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from getrace.events import KIND_NUMBER
from getrace.events.text import Note
from getrace.plog.codec import claim, grammar, split_trace, trace_text
from getrace.plog.convert import convert, spell_record
from getrace.plog.row import GE, MARK, TRACE
from getrace.plog.table import read_record
from getrace.replay import open_store
from getrace.store.columns import JOINED

pytestmark = pytest.mark.real

GROUPS = 16
UNDECIDED = (
    "CannProfilerST.InitCannProfilingV1_Ok.",
    "KnownShapeGraphUnitTest.ControlFlowNode",
)  # logs in which no line tells one release from another
CUT_BY_TABLE = 400  # formats.tsv keeps 400 characters of an example

# Templates of formats.tsv that spec/kerneltrace.md does not know: their lines stay ordinary log lines.
UNKNOWN_TO_SPEC = Counter(
    {
        "active_memory_allocator.cc": 23,
        "task_scheduler.cc": 1,  # Invalid input num ..., less than execute arg count ...
    }
)


def _logs(cases: Path, group: int) -> list[Path]:
    return sorted((cases / "truth" / "logs").glob("*.log.gz"))[group::GROUPS]


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_trace_line_is_claimed_and_every_log_comes_back(cases: Path, tmp_path: Path, group: int) -> None:
    logs = _logs(cases, group)
    assert len(logs) >= 16
    for log in logs:
        store = open_store([str(log)])
        notes = (store.column("kind") == KIND_NUMBER[Note.kind]) & (store.column("flags") & JOINED == 0)
        assert [store.text(int(row)) for row in np.flatnonzero(notes)] == [], log.name
        assert store.sources[0].dialects == (() if log.name.startswith(UNDECIDED) else ("rt2-2026",)), log.name
        target = tmp_path / "again.log"
        done = convert(store, target)
        assert target.read_bytes() == gzip.decompress(log.read_bytes()), log.name
        assert done.through_rows > 0


def test_all_logs_together_hold_what_the_spec_counts(cases: Path) -> None:
    traces = pieces = starts = ends = expand = 0
    for log in sorted((cases / "truth" / "logs").glob("*.log.gz")):
        text = gzip.decompress(log.read_bytes()).decode()
        traces += text.count("[KernelTrace]")
        starts += text.count("[KernelTrace] Start model tracing.")
        ends += text.count("[KernelTrace] End model tracing.")
        expand += text.count("[MEM]Expand") + text.count("[MEM]Shrink")
        pieces += sum(1 for line in text.splitlines() if _is_later_piece(line))
    assert (traces, starts, ends, expand) == (187_714, 1_082, 1_060, 3_570)
    assert pieces > 0


def _is_later_piece(line: str) -> bool:
    record = read_record(line)
    split = split_trace(record.text) if record is not None else None
    return split is not None and split[0] is not None and not grammar().claims(TRACE, split[1])


def test_each_known_template_has_one_row_and_comes_back(cases: Path) -> None:
    with (cases / "truth" / "formats.tsv").open(encoding="utf-8") as file:
        templates = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(templates) == 921
    unknown: Counter[str] = Counter()
    claimed = cut = pieces = 0
    for template in templates:
        line = template["example"]
        record = read_record(line)
        assert record is not None
        split = split_trace(record.text)
        scope, text = (GE, record.text) if split is None else (MARK if split[0] is None else TRACE, split[1])
        rows = grammar().claims(scope, text, record.allocator)
        assert len(rows) <= 1, line
        if rows:
            claimed += 1
            found = claim(record)
            assert spell_record(record, rows[0], found.kernel, found.event) == line
        elif len(line) >= CUT_BY_TABLE:
            cut += 1
        elif split is not None:
            pieces += 1  # a later piece of a split message stands alone in the table
            assert trace_text(*split) == record.text
        else:
            unknown[template["source"]] += 1
    assert unknown == UNKNOWN_TO_SPEC
    assert (claimed, cut, pieces) == (812, 78, 7)
