"""How screens are tested: open one, wait until it has settled, press keys."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual.keys import _character_to_key
from textual.message import Message
from textual.pilot import Pilot

from getrace.store.store import Store
from views.tui.app import GetraceApp
from views.tui.screens.frame import Frame
from views.tui.settings import Settings

PATIENCE = 500

SMALL = (80, 24)
LARGE = (120, 40)


def frame(pilot: Pilot[None]) -> Frame:
    """Give the frame, also below a help."""
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, Frame)
    return screen


async def settle(pilot: Pilot[None]) -> None:
    """Wait until all rows are shown, overview and page are read for them, and no worker runs."""
    screen = frame(pilot)
    for _ in range(PATIENCE):
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        if screen.total == screen.store.rows == screen.overview.rows and screen.page.is_read:
            break
        # A page's thread is no worker of textual's; it gets the processor while this waits.
        await asyncio.sleep(0.002)
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
    screen: int = 2,
    *,
    light: bool = False,
) -> AsyncIterator[Pilot[None]]:
    """Open a store on a terminal of a size, at a screen, settled."""
    given = settings or Settings("demo.log")
    app = GetraceApp(store, replace(given, screen=screen, light=light or given.light))
    async with app.run_test(size=size, message_hook=hook) as pilot:
        await settle(pilot)
        yield pilot


async def typed(pilot: Pilot[None], text: str) -> None:
    """Type a text, letter by letter, and wait."""
    await pilot.press(*(character_key(char) for char in text))
    await settle(pilot)


def character_key(char: str) -> str:
    """Give textual's name of the key of a character."""
    return _character_to_key(char)
