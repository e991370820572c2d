"""Compare: two runs side by side, of one log or of two, aligned by operator and occurrence."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from getrace.store.store import Store
from views.model.compare import Comparison, Party, Side, compare, party_of, sides_of, usual_pair
from views.model.compare_lists import NOTHING, kernel_list, operator_changes, operator_list, summary_lines
from views.model.places import NOWHERE
from views.model.spans import Line
from views.tui.keymap import bindings
from views.tui.messages import Moved, Tell
from views.tui.screens.deck import Deck
from views.tui.settings import Settings
from views.tui.widgets.list_pane import ListPane
from views.tui.widgets.text_pane import TextPane


class ComparePage(Deck):
    """``_sides`` are the two runs in sight; the user turns each to any other run."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("compare")]
    reads = True
    above = "glance"

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__(store, settings)
        self._parties: tuple[Party, ...] = ()
        self._sides: tuple[Side, Side] | None = None
        self._chosen_by_user = False
        self._found: Comparison | None = None
        self._shown: Sequence[int] = ()
        self._all = False

    def read(self, store: Store) -> tuple[Party, ...]:
        """Read both logs, or the one."""
        other, title = self.settings.other, self.settings.title
        mine = party_of(store, title)
        return (mine,) if other is None else (mine, party_of(other, self.settings.other_title))

    def compose(self) -> ComposeResult:
        """Place the panes."""
        plain = self.settings.ascii_only
        yield TextPane("Runs", pane_id="glance", ascii_only=plain)
        yield ListPane("Kernels", pane_id="kernels", leads=False, ascii_only=plain)
        yield ListPane("Operators", pane_id="operators", leads=False, ascii_only=plain)

    def main_pane(self) -> ListPane:
        """Give the list of kernels: the glance has nothing to choose."""
        return self.query_one("#kernels", ListPane)

    def open(self) -> None:
        """Go to the chosen kernel, where it stands in the log in sight; again goes to its other run."""
        focused, found = self.screen.focused, self._found
        if not isinstance(focused, ListPane) or found is None or not focused.listing.count:
            return
        if focused.id == "operators":
            change = operator_changes(found)[focused.chosen]
            ends = (change.row, change.right_row)
        else:
            pair = found.pairs[self._shown[focused.chosen]]
            ends = (pair.left.row if pair.left else NOWHERE, pair.right.row if pair.right else NOWHERE)
        # A row of the other log is none of this one.
        rows = [
            row for side, row in zip((found.left, found.right), ends, strict=True) if side.party == 0 and row != NOWHERE
        ]
        if not rows:
            self.post_message(Tell("this is in the other log only"))
            return
        self.post_message(Moved(rows[(rows.index(self.cursor) + 1) % len(rows)] if self.cursor in rows else rows[0]))

    def action_turn_run(self, which: int, step: int) -> None:
        """Show the next (1) or previous (-1) run at the left (0) or at the right (1)."""
        every = sides_of(self._parties)
        if self._sides is not None:
            sides = list(self._sides)
            sides[which] = every[(every.index(sides[which]) + step) % len(every)]
            self._sides, self._chosen_by_user = (sides[0], sides[1]), True
            self._compare()

    def action_differences(self) -> None:
        """List the kernels that differ, or all."""
        self._all = not self._all
        if self._found is not None:
            self._show_kernels(self._found)

    def watch_reading(self, parties: tuple[Party, ...] | None) -> None:
        """Compare what was read; a choice of the user stays."""
        if parties is None:
            return
        self._parties = parties
        if self._sides is None or not self._chosen_by_user:
            self._sides = usual_pair(parties)
        self._compare()

    def _compare(self) -> None:
        self._found = None if self._sides is None else compare(self._parties, *self._sides)
        self._show()

    def _show(self) -> None:
        found = self._found
        self.query_one("#glance", TextPane).show(self._lines)
        if found is None:
            for pane in self.query(ListPane):
                pane.show(NOTHING)
            return
        self._show_kernels(found)
        changes = operator_list(found)
        operators = self.query_one("#operators", ListPane)
        operators.entitle(f"Operators that differ: {changes.count:,}")
        operators.show(changes)

    def _show_kernels(self, found: Comparison) -> None:
        listing, self._shown = kernel_list(self._parties, found, all_kernels=self._all)
        kernels = self.query_one("#kernels", ListPane)
        kernels.entitle(f"Kernels: {'all' if self._all else 'what differs'}, {listing.count:,}  d changes")
        kernels.show(listing)

    def _lines(self, width: int, height: int) -> list[Line]:
        del height
        return summary_lines(self._parties, self._found, width)
