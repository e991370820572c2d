"""Memory: the curve, who is alive at the cursor, all blocks with both ends, the map, the story of an address."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from getrace.store.store import Store
from views.model.draw_map import map_lines
from views.model.memory_lists import address_at, alive_list, block_at, block_list, story_list, story_title
from views.model.memory_story import MemoryStory, memory_stories
from views.model.spans import Line
from views.model.words import byte_text
from views.tui.keymap import bindings
from views.tui.messages import Chosen
from views.tui.screens.deck import Deck
from views.tui.settings import Settings
from views.tui.widgets.list_pane import ListPane
from views.tui.widgets.memory_curve import MemoryCurve
from views.tui.widgets.text_pane import TextPane


class MemoryPage(Deck):
    """``addr`` is the address that is told of: that of the cursor's row, or of the block chosen among the living."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("memory")]
    reads = True
    above = "curve"

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__(store, settings)
        self._story: MemoryStory | None = None
        self._curve = 0
        self._leaks = False
        self._addr = 0

    def readings(self, store: Store) -> Iterator[MemoryStory]:
        """Read the story of the memory."""
        return memory_stories(store)

    def compose(self) -> ComposeResult:
        """Place the panes."""
        plain = self.settings.ascii_only
        yield MemoryCurve(ascii_only=plain).data_bind(MemoryPage.cursor)
        yield ListPane("Alive here", pane_id="alive", leads=False, ascii_only=plain)
        yield TextPane("Addresses", pane_id="map", ascii_only=plain)
        yield ListPane("Blocks", pane_id="blocks", ascii_only=plain)
        yield ListPane("Address", pane_id="story", ascii_only=plain)

    def open(self) -> None:
        """Go to where the chosen block was given, or to the chosen record."""
        focused = self.screen.focused
        if isinstance(focused, ListPane):
            focused.go()

    def action_curve(self, step: int) -> None:
        """Show the next (1) or previous (-1) curve."""
        if self._story is not None:
            self._curve = (self._curve + step) % len(self._story.curves)
            self._show_curve()

    def action_leaks(self) -> None:
        """List the lost blocks only, or all."""
        self._leaks = not self._leaks
        self._show_blocks()
        self.raise_pane("blocks")
        self._list("blocks").focus()

    def watch_reading(self, story: MemoryStory | None) -> None:
        """Show what was read."""
        self._story = story
        if story is not None:
            self._curve = min(self._curve, len(story.curves) - 1)
            self._show_curve()
            self._show_blocks()
            self.watch_cursor()

    def watch_cursor(self) -> None:
        """Show the moment of the cursor."""
        story = self._story
        if story is None:
            return
        self._addr = address_at(self.store, self.cursor) or self._addr
        self._show_alive(story)
        blocks = self._list("blocks")
        if self.screen.focused is not blocks:
            here = block_at(story.lives, self._addr, self.cursor) if self._addr and not self._leaks else -1
            blocks.choose(here if here >= 0 else blocks.listing.at_row(self.cursor))
        self._show_address(story)

    @on(Chosen)
    def _block_chosen(self, message: Chosen) -> None:
        message.stop()
        if self._story is not None and message.pane == "alive":
            place = int(self._story.lives.alive(self.cursor)[message.number])
            self._addr = int(self._story.lives.addrs[place])
            self._show_address(self._story)

    def _show_curve(self) -> None:
        if self._story is not None:
            named = self._story.curves[self._curve]
            pane = self.query_one(MemoryCurve)
            more = f"  {self._curve + 1}/{len(self._story.curves)}, c next" if len(self._story.curves) > 1 else ""
            pane.entitle(f"Memory: {named.name}{more}")
            pane.curve = named.curve

    def _show_blocks(self) -> None:
        if self._story is not None:
            pane = self._list("blocks")
            count = len(self._story.leaked)
            pane.entitle("Lost blocks  l all" if self._leaks else f"Blocks  l lost ones: {count}")
            pane.show(block_list(self.store, self._story, leaks=self._leaks))

    def _show_alive(self, story: MemoryStory) -> None:
        listing = alive_list(self.store, story.lives, self.cursor)
        alive = story.lives.alive(self.cursor)
        total = byte_text(int(story.lives.sizes[alive].sum()))
        pane = self._list("alive")
        pane.entitle(f"Alive here: {listing.count} blocks, {total}")
        found = np.flatnonzero(story.lives.addrs[alive] == self._addr)
        pane.show(listing, place=int(found[0]) if len(found) else None)

    def _show_address(self, story: MemoryStory) -> None:
        listing = story_list(self.store, story, self._addr)
        pane = self._list("story")
        pane.entitle(story_title(story, self._addr, self.cursor))
        pane.show(listing, place=max(listing.at_row(self.cursor), 0))
        self.query_one("#map", TextPane).show(self._map_lines)

    def _map_lines(self, width: int, height: int) -> list[Line]:
        story = self._story
        if story is None or not len(story.lives.pids):
            return []
        place = block_at(story.lives, self._addr, self.cursor) if self._addr else -1
        block = story.lives.blocks[max(place, 0)]
        here = (block.addr, block.addr + max(block.bytes, 1)) if place >= 0 else (self._addr, self._addr + 1)
        found = story.space.at(self.cursor, block.pid)
        return map_lines(found, width, height, here, ascii_only=self.settings.ascii_only)

    def _list(self, pane_id: str) -> ListPane:
        return self.query_one(f"#{pane_id}", ListPane)
