"""The memory curve, drawn by hand."""

from textual.reactive import reactive

from views.model.draw_curve import Picture, curve_lines, draw_curve, step_in_time
from views.model.overview import Overview, nothing
from views.model.spans import Line
from views.model.steps import Step
from views.tui.messages import Moved
from views.tui.widgets.line_pane import LinePane


class MemoryCurve(LinePane):
    """Live bytes over time, with the row ``cursor`` as a vertical line."""

    marked = False
    cursor: reactive[int] = reactive(0)
    overview: reactive[Overview] = reactive(nothing, always_update=True)

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__("4 Memory", pane_id="memory", ascii_only=ascii_only)
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
        rows = self.overview.curve.rows
        if not len(rows):
            return
        targets = {
            Step.FIRST: int(rows[0]),
            Step.LAST: int(rows[-1]),
            Step.PAGE_UP: int(rows[self.overview.curve.peak]),
            Step.PAGE_DOWN: int(rows[self.overview.curve.peak]),
        }
        direction = 1 if step is Step.DOWN else -1
        target = targets[step] if step in targets else step_in_time(self.overview.curve, self.cursor, direction)
        self.post_message(Moved(target))

    def watch_cursor(self) -> None:
        """Move the vertical line."""
        self._show()

    def watch_overview(self) -> None:
        """Draw what is new."""
        self._draw()

    def on_resize(self) -> None:
        """Draw for the new size."""
        self._draw()

    def _draw(self) -> None:
        size = self.scrollable_content_region
        self._picture = draw_curve(self.overview.curve, size.width, size.height, ascii_only=self.ascii_only)
        self._show()

    def _show(self) -> None:
        width = self.scrollable_content_region.width
        curve = self.overview.curve
        self._lines = curve_lines(curve, self._picture, width, self.cursor, ascii_only=self.ascii_only)
        self.relay()
