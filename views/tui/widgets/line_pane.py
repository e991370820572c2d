"""The base of all panes: a scroll view that asks for the lines in sight, and for no other.

A pane says how many lines it has and gives one by its number. textual's own tables hold every row: over a million
rows they need minutes to appear, this needs none (reference measurement: 0.07 s).
"""

from abc import abstractmethod
from typing import ClassVar, NamedTuple

from rich.style import Style
from textual.content import Content
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from getrace.printable import cell_width, fit, printable
from views.model.spans import Line, Span
from views.model.steps import Step, scrolled
from views.tui.paint import strip_of

_TITLE_MARGIN = 6


class _Frame(NamedTuple):
    width: int
    style: Style
    head: Style
    chosen: Style
    dark: bool


class LinePane(ScrollView, can_focus=True, inherit_bindings=False):
    """A pane of lines. ``chosen`` is the line that is marked, or -1; ``head`` lines on top do not scroll."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line-pane--chosen", "line-pane--head"}
    head = 0
    marked = True

    def __init__(self, title: str, *, pane_id: str, ascii_only: bool = False) -> None:
        super().__init__(id=pane_id, classes="pane")
        self.ascii_only = ascii_only
        self._title = title
        self._unseen = -1
        self.entitle(title)
        self._frame = _Frame(0, Style(), Style(), Style(), dark=True)

    @abstractmethod
    def count(self) -> int:
        """Give the number of lines below the head."""

    @abstractmethod
    def line(self, index: int, width: int) -> Line:
        """Give a line; heads have the numbers -1, -2 ... from the bottom of the head up."""

    @property
    def chosen(self) -> int:
        """The marked line, or -1."""
        return -1

    def sign(self, index: int) -> str:
        """Give one character to stand before a line, or nothing; the bar of the chosen line hides it."""
        del index
        return ""

    @abstractmethod
    def move(self, step: Step) -> None:
        """Move in the way of this pane."""

    @property
    def width(self) -> int:
        """Cells of a line's text: without the mark in front of it."""
        return max(self.scrollable_content_region.width - (1 if self.marked else 0), 0)

    @property
    def page(self) -> int:
        """Lines in sight below the head."""
        return max(self.scrollable_content_region.height - self.head, 1)

    def entitle(self, title: str) -> None:
        """Set the title as it stands: it may hold names of a log, which textual would read as markup."""
        self._title = title
        room = self.size.width - _TITLE_MARGIN
        text = printable(title, 400)
        text = fit(text, room).rstrip() if 0 < room < cell_width(text) else text
        self.border_title = Content(text.replace("…", "~") if self.ascii_only else text)

    def on_resize(self) -> None:
        """Fit the title into the new width, and show what there was no room for."""
        self.entitle(self._title)
        if self._unseen >= 0:
            index, self._unseen = self._unseen, -1
            self.call_after_refresh(self.bring_in_sight, index)

    def on_mount(self) -> None:
        """Take the size of the first content."""
        self.relay()

    def relay(self) -> None:
        """Take note that the number of lines, or the lines, have changed."""
        self.virtual_size = Size(1, self.count() + self.head)
        self.refresh()

    def bring_in_sight(self, index: int) -> None:
        """Scroll as little as needed to show a line; a pane that has no height yet does so when it has one."""
        if not self.scrollable_content_region.height:
            self._unseen = index
            return
        top = scrolled(self.scroll_offset.y, index, self.page)
        if top != self.scroll_offset.y:
            self.scroll_to(y=top, animate=False, immediate=True, force=True)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Look up size and styles once a frame: textual works them out anew at every question."""
        self._frame = _Frame(
            width=self.scrollable_content_region.width,
            style=self.rich_style,
            head=self.get_component_rich_style("line-pane--head"),
            chosen=self.get_component_rich_style("line-pane--chosen"),
            dark=self.app.current_theme.dark,
        )
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Paint one line of the screen."""
        frame = self._frame
        index = y - self.head + (self.scroll_offset.y if y >= self.head else 0)
        if index >= self.count():
            return Strip.blank(frame.width, frame.style)
        style = frame.head if index < 0 else (frame.chosen if index == self.chosen else frame.style)
        line = self.line(index, frame.width - (1 if self.marked else 0))
        if self.marked:
            line = [self._mark(index), *line]
        return strip_of(line, frame.width, style, dark=frame.dark, ascii_only=self.ascii_only)

    def _mark(self, index: int) -> Span:
        if index >= 0 and index == self.chosen:
            return Span(">" if self.ascii_only else "▌", "cursor")
        return Span((self.sign(index) if index >= 0 else "") or " ", "note")
