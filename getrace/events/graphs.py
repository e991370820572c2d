"""Graphs travel as events, so that a replayed file and a live run draw the same picture."""

from dataclasses import dataclass

from getrace.dumps.snapshot import GraphSnapshot
from getrace.events.base import Event


class GraphEvent(Event):
    """Something about a graph. It is no line of a log: writers leave it out, whatever the level is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False)
class GraphSeen(GraphEvent):
    """A graph as it stands at one stage of its life (``ExeGraphBeforeOptimize`` ...)."""

    snapshot: GraphSnapshot


@dataclass(frozen=True, slots=True, repr=False)
class PassApplied(GraphEvent):
    """A pass of the optimizer changed the graph (spec/lowering.md 7).

    ``name`` is GE's name of the pass and ``turn`` counts the rounds of the optimizer from 1; passes that run once
    have the turn after the last round. The other fields name nodes: made, deleted, given other inputs, control inputs
    or another type, and taken to another graph. A node that was made or deleted is in no other field.
    """

    name: str
    turn: int
    added: tuple[str, ...]
    removed: tuple[str, ...]
    rewired: tuple[str, ...]
    moved: tuple[str, ...] = ()
