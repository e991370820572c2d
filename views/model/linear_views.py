"""THE table of views that can be told in plain lines; their names are those of the screens."""

from collections.abc import Iterator

from getrace.store.store import Store
from views.model.linear import View, Wanted, events
from views.model.linear_cards import compare_view, memory, overview, sources, streams
from views.model.linear_graphs import graphs
from views.model.linear_timeline import timeline

VIEWS: dict[str, View] = {
    "overview": overview,
    "events": events,
    "timeline": timeline,
    "memory": memory,
    "streams": streams,
    "graphs": graphs,
    "sources": sources,
    "compare": compare_view,
}


def linear_lines(store: Store, view: str, wanted: Wanted) -> Iterator[str]:
    """Give the lines of a view of ``VIEWS``."""
    return VIEWS[view](store, wanted)
