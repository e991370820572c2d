"""How screens are tested: open one, wait until it has settled, press keys."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from textual.message import Message
from textual.pilot import Pilot

from getrace.store.store import Store
from views.tui.app import GetraceApp
from views.tui.screens.main import MainScreen
from views.tui.settings import Settings

PATIENCE = 500

SMALL = (80, 24)
LARGE = (120, 40)


def main_screen(pilot: Pilot[None]) -> MainScreen:
    """Give the main screen, also below a help."""
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, MainScreen)
    return screen


async def settle(pilot: Pilot[None]) -> None:
    """Wait until all rows are shown, the overview is computed for them, and no worker runs."""
    screen = main_screen(pilot)
    for _ in range(PATIENCE):
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        if screen.total == screen.store.rows == screen.overview.rows:
            break
    else:
        pytest.fail("the screen did not settle")
    await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one after the other, each on a settled screen."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


@asynccontextmanager
async def opened(
    store: Store,
    size: tuple[int, int] = SMALL,
    settings: Settings | None = None,
    hook: Callable[[Message], None] | None = None,
) -> AsyncIterator[Pilot[None]]:
    """Open a store on a screen of a size, settled."""
    app = GetraceApp(store, settings or Settings("demo.log"))
    async with app.run_test(size=size, message_hook=hook) as pilot:
        await settle(pilot)
        yield pilot
