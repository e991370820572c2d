"""The eight screens: number, name, and the class that makes one.

A screen is added by a row here, its keys by rows in ``views.tui.keymap`` and its arrangement in ``app.tcss``. A
number without a row is a screen that this release does not have; its key says so.
"""

from typing import NamedTuple

from views.tui.screens.compare import ComparePage
from views.tui.screens.events import EventsPage
from views.tui.screens.graphs import GraphsPage
from views.tui.screens.memory import MemoryPage
from views.tui.screens.overview import OverviewPage
from views.tui.screens.page import Page
from views.tui.screens.sources import SourcesPage
from views.tui.screens.streams import StreamsPage
from views.tui.screens.timeline import TimelinePage


class Tab(NamedTuple):
    """A screen: ``number`` is its key, ``name`` the ``where`` of its own keys, ``title`` what the tab says."""

    number: int
    name: str
    title: str
    page: type[Page]


TABS: tuple[Tab, ...] = (
    Tab(1, "overview", "Overview", OverviewPage),
    Tab(2, "events", "Events", EventsPage),
    Tab(3, "timeline", "Timeline", TimelinePage),
    Tab(4, "memory", "Memory", MemoryPage),
    Tab(5, "streams", "Streams", StreamsPage),
    Tab(6, "graphs", "Graphs", GraphsPage),
    Tab(7, "sources", "Sources", SourcesPage),
    Tab(8, "compare", "Compare", ComparePage),
)


def tab_of(number: int) -> Tab | None:
    """Give the screen of a number, or None."""
    return next((tab for tab in TABS if tab.number == number), None)
