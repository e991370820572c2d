"""A page of a picture above and several panes below: all of them on a wide screen, one at a time on a small one.

Tab goes through all panes either way; on a small screen it brings up the one it comes to. Were hidden panes left out,
a small screen would have less to say than a wide one.
"""

from typing import ClassVar

from textual.reactive import reactive

from views.tui.screens.page import Page
from views.tui.widgets.line_pane import LinePane


class Deck(Page):
    """``above`` is the id of the pane that is always in sight, "" for none; ``raised`` that of the lower one."""

    above: ClassVar[str] = ""
    raised: reactive[str] = reactive("", init=False)

    @property
    def panes(self) -> list[LinePane]:
        """All panes, in sight or not, in the order of Tab."""
        return [pane for pane in self.query(".pane").results() if isinstance(pane, LinePane)]

    @property
    def lower(self) -> list[LinePane]:
        """The panes of which a small screen shows one."""
        return [pane for pane in self.panes if pane.id != self.above]

    def on_mount(self) -> None:
        """Bring the pane up that takes the keys first, else the first lower one."""
        first = self.main_pane()
        self.raise_pane(first.id or "" if first is not None and first.id != self.above else self.lower[0].id or "")

    def raise_pane(self, pane_id: str) -> None:
        """Bring a lower pane up; the picture above stays."""
        if pane_id != self.above:
            self.raised = pane_id
        for pane in self.lower:
            pane.set_class(pane.id == self.raised, "-raised")

    def next_pane(self, step: int) -> None:
        """Bring the next (1) or previous (-1) pane up and give it the focus."""
        panes = self.panes
        here = next((place for place, pane in enumerate(panes) if pane is self.screen.focused), 0)
        chosen = panes[(here + step) % len(panes)]
        self.raise_pane(chosen.id or "")
        chosen.focus()

    def on_descendant_focus(self) -> None:
        """A click brings a pane up as well."""
        focused = self.screen.focused
        if isinstance(focused, LinePane) and focused in self.panes:
            self.raise_pane(focused.id or "")
