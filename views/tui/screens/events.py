"""Events: every record, those that pass the filters, and the chosen one in full or in its log."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.worker import get_current_worker

from getrace.errors import UsageError
from getrace.store.store import Store
from views.model.deltas import Since, before_of_operator
from views.model.filter_line import filter_line
from views.model.filters import Filter, parse_filter, passing
from views.model.listing import Listing, Rows, listing_of
from views.model.lookup import place_of
from views.model.rows import COLUMNS, LAYOUTS
from views.model.spans import Line, Span
from views.tui.keymap import bindings
from views.tui.messages import Listed, Stopped, Tell
from views.tui.screens.page import Page
from views.tui.settings import Settings
from views.tui.widgets.detail import Detail
from views.tui.widgets.event_table import EventTable
from views.tui.widgets.prompt import Prompt
from views.tui.widgets.raw_log import RawLog
from views.tui.widgets.span_line import SpanLine

CONTEXTS = (0, 1, 3, 10)
"""Rows shown around each hit, as a key steps through them."""
_LAYOUTS = tuple(LAYOUTS)
_FRESH = {"filters": [], "context": 0, "fold": False, "keys": list(LAYOUTS["usual"]), "since": Since.LINE.value}


class EventsPage(Page):
    """The table of records above the chosen one. ``filters`` are those kept; ``typed`` the one being typed."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("events")]

    listing: reactive[Listing | None] = reactive(None, init=False, always_update=True)
    keys: reactive[tuple[str, ...]] = reactive(LAYOUTS["usual"], init=False)
    since: reactive[Since] = reactive(Since.LINE, init=False)

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__(store, settings)
        self.filters: tuple[Filter, ...] = ()
        self.typed: Filter | None = None
        self.context = 0
        self.fold = False
        self._hits: tuple[tuple[Filter, ...], int, Rows] = ((), 0, np.zeros(0, np.uint32))
        self._made: Listing | None = None
        self._trouble = ""
        self._stops_from = -1

    def compose(self) -> ComposeResult:
        """Place the panes."""
        here, ascii_only = EventsPage, self.settings.ascii_only
        yield SpanLine(self._filter_line, line_id="filters")
        yield EventTable(self.store, ascii_only=ascii_only).data_bind(
            here.cursor, here.total, here.overview, here.places, here.listing, here.keys, here.since
        )
        yield Detail(self.store, ascii_only=ascii_only).data_bind(here.cursor, here.total)
        yield RawLog(self.store, ascii_only=ascii_only).data_bind(here.cursor, here.total)
        with Horizontal(id="filter-line"):
            yield SpanLine(lambda _: [Span(" f", "heading")], line_id="filter-sign")
            yield Prompt("level>=warning  op~add  size>1M  -RUNTIME  any expression   Enter keeps", prompt_id="filter")

    def kept(self) -> dict[str, Any]:
        """Keep filters, context, folding, columns, and what differences are told to."""
        told = {
            "filters": [[one.shown, one.on] for one in self.filters],
            "context": self.context,
            "fold": self.fold,
            "keys": list(self.keys),
            "since": self.since.value,
        }
        return {} if told == _FRESH else told

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Take them back; what this release does not know is left out."""
        found = [(_read(str(text))[0], bool(on)) for text, on in kept.get("filters", ())]
        self.filters = tuple(one._replace(on=on) for one, on in found if one is not None)
        self.context = kept.get("context", 0) if kept.get("context", 0) in CONTEXTS else 0
        self.fold = bool(kept.get("fold", False))
        known = {column.key for column in COLUMNS}
        keys = tuple(key for key in kept.get("keys", ()) if key in known)
        since = kept.get("since", Since.LINE)
        self.set_reactive(EventsPage.keys, keys or LAYOUTS["usual"])
        self.set_reactive(EventsPage.since, Since(since) if since in set(Since) else Since.LINE)

    def on_mount(self) -> None:
        """List what passes the filters of another day."""
        if self.filters or self.fold:
            self.list_again()
        if self.since is Since.OPERATOR:
            self._look_back()

    @property
    def active(self) -> tuple[Filter, ...]:
        """The filters that a row must pass now."""
        typed = () if self.typed is None else (self.typed,)
        return tuple(one for one in (*self.filters, *typed) if one.on)

    def action_filter(self) -> None:
        """Ask for a filter."""
        self.add_class("-filtering")
        self.query_one("#filter", Prompt).show()

    def action_filter_drop(self) -> None:
        """Take the last filter away."""
        if not self.filters:
            self.post_message(Tell("there is no filter: f makes one"))
        self._filter(self.filters[:-1])

    def action_filter_switch(self, number: int = 0) -> None:
        """Switch a filter by its number, or all (0): off when one is on, else on."""
        if not self.filters:
            self.post_message(Tell("there is no filter: f makes one"))
        on = not any(one.on for one in self.filters)
        self._filter(
            tuple(
                one._replace(on=on if not number else one.on ^ (number == place))
                for place, one in enumerate(self.filters, 1)
            )
        )

    def action_context(self) -> None:
        """Show more rows around each hit, or none again."""
        self.context = CONTEXTS[(CONTEXTS.index(self.context) + 1) % len(CONTEXTS)]
        self.post_message(Tell(f"{self.context or 'no'} rows of context around each hit"))
        self.list_again()

    def action_fold(self) -> None:
        """Fold repeats into one line, or show each."""
        self.fold = not self.fold
        self.list_again()

    def action_stop(self) -> None:
        """Stop a live run's screen, or playing, at the next record that passes the filters; again: do not."""
        if not self.active:
            self.post_message(Tell("there is no filter to stop at: f makes one"))
            return
        self._stops_from = self.total if self._stops_from < 0 else -1
        self.post_message(Tell("stops at the next record that passes" if self._stops_from >= 0 else "does not stop"))

    def watch_cursor(self, before: int, now: int) -> None:
        """Stop playing at a record that passes, if that was asked for."""
        hits = None if self._made is None else self._made.passed
        if self._stops_from >= 0 and hits is not None and now > before:
            place = place_of(hits, before, "right")
            if place < len(hits) and int(hits[place]) <= now:
                self._stop(int(hits[place]))

    def _stop(self, row: int) -> None:
        self._stops_from = -1
        self.post_message(Stopped(row))

    def commands(self) -> list[tuple[str, str]]:
        """Switch a filter by its number; show or hide a column."""
        filters = [
            (f"switch filter {number} {'off' if one.on else 'on'}: {one.shown}", f"filter_switch({number})")
            for number, one in enumerate(self.filters, 1)
        ]
        shown = [
            (f"{'hide' if c.key in self.keys else 'show'} column {c.title} ({c.key})", f"column({c.key!r})")
            for c in COLUMNS
        ]
        return filters + shown

    def action_columns(self) -> None:
        """Show other columns."""
        here = next((place for place, name in enumerate(_LAYOUTS) if LAYOUTS[name] == self.keys), -1)
        name = _LAYOUTS[(here + 1) % len(_LAYOUTS)]
        self.keys = LAYOUTS[name]
        self.post_message(Tell(f"columns: {name}"))

    def action_column(self, key: str) -> None:
        """Show or hide one column."""
        self.keys = tuple(k for k in self.keys if k != key) if key in self.keys else (key, *self.keys)

    def action_since(self) -> None:
        """Tell differences of time to something else."""
        self.since = self.since.following
        words = {Since.LINE: "line before", Since.OPERATOR: "last row of the operator", Since.MARKER: "marker A"}
        self.post_message(Tell(f"differences of time to the {words[self.since]}"))
        if self.since is Since.OPERATOR:
            self._look_back()

    def action_raw(self) -> None:
        """Show the log beside the table, or the record in full."""
        self.toggle_class("-raw")

    @on(Prompt.Typed)
    def _typing(self, message: Prompt.Typed) -> None:
        message.stop()
        self.typed, self._trouble = _read(message.text)
        self.list_again()

    @on(Prompt.Kept)
    def _kept(self, message: Prompt.Kept) -> None:
        kept, trouble = _read(message.text)
        self._end_of_typing()
        if trouble:
            self.post_message(Tell(trouble))
        self._filter(self.filters if kept is None else (*self.filters, kept))

    @on(Prompt.GivenUp)
    def _given_up(self) -> None:
        self._end_of_typing()
        self.list_again()

    def _end_of_typing(self) -> None:
        self.typed, self._trouble = None, ""
        self.remove_class("-filtering")
        self.query_one(EventTable).focus()

    def _filter(self, filters: Sequence[Filter]) -> None:
        self.filters = tuple(filters)
        self.list_again()

    def watch_total(self) -> None:
        """List what has come; the frame counts before the page has its panes, which ``on_mount`` fills then."""
        if self.is_mounted and (self.active or self.fold):
            self.list_again()

    def list_again(self) -> None:
        """Find the rows to show, in a thread; a later question ends an earlier one."""
        self.set_class(bool(self.filters or self.fold or self.typed or self._trouble), "-filtered")
        if self.active or self.fold:
            self._list(self.active, self.context, self.fold)
        else:
            self.workers.cancel_group(self, "listing")
            self.listing = None
        self.query_one("#filters").refresh()

    @work(thread=True, exclusive=True, group="listing")
    def _list(self, active: tuple[Filter, ...], context: int, fold: bool) -> None:
        worker, total = get_current_worker(), self.store.rows
        hits = None
        if active:
            known, seen, found = self._hits
            parts, seen = ([found], seen) if known == active else ([], 0)
            for part in passing(self.store, active, seen, total):
                if worker.is_cancelled:
                    return
                parts.append(part)
            hits = np.concatenate(parts) if parts else np.zeros(0, np.uint32)
            self._hits = (active, total, hits)
        made = listing_of(self.store, total, hits, context, fold=fold, stop=lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self._made = made
            self.post_message(Listed(made.lines))

    @on(Listed)
    def _listed(self, message: Listed) -> None:
        message.stop()
        if self.active or self.fold:
            self.listing = self._made
            hits = None if self._made is None else self._made.passed
            if self._stops_from >= 0 and hits is not None and len(hits) and int(hits[-1]) >= self._stops_from:
                self._stop(int(hits[place_of(hits, self._stops_from)]))
            self.query_one("#filters").refresh()

    @work(thread=True, exclusive=True, group="earlier")
    def _look_back(self) -> None:
        self.query_one(EventTable).earlier = before_of_operator(self.store, self.store.rows)
        self.app.call_from_thread(self.query_one(EventTable).refresh)

    def _filter_line(self, width: int) -> Line:
        if self._trouble:
            return [Span(f" {self._trouble}", "bad")]
        typed = () if self.typed is None else (self.typed,)
        listing = self.listing if self.active or self.fold else Listing(self.total)
        shown = (*self.filters, *typed)
        return filter_line(shown, listing, self.total, self.context, fold=self.fold, width=width, cursor=self.cursor)


def _read(text: str) -> tuple[Filter | None, str]:
    if not text.strip(" -!"):
        return None, ""
    try:
        return parse_filter(text), ""
    except UsageError as error:
        return None, error.message
