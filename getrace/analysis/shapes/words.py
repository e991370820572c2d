"""What ordinary lines say of shapes: a table of wordings, and the rows that are read for it.

Wordings are bounded patterns, as those of the rules are. Each row of the table has its source: a format of GE's
source (``spec/related_log_formats.tsv``) or a public case. Ordinary lines stand outside of graph runs, so the rows
read are: all at WARNING and above, and of quieter ones those without a kernel that no run holds.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from getrace.analysis.places import Place, file_of, line_of, time_of
from getrace.analysis.rules.pattern import LONGEST, Pattern, compiled
from getrace.analysis.runs import GraphRun
from getrace.analysis.shapes.observed import owners
from getrace.events import Level
from getrace.store.columns import none_of
from getrace.store.store import Store

LOUD = 10_000
"""Rows at WARNING and above that are read."""
QUIET = 30_000
"""Quieter rows that are read."""
_LINES = 50
_LOUD = (Level.WARNING, Level.ERROR, Level.NULL, Level.CRITICAL, Level.EXCEPTION, Level.UNKNOWN)

# (id, pattern): ids with one topic before the dot.
_TABLE: tuple[tuple[str, str], ...] = (
    # compiler/graph/build/graph_builder.cc; cases 01, 82, 149
    ("kind.dynamic", r"Begin to build unknown shape graph\[(?P<graph>[^\]]+)\]"),
    ("kind.static", r"Begin to build known shape graph\[(?P<graph>[^\]]+)\]"),
    # torchair; case 177
    ("kind.dynamic", r"FX graph compiled to dynamic Ascend GE graph, graph id: (?P<graph>\d+)"),
    ("kind.static", r"FX graph compiled to static Ascend GE graph, graph id: (?P<graph>\d+)"),
    # base/common/model/model_relation..., spec/kerneltrace.md 8
    ("kind.dynamic", r"Read-in dynamic compiled graph (?P<graph>[\w/.-]+)"),
    ("kind.static", r"Read-in static compiled graph (?P<graph>[\w/.-]+)"),
    ("compile", r"\[GEPERFTRACE\] The time cost of (?P<what>[\w:~<>.-]+) is \[(?P<us>\d{1,15})\] micro second"),
    # api/session/session/user_hybrid_graph_manager.cc 137, 233, 236
    ("gear.table", r"index (?P<index>\d+) dynamic dims is (?P<dims>[\d, \[\]]+)"),
    ("gear.chosen", r"find dynamic dims (?P<dims>\[?[\d,]+\]?) matched, execute dynamic gear graph (?P<graph>\d+)"),
    ("gear.none", r"find dynamic dims (?P<dims>\[?[\d,]+\]?) not matched, execute dynamic shape graph (?P<graph>\d+)"),
    # api/acl/acl_model/model/model.cpp 1841, model_om2.cpp 1329
    (
        "gear.asked",
        r"start to execute aclmdlSetDynamicBatchSize, modelId\[(?P<graph>\d+)\].*batchSize\[(?P<dims>\d+)\]",
    ),
    # spec/gears_engines.md A.13
    ("gear.none", r"input tensor dimension \[(?P<dims>[\d, ]+)\] is not in the dynamic dimension list"),
    # options as ATC's command line (case 154), as TF Adapter (case 01) and GE print them
    ("gear.option", r"--?dynamic_(?:dims|batch_size|image_size)[= ]\"?(?P<gears>[\d,;]+)"),
    ("gear.option", r"dynamic_dims: ?(?P<gears>\d[\d,;]*)"),
    ("gear.shape", r"--?input_shape[= ]\"?(?P<shape>[^\" ]+)"),
    # spec/gears_engines.md A.5.9: the branch of a gear; case 154
    ("gear.node", r"_ascend_mbatch_batch_(?P<index>\d{1,4})"),
    # AISBench (case 60)
    ("gear.absent", r"dynamic_batch_size parameter is not specified for model conversion"),
    # runtime/v1/hybrid/node_executor/task_context.cc; case 73
    (
        "size.output",
        r"(?P<op>[\w/.-]+)\((?P<type>\w+)\) index\[(?P<index>\d+)\] mem size out of range!? ?"
        r"Expected size: (?P<expected>\d+), but given input size: (?P<given>\d+)",
    ),
    # runtime/v1/hybrid/executor/worker/execution_engine.cc 373, 370; case 138
    (
        "size.input",
        r"for \[(?P<op>[\w/.-]+)\((?P<type>\w+)\)\] Input\[(?P<index>\d+)\]: ?tensor size mismatches\. ?"
        r"expected: (?P<expected>-?\d+), but given (?P<given>\d+)",
    ),
    (
        "size.input",
        r"\[(?P<op>[\w/.-]+)\] Input\[(?P<index>\d+)\]: ?tensor size mismatches\. ?"
        r"expected: (?P<expected>-?\d+), but given (?P<given>\d+)",
    ),
    # runtime/v1/single_op/single_op.cc; case 73
    (
        "size.output",
        r"Output Size mismatch\. index = (?P<index>\d+), model expect {1,4}(?P<expected>\d+), but given (?P<given>[\d.]+)",
    ),
    (
        "size.input",
        r"Input Size mismatch\. index = (?P<index>\d+), model expect {1,4}(?P<expected>\d+), but given (?P<given>[\d.]+)",
    ),
    # runtime/v1/hybrid/executor/hybrid_model_executor.cc 158, 85
    ("size.blob", r"Blob size mismatches, expect at least (?P<expected>\d+), but got (?P<given>\d+)"),
    (
        "range.input",
        r"Dim out of range, shape idx = (?P<index>\d+), dim idx = (?P<axis>\d+), ?dim = (?P<dim>-?\d+), ?"
        r"range = \[(?P<low>-?\d+), (?P<high>-?\d+)\]",
    ),
    # runtime/v2/core/utils/tensor_utils.cc 39
    ("range.dim", r"cur dim\[(?P<dim>-?\d+)\] is not in shape range\[(?P<low>-?\d+), (?P<high>-?\d+)\]"),
    # api/acl/acl_model/model/model.cpp 620
    ("range.input", r"\[Check\]\[InputShape\] Input \[(?P<index>\d+)\] shape out of shape range"),
    # operator libraries; case 92
    (
        "rule.broadcast",
        r"OpName:\[(?P<op>[^\]]+)\] \"?(?P<left>\[[\d, -]+\]) can ?not broadcast to (?P<right>\[[\d, -]+\])",
    ),
    (
        "rule.broadcast",
        r"OpName:\[(?P<op>[^\]]+)\] \"?input shapes (?P<left>\[[\d, -]+\]) can ?not broadcast to shape (?P<right>\[[\d, -]+\])",
    ),
    # runtime/v2/kernel/common_kernel_impl/infer_shape.cc 263
    ("rule.infer", r"InferShape failed, node type (?P<type>\w+), name (?P<op>[\w/.-]+), error-code"),
    # runtime/v1/hybrid/node_executor/task_context.cc: the shape that the size was made of; case 73
    (
        "shape.output",
        r"To allocate output for node: (?P<op>[^ ]+) index = (?P<index>\d+), tensor desc = .*Shape = \[(?P<dims>[\d, ]*)\]",
    ),
)
_HINTS = ("shape", "Shape", "dynamic", "size mismatch", "Size mismatch", "size out of range", "GEPERFTRACE", "mbatch")
_HINTS_MORE = ("Dim out of range", "is not in shape range", "broadcast", "static Ascend GE graph", "Read-in static")


@dataclass(frozen=True, slots=True)
class Word:
    """A line that a row of the table matched: its id, what its groups hold, the line as evidence."""

    id: str
    values: dict[str, str]
    place: Place

    @property
    def topic(self) -> str:
        """The first part of the id."""
        return self.id.partition(".")[0]

    def number(self, name: str) -> int | None:
        """Give a value as a number; None when it is absent or none."""
        text = self.values.get(name, "")
        return int(text) if re.fullmatch(r"-?\d{1,20}", text) else None

    def numbers(self, name: str) -> tuple[int, ...]:
        """Give all numbers of a value."""
        return tuple(int(text) for text in re.findall(r"-?\d{1,18}", self.values.get(name, "")))


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, Pattern], ...]:
    return tuple((name, compiled(text)) for name, text in _TABLE)


@lru_cache(maxsize=1)
def _hint() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, (*_HINTS, *_HINTS_MORE))))


def words_of_line(line: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Give what the rows of the table find in one line: the first row of each topic."""
    line = line[:LONGEST]
    if _hint().search(line) is None:
        return
    found: set[str] = set()
    for name, pattern in _patterns():
        topic = name.partition(".")[0] if name != "gear.shape" else name
        values = pattern.search(line) if topic not in found else None
        if values is not None:
            found.add(topic)
            yield name, values


def read_words(store: Store, runs: Sequence[GraphRun]) -> tuple[list[Word], int]:
    """Read the ordinary lines of a log: what they say, and how many of them were not looked at."""
    level = store.column("level")
    loud = np.isin(level, [int(each) for each in _LOUD]) | (store.column("lines") > 1)
    noisy, quiet = np.flatnonzero(loud), np.flatnonzero(~loud & (store.column("kernel") == none_of("kernel")))
    chosen, left = quiet[: 4 * QUIET], len(quiet) - len(quiet[: 4 * QUIET])
    outside = chosen[owners(store, runs, chosen.astype(np.int64)) < 0]
    rows = np.sort(np.concatenate([noisy[:LOUD], outside[:QUIET]])).tolist()
    words = [word for row in rows for word in _of_row(store, row)]
    return words, left + max(0, len(noisy) - LOUD) + max(0, len(outside) - QUIET)


def _of_row(store: Store, row: int) -> Iterator[Word]:
    text = store.text(row)
    if _hint().search(text) is None:
        return
    for number, line in enumerate(text.split("\n", _LINES)[:_LINES]):
        for name, values in words_of_line(line):
            first = line_of(store, row)
            at = Place(row, file_of(store, row), first + number if first else 0, time_of(store, row), line[:LONGEST])
            yield Word(name, values, at)


def words_of_text(file: str, lines: Iterable[str]) -> list[Word]:
    """Read a text without records."""
    return [
        Word(name, values, Place(number - 1, file, number, None, line[:LONGEST]))
        for number, line in enumerate(lines, 1)
        for name, values in words_of_line(line)
    ]
