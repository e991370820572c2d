"""The graph and the model that a failure belongs to: the dump says it of a node, else the lines of its thread do.

KernelTrace lines carry neither (spec/kerneltrace.md 8): a thread names them where it begins to execute or to build, and
again where it hands the failure on. RUNTIME's ``model_id`` is a number of its own and is never taken.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from getrace.analysis.failure.model import Failure
from getrace.analysis.places import Place, place, text_of
from getrace.analysis.resolution import NodeAt
from getrace.analysis.switches import GE_SWITCH
from getrace.store.columns import none_of
from getrace.store.store import Store

BACK = 400
AHEAD = 200
"""Ordinary lines of the thread that are read before and behind the failure."""

_MODULES = frozenset({"GE", "ASCENDCL", "FMK"})
_BUILDING = frozenset({"compile", "lowering", "load", "init"})

_RUN = re.compile(
    r"(?:executor of graph|rt v2 model for graph|Load model of graph:|Hybrid model of graph) (?P<graph>[^\s,]+)"
)
_BUILT = re.compile(r"Begin to build (?:un)?known shape graph\[(?P<graph>[^\]]+)\]|graph_name:(?P<named>[\w/.-]+)")
_ROOT = re.compile(r"executor for root compute graph\[(?P<graph>[^\]]+)\], model\[(?P<model>[^\]]+)\]")
_MODEL = re.compile(r"\bmodel[_ ]?[iI]d ?(?:[:=]|is)? ?\[?(?P<model>\d{1,10})")
_ENTERED = "executor of graph"
"""A line by which a thread enters a model: what stands before another one is of another run."""


@dataclass(frozen=True, slots=True)
class Belonging:
    """Names and the records that tell them; ``graph_file`` is the dump. None: neither a dump nor a line says it."""

    graph: str | None = None
    graph_at: Place | None = None
    graph_file: str = ""
    model: str | None = None
    model_at: Place | None = None
    unknown: str = ""
    switch: str = ""


def belongs_to(store: Store, failure: Failure, node: NodeAt | None) -> Belonging:
    """Say which graph and model a failure belongs to; ``node`` is its operator in a dump beside the log."""
    spot = failure.at or failure.error
    told = Belonging() if spot is None else _from_lines(store, spot.row, failure)
    graph, graph_at, file = told.graph, told.graph_at, ""
    if node is not None:
        graph, graph_at, file = node.graph, None, node.snapshot.source
    missing = [name for name, value in (("graph", graph), ("model", told.model)) if value is None]
    said = f"no line of the failing thread names its {' or '.join(missing)}" if missing else ""
    return Belonging(graph, graph_at, file, told.model, told.model_at, said, GE_SWITCH if missing else "")


def _from_lines(store: Store, row: int, failure: Failure) -> Belonging:
    building = failure.phase in _BUILDING
    graph: tuple[str, int] | None = None
    model: tuple[str, int] | None = None
    for at, text, behind in _lines(store, row):
        root = _ROOT.search(text)
        found = _graph(text, building=building)
        if graph is None and (found or root):
            graph = (found or (root["graph"] if root else ""), at)
        number = _MODEL.search(text)
        if model is None and (number or root):
            model = (number["model"] if number else root["model"] if root else "", at)
        if (graph and model) or (not behind and graph and graph[1] != at and _ENTERED in text):
            break
    return Belonging(
        graph=graph and graph[0],
        graph_at=None if graph is None else place(store, graph[1]),
        model=model and model[0],
        model_at=None if model is None else place(store, model[1]),
    )


def _graph(text: str, *, building: bool) -> str | None:
    found = _RUN.search(text)
    if found is None and building:
        found = _BUILT.search(text)
        return None if found is None else found["graph"] or found["named"]
    return None if found is None else found["graph"]


def _lines(store: Store, row: int) -> Iterator[tuple[int, str, bool]]:
    """Give ordinary lines of the row's thread as (row, text, whether it is behind): the nearest before it first."""
    pid, tid, kernel = (store.column(name) for name in ("pid", "tid", "kernel"))
    own = np.flatnonzero((tid == tid[row]) & (pid == pid[row]) & (kernel == none_of("kernel")))
    modules = store.column("module")
    at = int(np.searchsorted(own, row, "right"))
    for near, behind in ((own[max(0, at - BACK) : at][::-1], False), (own[at : at + AHEAD], True)):
        for each in near.tolist():
            if store.names.text(int(modules[each])) in _MODULES:
                yield each, text_of(store, each), behind
