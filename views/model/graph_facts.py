"""What is written beside the drawn graph: the list of sheets, and all that is known of one node."""

from collections.abc import Iterator
from functools import cache

from getrace.dumps.snapshot import SnapshotNode
from getrace.printable import printable, wrap
from views.model.graph_book import GraphBook
from views.model.heat import KINDS, Heats, heat_text
from views.model.lacks import NO_GRAPHS, NO_NODES, why
from views.model.spans import Line, Span
from views.model.table import Cells, Head, Table
from views.model.words import value_text

SHEETS: tuple[Head, ...] = (
    Head("dump", name=True),
    Head("graph", 8, name=True),
    Head("nodes", 7, right=True),
    Head("data", 7, right=True, needs=64),
    Head("control", 7, right=True, needs=64),
    Head("+", 5, right=True),
    Head("-", 5, right=True),
)
_LABEL = 10
_SHOWN = 12
"""Names in one list: a constant may be read by thousands."""


def sheet_list(book: GraphBook) -> Table:
    """List the sheets in the order of GE's passes, with what each pass added and removed."""

    # A line looks at all nodes of two dumps: once is enough.
    @cache
    def cells(index: int) -> Cells:
        sheet = book.sheets[index]
        control = sum(edge.is_control for edge in sheet.graph.edges)
        change = book.change(index)
        added, removed = ("", "") if change is None else (f"{len(change.added):,}", f"{len(change.removed):,}")
        return (
            Span(sheet.stage),
            Span(sheet.role, "strong"),
            Span(f"{len(sheet.graph.nodes):,}"),
            Span(f"{len(sheet.graph.edges) - control:,}", "dim"),
            Span(f"{control:,}", "dim"),
            Span(added, "name"),
            Span(removed, "note"),
        )

    return Table(SHEETS, len(book.sheets), cells, empty=NO_GRAPHS)


def node_lines(book: GraphBook, sheet: int, node: int, heats: Heats, width: int) -> list[Line]:
    """Tell a node in full, in lines of at most ``width`` cells."""
    if not 0 <= sheet < len(book.sheets):
        return why(NO_GRAPHS, width)
    if node < 0:
        return why(NO_NODES, width)
    found = book.sheets[sheet].graph.nodes[node]
    lines: list[Line] = [[Span(printable(found.name, 400), "heading")]]
    for label, value in _facts(book, sheet, found, heats):
        first, *more = wrap(printable(value, 2000), max(width - _LABEL - 1, 8))
        lines.append([Span(label.ljust(_LABEL) + " ", "dim"), Span(first)])
        lines += [[Span(" " * (_LABEL + 1) + piece)] for piece in more]
    return lines


def _facts(book: GraphBook, sheet: int, node: SnapshotNode, heats: Heats) -> Iterator[tuple[str, str]]:
    yield "type", node.type
    executes = book.sheets[sheet].executes
    said = {kind: heats.of(kind, executes=executes).get(node.name, 0) for kind in KINDS[1:]}
    told = [heat_text(kind, value) + (" (inferred)" if kind == "time" else "") for kind, value in said.items() if value]
    yield "in the log", ", ".join(told) or "no record names it"
    ties, nodes = book.ties(sheet), book.sheets[sheet].graph.nodes
    for label, arcs, end in (("needs", ties.into.get(node.id, ()), 0), ("used by", ties.out.get(node.id, ()), 1)):
        names = [nodes[arc[end]].name + (" (control)" if arc.control else "") for arc in arcs]
        if names:
            yield label, _few(list(dict.fromkeys(names)))
    first, last = book.life(sheet, node.name)
    turns = [book.sheets[other].stage for other in book.passes(sheet)]
    if len(turns) > 1:
        yield "made", f"before {first}" if first == turns[0] else f"between {turns[turns.index(first) - 1]} and {first}"
        if last != turns[-1]:
            yield "removed", f"between {last} and {turns[turns.index(last) + 1]}"
    if node.subgraphs:
        yield "owns", _few(list(node.subgraphs))
    for name, value in sorted(node.attrs.items())[:40]:
        yield printable(name, 40), value_text(name, value)


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
