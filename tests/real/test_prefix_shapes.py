"""Every shape of prefix in the real collection: which there are, how often, and that each is read."""

from collections import Counter
from pathlib import Path

import pytest

from getrace.plog.prefix import OUTER, glued_at, shape_of
from getrace.plog.table import decode, read_line
from getrace.store.names import Names

pytestmark = pytest.mark.real

# What is unusual about the prefixes of the collection (nothing: as GE writes it), and how many records have it. The
# names in front are those of the table OUTER; the others are departures that the expression of the prefix allows.
SHAPES = {
    (): 19584,
    ("blank before the time",): 61,
    ("time is a placeholder",): 24,
    ("grep -n",): 21,
    ("whole seconds", "no blank behind the time"): 10,
    ("grep",): 6,
    ("blank in the time", "whole seconds"): 6,
    ("no blank before the module", "no blank behind the time"): 3,
    ("time",): 3,
    ("thread in the head",): 3,
    ("line number", "time is a placeholder"): 1,
    ("no opening bracket",): 1,
}

GLUED = 5
"""Lines that hold a second record behind the first."""

# Shapes of other collectors, which the collection does not have: (name, what stands in front).
ELSEWHERE = [
    ("worker", "(EngineCore pid=1802921) "),
    ("container", "2026-03-05T10:11:12.123456789Z "),
    ("container", "2026-03-05T10:11:12.123456789+08:00 stdout F "),
    ("service", "trainer-1  | "),
    ("journal", "Mar  5 10:11:12 node7 python3[4711]: "),
    ("grep -n", "debug/plog/plog-4711_20260305101112.log:15072:"),
    ("line number", "15072:"),
    ("grep", "plog-4711_20260305101112.log:"),
    ("time", "[2026-03-05 10:11:12] "),
]
LINE = "[INFO] GE(4711,demo):2026-03-05-10:11:12.130.001 [a.cc:1]4 F:x"


def _lines(cases: Path) -> list[bytes]:
    files = sorted(path for path in (cases / "real").iterdir() if path.name != "CASES.tsv")
    return [line.removesuffix(b"\r") for path in files for line in path.read_bytes().split(b"\n")]


def test_the_shapes_of_the_collection_are_all_known(cases: Path) -> None:
    found = Counter(shape for line in _lines(cases) if (shape := shape_of(decode(line))) is not None)
    assert found == SHAPES


def test_each_record_of_a_glued_line_is_read(cases: Path) -> None:
    names = Names()
    glued = [line for line in _lines(cases) if shape_of(decode(line)) is not None and glued_at(line, 60)]
    assert len(glued) == GLUED
    for line in glued:
        (first, _), (second, cells) = read_line(line, names)
        assert first == 0
        assert line[second:].startswith(b"[ERROR] ")
        assert cells["level"] == 3
        assert names.text(cells["module"]) in ("HCCL", "RUNTIME")


@pytest.mark.parametrize(("name", "front"), ELSEWHERE)
def test_what_other_collectors_put_in_front_is_named(name: str, front: str) -> None:
    assert name in OUTER
    assert shape_of(front + LINE) == (name,)


def test_several_stand_one_behind_the_other() -> None:
    assert shape_of(f"worker.log:17:[2026-03-05 10:11:12] {LINE}") == ("grep -n", "time")
    assert shape_of(f"some words {LINE}") is None
