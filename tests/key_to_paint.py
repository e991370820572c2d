"""How long a key takes to its paint: from the press until the terminal would be told what it changed.

The pilot's own press will not do: it waits until the whole process is idle, and a process with a producer never is.
Without a terminal textual leaves out the last step, which spells for the terminal what has changed; it is done here,
for a user waits for it as well.
"""

import asyncio
import time
from pathlib import Path
from typing import Any, NamedTuple

from textual._compositor import CompositorUpdate
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from views.tui import app as shown_app
from views.tui.app import GetraceApp
from views.tui.screens.frame import Frame
from views.tui.widgets.line_pane import LinePane

PATIENCE = 5.0
QUIET = 0.05
"""Seconds without a paint after which nothing more is to come of a key."""


class Wait(NamedTuple):
    """Seconds to the paint that shows what a key did, to the last paint it led to, and what the thread worked."""

    first: float
    last: float
    worked: float


class PaintedApp(GetraceApp):
    """Spells each paint as for a terminal, and notes when it showed rows, and when it showed something else."""

    CSS_PATH = str(Path(shown_app.__file__).with_name("app.tcss"))  # textual would look for it beside this class
    painted_at = 0.0
    rows_at = 0.0
    first_at = 0.0
    shown: tuple[object, ...] = ()
    changed: asyncio.Event

    def watch_for(self) -> None:
        """Wait for a paint that shows something else than now."""
        self.shown, self.changed = _state(self), asyncio.Event()

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if isinstance(renderable, CompositorUpdate):
            renderable.render_segments(self.console)
        super()._display(screen, renderable)

    def post_display_hook(self) -> None:
        """Note the moment."""
        self.painted_at = time.perf_counter()
        screen = self.screen_stack[0]
        if not self.rows_at and isinstance(screen, Frame) and screen.total:
            self.rows_at = self.painted_at
        if self.shown and not self.changed.is_set() and _state(self) != self.shown:
            self.first_at = self.painted_at
            self.changed.set()


def _state(app: GetraceApp) -> tuple[object, ...]:
    """Give what a key can change on the screen."""
    screen, focused = app.screen_stack[0], app.focused
    pane = (focused.chosen, focused.scroll_offset) if isinstance(focused, LinePane) else ()
    typed = focused.value if isinstance(focused, Input) else ""
    page = getattr(screen, "page", None)
    look = tuple(str(getattr(page, name, "")) for name in ("window", "lane", "raised", "node_name"))
    titles = tuple(str(one.border_title) for one in getattr(page, "panes", ()))
    shared = tuple(getattr(screen, name) for name in ("cursor", "number", "following", "notice"))
    return (*shared, id(focused), pane, typed, look, titles)


async def key_to_paint(pilot: Pilot[None], key: str, *, settle: bool = False) -> Wait:
    """Press a key that changes something on the screen, and say how long it took; ``settle`` waits for all of it."""
    app = pilot.app
    assert isinstance(app, PaintedApp)
    app.watch_for()
    busy, started = time.thread_time(), time.perf_counter()
    app.simulate_key(key)
    try:
        await asyncio.wait_for(app.changed.wait(), PATIENCE)
    except TimeoutError:
        raise AssertionError(f"{key} changes nothing that is painted") from None
    worked = time.thread_time() - busy
    while settle and time.perf_counter() - app.painted_at < QUIET:  # noqa: ASYNC110 - nothing tells that no more will come
        await asyncio.sleep(QUIET / 10)
    return Wait(app.first_at - started, app.painted_at - started, worked)
