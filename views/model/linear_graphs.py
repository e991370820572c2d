"""The graphs as plain lines: the runs with their kernels, then each dumped graph node by node."""

from collections.abc import Iterator

from getrace.printable import printable
from getrace.store.store import Store
from views.model.graph_book import GraphBook, graph_book
from views.model.graph_facts import sheet_list
from views.model.heat import Heats, heat_text, heats_of
from views.model.linear import WIDE, Wanted, listed
from views.model.outline import outline_of
from views.model.processes import process_text
from views.model.rows import number_of


def graphs(store: Store, wanted: Wanted) -> Iterator[str]:
    """Tell what ran, the list of dumps, and the nodes of each with what they need."""
    del wanted
    yield from _runs(store)
    book, heats = graph_book(store.graphs), heats_of(store)
    yield from listed("Dumped graphs", sheet_list(book), None)
    for number in range(len(book.sheets)):
        yield from _sheet(book, heats, number)


def _runs(store: Store) -> Iterator[str]:
    outline = outline_of(store)
    yield f"Runs: {len(outline.runs)}"
    for run in outline.runs:
        which = f" #{run.number}" if run.stage == "Main" else ""
        ended = "" if run.ended else ", no end"
        title = f"{process_text(run.pid, many=outline.many)}{run.stage}{which}"
        yield f"  {title}: {len(run.kernels)} kernels, thread {run.tid}, line {number_of(store, run.first)}{ended}"
        for row in run.kernels.tolist():
            yield f"    line {number_of(store, row)}: {printable(store.kernel(row) or '', WIDE)}"


def _sheet(book: GraphBook, heats: Heats, number: int) -> Iterator[str]:
    sheet, ties = book.sheets[number], book.ties(number)
    nodes = sheet.graph.nodes
    yield f"{printable(sheet.role, WIDE)} of {printable(sheet.stage, WIDE)}: {len(nodes):,} nodes"
    counts = heats.of("count", executes=sheet.executes)
    for node in nodes:
        needs = [nodes[arc.source].name + (" (control)" if arc.control else "") for arc in ties.into.get(node.id, ())]
        count = counts.get(node.name, 0)
        told = [f"needs {', '.join(dict.fromkeys(needs))}"] if needs else []
        told += [f"owns {', '.join(node.subgraphs)}"] if node.subgraphs else []
        told += [f"in the log {heat_text('count', count)}"] if count else []
        yield printable("  " + "; ".join([f"{node.name}, {node.type}", *told]), WIDE)
