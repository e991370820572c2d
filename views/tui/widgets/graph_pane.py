"""A graph drawn in characters around one of its nodes."""

from collections.abc import Sequence

from textual.reactive import reactive

from views.model.graph_book import GraphBook
from views.model.graph_picture import Look, Picture, picture_of
from views.model.lacks import NO_GRAPHS, NO_NODES, why
from views.model.spans import Line
from views.model.steps import Step
from views.tui.messages import Chosen
from views.tui.widgets.line_pane import LinePane


class GraphPane(LinePane):
    """Draws ``look`` of a book with the node ``node`` marked; a step says ``Chosen`` with the node it leads to."""

    marked = False
    node: reactive[int] = reactive(-1, init=False)

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__("Graph", pane_id="drawing", ascii_only=ascii_only)
        self._book = GraphBook()
        self._look = Look(-1, -1)
        self._picture: Picture | None = None
        self._lines: Sequence[Line] = ()

    def count(self) -> int:
        """Give the number of lines."""
        return len(self._lines)

    def line(self, index: int, width: int) -> Line:
        """Give a line."""
        del width
        return self._lines[index]

    def show(self, book: GraphBook, look: Look) -> None:
        """Draw a look; where its node stands in the picture of before, only the mark moves."""
        kept = self._picture
        same = kept is not None and kept.look._replace(centre=look.centre) == look and book is self._book
        self._book, self._look = book, look
        if not (same and kept is not None and kept.holds(look.centre)):
            self._picture = None
        self.node = look.centre
        self._draw()

    def move(self, step: Step) -> None:
        """Go along an edge, or to the first or last node."""
        if self._picture is None:
            return
        nodes = self._book.sheets[self._look.sheet].graph.nodes
        ends = {Step.FIRST: 0, Step.LAST: len(nodes) - 1}
        self._told(ends[step] if step in ends else self._picture.step(self.node, step))

    def aside(self, direction: int) -> None:
        """Go to the next node to the right (1) or left (-1)."""
        if self._picture is not None:
            self._told(self._picture.aside(self.node, direction))

    def on_resize(self) -> None:
        """Draw for the new size."""
        self._picture = None
        self._draw()

    def _told(self, node: int) -> None:
        if node != self.node:
            self.post_message(Chosen(node, "drawing"))

    def _draw(self) -> None:
        size = self.scrollable_content_region
        if not size.width or not size.height:
            return
        if self._look.centre < 0:
            self._picture = None
            self._lines = why(NO_GRAPHS if self._look.sheet < 0 else NO_NODES, size.width)
            self.relay()
            return
        if self._picture is None:
            self._picture = picture_of(self._book, self._look, size.width, size.height, ascii_only=self.ascii_only)
        self._lines, at = self._picture.lines(self.node, ascii_only=self.ascii_only)
        beyond = self._picture.beyond
        self.border_subtitle = f"{beyond:,} nodes further away" if beyond else ""
        self.relay()
        self.bring_in_sight(at)
