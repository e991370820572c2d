"""Graphs: the graph around the node of the cursor, the outline of runs and graphs, the dumps pass by pass, one node."""

from typing import ClassVar, NamedTuple

import numpy as np
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from getrace.printable import printable
from getrace.store.store import Store
from views.model.graph_book import GraphBook, graph_book
from views.model.graph_facts import node_lines, sheet_list
from views.model.graph_picture import Look
from views.model.graph_window import around
from views.model.heat import KINDS, Heats, heats_of
from views.model.operators import kernels_of_operator, next_where
from views.model.spans import Line
from views.tui.keymap import bindings
from views.tui.messages import Chosen, Moved, Tell
from views.tui.screens.deck import Deck
from views.tui.screens.image import ImageScreen
from views.tui.settings import Settings
from views.tui.widgets.graph_pane import GraphPane
from views.tui.widgets.line_pane import LinePane
from views.tui.widgets.list_pane import ListPane
from views.tui.widgets.outline_tree import OutlineTree
from views.tui.widgets.text_pane import TextPane


class _Reading(NamedTuple):
    book: GraphBook
    heats: Heats


class GraphsPage(Deck):
    """The cursor lights its node, and a chosen node takes the cursor to its next record."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("graphs")]
    reads = True

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__(store, settings)
        self._found = _Reading(GraphBook(), Heats({}, {}))
        self._sheet, self._node, self._kind = -1, -1, 0

    def read(self, store: Store) -> _Reading:
        """Read the graphs and their heat."""
        return _Reading(graph_book(store.graphs), heats_of(store))

    def compose(self) -> ComposeResult:
        """Place the panes."""
        here, plain = GraphsPage, self.settings.ascii_only
        yield GraphPane(ascii_only=plain)
        yield OutlineTree(self.store, ascii_only=plain).data_bind(here.cursor, here.overview)
        yield ListPane("Dumps", pane_id="sheets", ascii_only=plain)
        yield TextPane("Node", pane_id="node", ascii_only=plain)

    @property
    def node_name(self) -> str:
        """The name of the node in sight, "" for none."""
        return self._found.book.sheets[self._sheet].graph.nodes[self._node].name if self._node >= 0 else ""

    def main_pane(self) -> LinePane:
        """Give the drawing; the outline where no graph was dumped."""
        return self.query_one(GraphPane) if self.store.graphs else self.query_one(OutlineTree)

    def open(self) -> None:
        """Open a line of the outline, or the graph that the chosen node owns."""
        focused, book = self.screen.focused, self._found.book
        if isinstance(focused, OutlineTree):
            focused.toggle()
        elif self._node >= 0:
            owned = book.owned(self._sheet, book.sheets[self._sheet].graph.nodes[self._node])
            if owned >= 0:
                self._look_at(owned, 0)
            else:
                self.post_message(Tell("this node owns no graph"))

    def action_aside(self, direction: int) -> None:
        """Go to the node beside."""
        self.query_one(GraphPane).aside(direction)

    def action_stage(self) -> None:
        """Show the next graph of the dump in sight."""
        sheets = self._found.book.sheets
        if sheets:
            turn = sheets[self._sheet].turn
            own = [number for number, sheet in enumerate(sheets) if sheet.turn == turn and sheet.graph.nodes]
            later = [number for number in own if number > self._sheet]
            self._look_at((later or own or [self._sheet])[0], 0)

    def action_turn(self, step: int) -> None:
        """Show the same graph after the next (1) or before the last (-1) pass."""
        turns = self._found.book.passes(self._sheet)
        place = turns.index(self._sheet) + step if turns else -1
        if not 0 <= place < len(turns):
            self.post_message(Tell("no later dump of this graph" if step > 0 else "no earlier dump of this graph"))
            return
        self._look_at(turns[place], max(self._found.book.node(turns[place], self.node_name), 0))

    def action_heat(self) -> None:
        """Show the next kind of heat."""
        self._kind = (self._kind + 1) % len(KINDS)
        self._show()

    def action_image(self) -> None:
        """Show the graph around the node as an image."""
        images = self.settings.images
        if images.shown is None or self._node < 0:
            self.post_message(Tell(images.why if images.shown is None else "there is no node to draw"))
            return
        snapshot = around(self._found.book, self._sheet, self._node)
        title = printable(f"{self.node_name} in {self._found.book.sheets[self._sheet].stage}")
        self.app.push_screen(ImageScreen(snapshot, title, images.shown), self._told)

    def _told(self, trouble: str | None) -> None:
        if trouble:
            self.post_message(Tell(trouble))

    def watch_reading(self, reading: _Reading | None) -> None:
        """Show what was read; what was in sight stays."""
        if reading is None:
            return
        self._found = reading
        self.query_one("#sheets", ListPane).show(sheet_list(reading.book))
        dumped = "" if reading.book.sheets else ": no graph was dumped, Tab says how to"
        self.query_one(OutlineTree).entitle(f"Outline{dumped}")
        if self._sheet < 0:
            self._sheet = reading.book.first()
            if self._sheet >= 0:
                self._look_at(self._sheet, 0)
            self.watch_cursor()
        self._show()

    def watch_cursor(self) -> None:
        """Light the node of the cursor's kernel."""
        kernel = self.store.kernel(self.cursor) if self.cursor < self.store.rows else None
        sheet, node = self._found.book.find(kernel or "", self._sheet)
        if sheet >= 0 and (sheet, node) != (self._sheet, self._node):
            self._look_at(sheet, node)

    @on(Chosen)
    def _chosen(self, message: Chosen) -> None:
        message.stop()
        if message.pane == "sheets" and self._found.book.sheets:
            self._look_at(message.number, 0)
        elif message.pane == "drawing":
            self._look_at(self._sheet, message.number)
            self._go_to_record()

    def _go_to_record(self) -> None:
        """Take the cursor to the next record of the chosen node, from the cursor on and around the end."""
        sheet = self._found.book.sheets[self._sheet]
        name = sheet.graph.nodes[self._node].name
        found = self.store.names.find(name)
        own = np.array([] if found is None else [found], np.int64)
        wanted = own if sheet.executes else kernels_of_operator(self.store, name)
        column = self.store.column("kernel")
        for start in (self.cursor - 1, -1):
            row = next_where(column, wanted, start, 1) if len(wanted) else -1
            if row >= 0:
                self.post_message(Moved(row))
                return
        self.post_message(Tell(f"no record names {name}"))

    def _look_at(self, sheet: int, node: int) -> None:
        # A graph may be empty: DeInit of a model that frees nothing.
        self._sheet, self._node = sheet, min(node, len(self._found.book.sheets[sheet].graph.nodes) - 1)
        self._show()

    def _show(self) -> None:
        book, heats = self._found
        pane = self.query_one(GraphPane)
        if self._sheet < 0:
            pane.show(book, Look(-1, -1))
            return
        sheet, kind = book.sheets[self._sheet], KINDS[self._kind]
        turns = book.passes(self._sheet)
        which = f" {turns.index(self._sheet) + 1}/{len(turns)}, p next" if len(turns) > 1 else ""
        heat = "" if kind == "none" else f", {kind}{' (inferred)' if kind == 'time' else ''}"
        pane.entitle(f"{sheet.role} of {sheet.stage}{which}{heat}")
        pane.show(book, Look(self._sheet, self._node, kind, heats.of(kind, executes=sheet.executes)))
        sheets = self.query_one("#sheets", ListPane)
        if self.screen.focused is not sheets:
            sheets.choose(self._sheet)
        self.query_one("#node", TextPane).show(self._node_lines)

    def _node_lines(self, width: int, height: int) -> list[Line]:
        del height
        return node_lines(self._found.book, self._sheet, self._node, self._found.heats, width)
