"""How long a key takes to its paint: from the press until what it changed is on the screen.

The pilot's own press will not do: it waits until the whole process is idle, and a process with a producer never is.
"""

import asyncio
import time

from textual.pilot import Pilot
from view_screens import frame

from views.tui.screens.frame import Frame

PATIENCE = 5.0


def _state(screen: Frame) -> tuple[object, ...]:
    return screen.cursor, screen.number, screen.following, getattr(screen.page, "window", None)


async def key_to_paint(pilot: Pilot[None], key: str) -> float:
    """Press a key that moves the cursor, the window or the screen, and give the seconds until it is painted."""
    screen, painted = frame(pilot), asyncio.Event()
    before, started = _state(screen), time.perf_counter()
    pilot.app.simulate_key(key)
    while _state(screen) == before and time.perf_counter() - started < PATIENCE:  # noqa: ASYNC110 - a change has no event to wait for
        await asyncio.sleep(0)
    screen.call_after_refresh(painted.set)
    await asyncio.wait_for(painted.wait(), PATIENCE)
    return time.perf_counter() - started
