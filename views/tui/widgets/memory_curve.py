"""The memory curve, drawn by hand."""

from textual.reactive import reactive

from views.model.curves import Curve
from views.model.draw_curve import Picture, curve_lines, draw_curve, step_in_time
from views.model.spans import Line, Span
from views.model.steps import Step
from views.tui.messages import Moved
from views.tui.widgets.line_pane import LinePane


class MemoryCurve(LinePane):
    """Live bytes over time, with the row ``cursor`` as a vertical line."""

    marked = False
    cursor: reactive[int] = reactive(0)
    curve: reactive[Curve | None] = reactive(None, always_update=True)

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__("Memory", pane_id="curve", ascii_only=ascii_only)
        self._lines: list[Line] = []
        self._picture = Picture((), 0, 0, 0)

    def count(self) -> int:
        """Give the number of lines: as many as there is room for."""
        return len(self._lines)

    def line(self, index: int, width: int) -> Line:
        """Give a line."""
        del width
        return self._lines[index]

    def move(self, step: Step) -> None:
        """Go to the change of memory before or behind the cursor, or to the first, last or highest one."""
        curve = self.curve
        if curve is None or not len(curve.rows):
            return
        rows = curve.rows
        targets = {
            Step.FIRST: int(rows[0]),
            Step.LAST: int(rows[-1]),
            Step.PAGE_UP: int(rows[curve.peak]),
            Step.PAGE_DOWN: int(rows[curve.peak]),
        }
        direction = 1 if step is Step.DOWN else -1
        target = targets[step] if step in targets else step_in_time(curve, self.cursor, direction)
        self.post_message(Moved(target))

    def watch_cursor(self) -> None:
        """Move the vertical line."""
        self._show()

    def watch_curve(self) -> None:
        """Draw what is new."""
        self._draw()

    def on_resize(self) -> None:
        """Draw for the new size."""
        self._draw()

    def _draw(self) -> None:
        if self.curve is None:
            self._lines = [[Span("Reading the memory of the log ...", "dim")]]
            self.relay()
            return
        size = self.scrollable_content_region
        self._picture = draw_curve(self.curve, size.width, size.height, ascii_only=self.ascii_only)
        self._show()

    def _show(self) -> None:
        if self.curve is None:
            return
        width = self.scrollable_content_region.width
        self._lines = curve_lines(self.curve, self._picture, width, self.cursor, ascii_only=self.ascii_only)
        self.relay()
