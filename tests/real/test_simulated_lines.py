"""Lines of simulated runs against the lines that GE's own code printed: level, place, function, code and wording."""

import csv
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from simulated_runs import empty_output, open_process

from getrace.bus import Bus
from getrace.events import Event, Level, Origin
from getrace.events.graphs import GraphEvent
from getrace.plog.codec import claim
from getrace.plog.spelling import spell_lines
from getrace.plog.table import read_record
from runtime.api.models import load_model
from runtime.api.simulate import RunOptions, run_model
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.values import DType

pytestmark = pytest.mark.real

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
LINE = re.compile(
    r"\[(\w+)\] GE\([^)]*\):\S+ \[([\w.]+):(\d+)\]\d+ (?:\[([a-z_]+)_\d+\] )?((?:\w|~|::)+):"
    r"(?: ErrorNo: (\d+)\([^)]*\))?(.*)"
)
KERNEL = re.compile(r"(\[\w+\]\[[A-Za-z0-9]+)_[^\]]*\]")  # of [KernelTrace][NAME] and [type][NAME]
OPERATOR = re.compile(r"node_type\[\w+\]")
VALUE = re.compile(r"0x[0-9a-f]+|(?<=addr:)[0-9a-f]+|\(nil\)|-?\d+(?:\.\d+)?[KMG%]? *")
VALUES = re.compile(r"#(?:[, ]+#)+")
WORDS = 60


class Kind(NamedTuple):
    """What the lines of one kind have in common; ``speaker`` is the sort of allocator that speaks."""

    level: str
    file: str
    line: int
    speaker: str | None
    func: str
    code: str | None
    words: str


def kind_of(line: str) -> Kind | None:
    found = LINE.match(line)
    if found is None:
        return None
    level, file, number, speaker, func, code, text = found.groups()
    text = OPERATOR.sub("node_type[]", KERNEL.sub(r"\1]", text))
    return Kind(level, file, int(number), speaker, func, code, VALUES.sub("#", VALUE.sub("#", text))[:WORDS])


@pytest.fixture(scope="module")
def printed(cases: Path) -> set[Kind | None]:
    """The kinds of all lines in the reference logs, and of the examples of logs that are not among them."""
    kinds = {kind_of(row["example"]) for row in _templates(cases)}
    for log in (cases / "truth" / "logs").glob("*.log.gz"):
        with gzip.open(log, "rt", errors="replace") as file:
            kinds.update(map(kind_of, file))
    return kinds


def _templates(cases: Path) -> Iterator[dict[str, str]]:
    with (cases / "truth" / "formats.tsv").open(encoding="utf-8") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


class Printer:
    """A sink that spells what it hears, as the plog writer does."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, time_ns: int, origin: Origin, level: Level, kernel: str | None, event: Event, /) -> None:
        if not isinstance(event, GraphEvent):
            self.lines += spell_lines(time_ns, origin, level, kernel, event)


def unknown(printer: Printer, printed: set[Kind | None]) -> list[tuple[str, int, str]]:
    kinds = {kind_of(line) for line in printer.lines} - printed
    return sorted((kind.file, kind.line, kind.words) if kind else ("", 0, "") for kind in kinds)


def test_every_line_of_the_default_run_is_printed_by_ge_in_its_place(printed: set[Kind | None]) -> None:
    printer = Printer()
    bus = Bus(now=lambda: 0, levels={"GE": Level.INFO})
    bus.subscribe(printer)
    assert run_model(load_model("add_example", SAMPLES), RunOptions(steps=3), bus).status == 0
    assert len({kind_of(line) for line in printer.lines}) > 60
    assert unknown(printer, printed) == []


def _four_adds() -> ComputeGraph:
    graph = GraphBuilder("adds")
    x1, x2 = graph.data("x1", (-1,), DType.FLOAT), graph.data("x2", (-1,), DType.FLOAT)
    last = graph.op("AddExample", x1, x2, name="add0")
    for number in (1, 2, 3):
        last = graph.op("AddExample", last, x2, name=f"add{number}")
    return graph.output(last).build()


# These are in the list of GE's formats; the tests that printed the logs never came to them.
NEVER_REACHED = [
    ("executor_tracer.cc", 64, "[KernelTrace][MakeSureTensorAtDevice]"),
    ("memory_copy.cc", 190, "[MakeSureTensorAtDevice][MakeSureTensorAtDevice]malloc faile"),
    ("model_v2_executor.cc", 42, "Failed to execute, inputs is nullptr"),
    ("model_v2_executor.cc", 58, "Failed to execute, outputs num #, expect num #"),
    ("model_v2_executor.cc", 203, "Cannot unload now, the model state is not loaded(#)"),
]


def test_every_line_of_a_run_without_memory_and_of_wrong_calls_too(printed: set[Kind | None]) -> None:
    process = open_process(_four_adds(), profile="tiny")
    printer = Printer()
    process.machine.journal.bus.subscribe(printer)
    executor, arg = process.executor, process.arg
    executor.execute(arg, [], [])
    executor.load(arg)
    executor.load(arg)
    full = []
    for size in (300_000, 700_000, 100_000, 1_000_000, 1_200_000):
        array = np.ones(size, np.float32)
        full.append(process.step(array, array)[0] != 0)
    assert full == [False, False, False, True, True]
    two = process.inputs(array, array)
    for inputs, outputs in (([], []), ([None, None], [None]), (None, [None]), (two, [None]), (two, [])):
        executor.execute(arg, inputs, outputs)
    executor.unload()
    executor.unload()
    assert sum("ErrorNo" in line for line in printer.lines) > 20
    assert unknown(printer, printed) == NEVER_REACHED
    executor.execute(arg, two, [empty_output()])


# The row claims a text that another file of GE prints as well, and the logs have the other one only.
ELSEWHERE = ["malloc failed, {text:text}"]


def test_a_row_has_a_place_and_a_code_with_which_ge_prints_it(cases: Path) -> None:
    places: dict[str, tuple[tuple[str, int, str], int, set[tuple[str, int, str]], set[int]]] = {}
    for template in _templates(cases):
        record = read_record(template["example"])
        assert record is not None
        row = claim(record).row
        if row is not None:
            known = places.setdefault(row.template.text, (row.place, row.code, set(), set()))
            assert record.src_line is not None
            known[2].add((record.file, record.src_line, record.func))
            if record.code is not None:
                known[3].add(record.code)
    wrong = [text for text, (place, _, found, _) in places.items() if place not in found]
    assert wrong == ELSEWHERE
    assert [text for text, (_, code, _, found) in places.items() if found and code not in found] == []
