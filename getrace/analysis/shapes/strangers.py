"""Dumps of another model than the one that ran: they lie beside a log, and say nothing of it.

Whoever runs two models in one folder leaves both dumps there. Open inputs of the one would be told as the reason why
the other is dynamic.
"""

from collections.abc import Sequence

import numpy as np

from getrace.analysis.failure.phases import is_launch
from getrace.analysis.shapes.dumped import DATA, compute_snapshots
from getrace.analysis.shapes.facts import Unknown
from getrace.dumps.snapshot import GraphSnapshot
from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store

_SHARED = DATA | {"NetOutput", "Const", "Constant", "Variable"}
"""Types of nodes whose names say nothing of the model: each model has an input ``x``."""


def told_and_strange(store: Store) -> tuple[list[GraphSnapshot], list[GraphSnapshot]]:
    """Sort the dumps of compute graphs: those that may be of the log, and those none of whose operators it launched.

    A log that shows no launch of an operator excludes nothing.
    """
    snapshots = compute_snapshots(store.graphs)
    launched = _launched(store) if snapshots else frozenset()
    strange = [each for each in snapshots if launched and _operators(each) and not launched & _operators(each)]
    return [each for each in snapshots if each not in strange], strange


def unknown_of(strange: Sequence[GraphSnapshot]) -> list[Unknown]:
    """Say of each dump that is left aside why it is."""
    because = "the log launched none of its operators: it is of another model, or of a run that is not here"
    return [Unknown(f"whether graph {each.root} is of this log", because) for each in strange]


def _launched(store: Store) -> frozenset[str]:
    numbers = np.unique(store.column("kernel")).tolist()
    parts = (split_kernel_name(store.names.text(number)) for number in numbers if number != none_of("kernel"))
    return frozenset(part.node for part in parts if part.node and is_launch(part.type))


def _operators(snapshot: GraphSnapshot) -> set[str]:
    return {node.name for graph in snapshot.graphs.values() for node in graph.nodes if node.type not in _SHARED}
