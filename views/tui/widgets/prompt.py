"""A line to type in, below a page: hidden until it is asked for.

The search, the filters and the palette type alike: Enter keeps, Esc gives up. Each says what it found while one types.
"""

from textual import on
from textual.message import Message
from textual.widgets import Input


class Prompt(Input):
    """One line of text. ``Typed`` at every change, ``Kept`` at Enter, ``GivenUp`` at Esc."""

    class Typed(Message):
        """The text has changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Kept(Message):
        """Enter was pressed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class GivenUp(Message):
        """Esc was pressed."""

    def __init__(self, placeholder: str, *, prompt_id: str) -> None:
        super().__init__(placeholder=placeholder, compact=True, id=prompt_id)
        self.cursor_blink = False
        self.can_focus = False

    @property
    def is_open(self) -> bool:
        """Whether the line is on the screen."""
        return self.can_focus

    def show(self) -> None:
        """Appear, empty, and take the keys."""
        self.can_focus = True
        with self.prevent(Input.Changed):
            self.value = ""
        self.focus()

    def hide(self) -> None:
        """Disappear."""
        self.can_focus = False

    def give_up(self) -> None:
        """Disappear, and say so."""
        self.hide()
        self.post_message(self.GivenUp())

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.is_open:
            self.post_message(self.Typed(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.hide()
        self.post_message(self.Kept(event.value))
