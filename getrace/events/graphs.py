"""Graphs travel as events, so that a replayed file and a live run draw the same picture."""

from dataclasses import dataclass

from getrace.dumps.snapshot import GraphSnapshot
from getrace.events.base import Event


@dataclass(frozen=True, slots=True)
class GraphSeen(Event):
    """A graph as it stands at one stage of its life (``ExeGraphBeforeOptimize`` ...)."""

    snapshot: GraphSnapshot
