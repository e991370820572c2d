"""The application: composes screens and themes, and nothing else."""

import asyncio
import os
import shutil
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from rich.console import RenderableType
from textual.app import App
from textual.binding import Binding, BindingType
from textual.filter import LineFilter
from textual.screen import Screen
from textual.theme import Theme

from getrace.store.store import Store
from views.tui.colourless import Colourless
from views.tui.images import ask_terminal
from views.tui.keymap import remapped
from views.tui.screens.frame import Frame
from views.tui.settings import Settings
from views.tui.terminal import refuse_what_cannot_show, wants_no_colour

INTERRUPTED = 130
"""The code of a screen that was left with Ctrl-C, as a shell has it."""

DARK = Theme(
    name="getrace-dark",
    primary="#6cb6ff",
    secondary="#5fd0a5",
    accent="#f0d264",
    warning="#f0a05a",
    error="#ff7a66",
    success="#5fd0a5",
    foreground="#d7dde6",
    background="#11151c",
    surface="#161b24",
    panel="#1e2530",
    dark=True,
)
LIGHT = Theme(
    name="getrace-light",
    primary="#0072b2",
    secondary="#00795c",
    accent="#8a6d00",
    warning="#b35c00",
    error="#c0321a",
    success="#00795c",
    foreground="#1c2128",
    background="#ffffff",
    surface="#f6f8fa",
    panel="#e6eaef",
    dark=False,
)


class GetraceApp(App[None]):
    """One store on screen. The store may grow while it is looked at; it is polled by this thread only."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__()
        self.title = settings.title
        self.animation_level = "none"
        self._store = store
        self._settings = settings
        self._colourless = Colourless()
        self.set_keymap(remapped(settings.keys))

    def get_default_screen(self) -> Screen[None]:
        """Begin with the frame."""
        return Frame(self._store, self._settings)

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Tell the caller, keep where one is, and leave."""
        self._settings.leaving()
        for screen in self.screen_stack:
            if isinstance(screen, Frame):
                screen.keep()
        super().exit(result, return_code, message)

    def action_interrupt(self) -> None:
        """Leave as after an interrupt: a terminal in raw mode sends a key where a shell would send a signal."""
        self.exit(return_code=INTERRUPTED)

    def on_mount(self) -> None:
        """Dress."""
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = LIGHT.name if self._settings.light else DARK.name
        self.set_class(self._settings.ascii_only, "-ascii")
        self._leave_cleanly()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Take colours off where the user wants none."""
        filters = super().get_line_filters()
        return [*filters, self._colourless] if self._settings.no_colour else filters

    def _leave_cleanly(self) -> None:
        """Put the terminal back when somebody ends the process: textual itself would die and leave it as it is."""
        aside = threading.current_thread() is not threading.main_thread()
        if self.is_headless or aside or sys.platform == "win32":
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, partial(self.exit, return_code=128 + number))


def open_app(store: Store, settings: Settings) -> int:
    """Show a store until the user leaves; give 0, or ``INTERRUPTED`` after Ctrl-C.

    Raises:
        UsageError: the keys name an unknown action or give one key to two, or the terminal cannot show the screens.
    """
    size = shutil.get_terminal_size()
    refuse_what_cannot_show(os.environ, (size.columns, size.lines), ascii_only=settings.ascii_only)
    no_colour = settings.no_colour or wants_no_colour(os.environ)
    images = settings.images if settings.ascii_only else ask_terminal()
    app = GetraceApp(store, replace(settings, no_colour=no_colour, images=images))
    app.run()
    return app.return_code or 0
