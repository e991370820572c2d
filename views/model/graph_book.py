"""All graphs of a store as sheets to turn: stages of each dump, in the order of GE's passes, and where a name stands.

A sheet is one graph of one dump. Sheets of one role (compute, Init, Main, DeInit, or a graph that a node owns) follow
each other pass by pass, so what a pass added or took away is the difference of two neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode
from getrace.ids import split_kernel_name
from views.model.layered import Arc, Neighbours, neighbours

STAGES = ("Init", "Main", "DeInit")
COMPUTE = "compute"


class Sheet(NamedTuple):
    """A graph: ``role`` is what it is, ``stage`` the dump it is from, ``turn`` the number of that dump."""

    role: str
    stage: str
    turn: int
    graph: SnapshotGraph

    @property
    def executes(self) -> bool:
        """Whether its nodes are kernels, named as the log names them."""
        return not self.role.startswith(COMPUTE)


class Change(NamedTuple):
    """What a sheet has that the one before it had not, by names of nodes, and the other way round."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphBook:
    """The sheets in order of their dumps. What is asked of a sheet often is kept."""

    sheets: tuple[Sheet, ...] = ()
    _ties: dict[int, Neighbours] = field(default_factory=dict)
    _ids: dict[int, dict[str, int]] = field(default_factory=dict)

    def first(self) -> int:
        """Give the sheet to begin with: Main of the newest dump, else the newest graph; -1 without any."""
        mains = [number for number, sheet in enumerate(self.sheets) if sheet.role == "Main"]
        return mains[-1] if mains else len(self.sheets) - 1

    def ties(self, number: int) -> Neighbours:
        """Give the edges of a sheet by their ends."""
        if number not in self._ties:
            edges = self.sheets[number].graph.edges
            self._ties[number] = neighbours([Arc(e.source, e.target, e.is_control) for e in edges])
        return self._ties[number]

    def node(self, number: int, name: str) -> int:
        """Give the id of a node of a sheet by its name, -1 when it has none of that name."""
        if number not in self._ids:
            self._ids[number] = {node.name: node.id for node in self.sheets[number].graph.nodes}
        return self._ids[number].get(name, -1)

    def find(self, kernel: str, here: int) -> tuple[int, int]:
        """Give (sheet, node) of a kernel of the log, in the sheet in sight before all others; (-1, -1) for none.

        In a compute graph it is the operator that the kernel was made for.
        """
        operator = split_kernel_name(kernel).node
        newest = max((sheet.turn for sheet in self.sheets), default=0)
        others = [number for number, sheet in enumerate(self.sheets) if sheet.turn == newest]
        for number in dict.fromkeys([here, *others]):
            if 0 <= number < len(self.sheets):
                name = kernel if self.sheets[number].executes else operator
                node = self.node(number, name) if name else -1
                if node >= 0:
                    return number, node
        return -1, -1

    def passes(self, number: int) -> list[int]:
        """Give the sheets of the same role, in order of their dumps."""
        if not 0 <= number < len(self.sheets):
            return []
        return [other for other, sheet in enumerate(self.sheets) if sheet.role == self.sheets[number].role]

    def change(self, number: int) -> Change | None:
        """Say what the passes before a sheet added and removed; None for the first of its role."""
        turns = self.passes(number)
        place = turns.index(number)
        if not place:
            return None
        before, now = (self._names(turns[at]) for at in (place - 1, place))
        return Change(tuple(sorted(now - before)), tuple(sorted(before - now)))

    def life(self, number: int, name: str) -> tuple[str, str]:
        """Give the first and the last dump of a role that have a node of a name."""
        having = [other for other in self.passes(number) if self.node(other, name) >= 0]
        return (self.sheets[having[0]].stage, self.sheets[having[-1]].stage) if having else ("", "")

    def owned(self, number: int, node: SnapshotNode) -> int:
        """Give the sheet of the first graph that a node owns, -1 for none."""
        here = self.sheets[number]
        for other, sheet in enumerate(self.sheets):
            if sheet.turn == here.turn and sheet.graph.name in node.subgraphs:
                return other
        return -1

    def _names(self, number: int) -> set[str]:
        self.node(number, "")
        return set(self._ids[number])


def graph_book(snapshots: Sequence[GraphSnapshot]) -> GraphBook:
    """Make a book of the graphs of a store; a graph that a node owns follows the one with the node."""
    sheets = [sheet for turn, snapshot in enumerate(snapshots) for sheet in _sheets(snapshot, turn)]
    return GraphBook(tuple(sheets))


def _sheets(snapshot: GraphSnapshot, turn: int) -> list[Sheet]:
    # A file of another tool's spelling has no stage; its name says which dump it is.
    dump = snapshot.stage or PurePath(snapshot.source).name
    stages = {stage: graph for stage in STAGES if (graph := snapshot.owned(stage)) is not None}
    root = snapshot.graphs[snapshot.root]
    tops = stages or {COMPUTE: root}
    sheets, done = [], {graph.name for graph in tops.values()} | {snapshot.root}
    for role, top in tops.items():
        sheets.append(Sheet(role, dump, turn, top))
        waiting = [top]
        while waiting:
            for node in waiting.pop(0).nodes:
                for name in node.subgraphs:
                    if name in snapshot.graphs and name not in done:
                        done.add(name)
                        graph = snapshot.graphs[name]
                        sheets.append(Sheet(f"{role}: {graph.name}", dump, turn, graph))
                        waiting.append(graph)
    return sheets
