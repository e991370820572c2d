"""The screen as plain text: for copying, for printing, and for the tests that compare pictures."""

import io
import sys
from typing import Any

from rich.console import Console
from textual.app import App, SuspendNotSupported


def screen_text(app: App[Any]) -> str:
    """Give what the screen shows now, one line a row, without colours and without blanks at the ends."""
    width, height = app.size
    console = Console(width=width, height=height, file=io.StringIO(), force_terminal=True, record=True)
    # textual draws its own screenshots this way and gives no public access to the same picture as text.
    screens = app._background_screens  # noqa: SLF001
    console.print(app.screen._compositor.render_update(full=True, screen_stack=screens))  # noqa: SLF001
    lines = console.export_text(styles=False).split("\n")
    return "\n".join(line.rstrip() for line in lines[:height]) + "\n"


def print_screen(app: App[Any]) -> bool:
    """Leave the full screen, print it as plain text, wait for Enter; False when the terminal cannot do that."""
    text = screen_text(app)
    try:
        with app.suspend():
            sys.stdout.write(text + "Enter goes back to getrace ")
            sys.stdout.flush()
            sys.stdin.readline()
    except SuspendNotSupported:
        return False
    return True
