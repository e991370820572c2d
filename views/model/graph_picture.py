"""One picture of a graph: the window around a node, drawn, with what stands where; and the way from node to node."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from getrace.dumps.snapshot import SnapshotNode
from getrace.printable import cell_width, printable
from views.model.draw_graph import graph_lines
from views.model.graph_book import GraphBook
from views.model.heat import heat_bar, heat_text
from views.model.kernel_words import squeezed
from views.model.layered import Layout, lay_out, window
from views.model.spans import Line, Span
from views.model.steps import Step

LONGEST = 30
MOST_NEIGHBOURS = 8
_BRACKETS = {False: ("[", "]"), True: (">", "<")}


class Look(NamedTuple):
    """How a graph is looked at: the sheet, the node in the middle, the kind of heat and its values by node name."""

    sheet: int
    centre: int
    kind: str = "none"
    heat: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A window of a sheet: its layout, and the text of each node."""

    look: Look
    layout: Layout
    texts: Mapping[int, Span]
    beyond: int

    def holds(self, node: int) -> bool:
        """Say whether a node can be gone to without another picture: it is there, with all its neighbours."""
        return node in self.texts and node not in self.layout.hidden

    def lines(self, node: int, *, ascii_only: bool = False) -> tuple[list[Line], int]:
        """Give the lines with a node marked, and the number of that node's line."""

        def label(number: int) -> Span:
            text, role = self.texts[number]
            chosen = number == node
            left, right = _BRACKETS[chosen]
            return Span(f"{left}{text}{right}", "cursor" if chosen else role)

        lines, at = graph_lines(self.layout, label, ascii_only=ascii_only)
        return lines, at.get(node, 0)

    def step(self, node: int, step: Step) -> int:
        """Give the node a step leads to: up and down along edges where there is one, else the nearest in that layer."""
        places = {place.node: place for place in self.layout.places if place.node >= 0}
        here = places.get(node)
        if here is None:
            return self.look.centre
        down = step in {Step.DOWN, Step.PAGE_DOWN}
        tied = self._tied(node, down=down)
        if tied:
            return min(tied, key=lambda other: (abs(places[other].port - here.port), other))
        rest = [p for p in places.values() if (p.layer > here.layer if down else p.layer < here.layer)]
        nearest = min(rest, key=lambda p: (abs(p.layer - here.layer), abs(p.port - here.port), p.node), default=here)
        return nearest.node

    def aside(self, node: int, direction: int) -> int:
        """Give the node to the right (1) or left (-1) in the same layer, or the same node at the end."""
        places = {place.node: place for place in self.layout.places if place.node >= 0}
        if node not in places:
            return self.look.centre
        row = sorted((p for p in places.values() if p.layer == places[node].layer), key=lambda p: p.left)
        at = [place.node for place in row].index(node) + direction
        return row[at].node if 0 <= at < len(row) else node

    def _tied(self, node: int, *, down: bool) -> list[int]:
        """Give the nodes that a node is tied to below (or above), over the joints of long edges."""
        number = next(at for at, place in enumerate(self.layout.places) if place.node == node)
        found, waiting = [], [number]
        while waiting:
            place = self.layout.places[waiting.pop()]
            for other in place.below if down else place.above:
                if self.layout.places[other].node >= 0:
                    found.append(self.layout.places[other].node)
                else:
                    waiting.append(other)
        return found


def picture_of(book: GraphBook, look: Look, width: int, height: int, *, ascii_only: bool = False) -> Picture:
    """Lay the window around a node out for a pane of ``width`` x ``height`` cells."""
    graph, ties = book.sheets[look.sheet].graph, book.ties(look.sheet)
    longest = min(max(width // 4, 10), LONGEST)
    # A row of labels takes some lines of wires with it, and a label a quarter of the width.
    budget = max(height // 3, 3) * max(width // (longest + 4), 2)
    chosen = window(ties, look.centre, budget, MOST_NEIGHBOURS)
    most = max(look.heat.values(), default=0)
    texts = {id_: _text(graph.nodes[id_], look, most, longest, ascii_only=ascii_only) for id_ in chosen}
    widths = {id_: cell_width(span.text) + 2 for id_, span in texts.items()}
    layout = lay_out(ties, chosen, widths, max(width, longest + 4))
    shown = {place.node for place in layout.places}
    texts = {id_: span for id_, span in texts.items() if id_ in shown}
    return Picture(look, layout, texts, len(graph.nodes) - len(texts))


def _text(node: SnapshotNode, look: Look, most: int, longest: int, *, ascii_only: bool) -> Span:
    name = squeezed(printable(node.name, 400), longest)
    if look.kind == "none":
        return Span(name, "text")
    value = look.heat.get(node.name, 0)
    bar, role = heat_bar(value, most, ascii_only=ascii_only)
    return Span(f"{bar} {name} {heat_text(look.kind, value)}" if value else name, role)
