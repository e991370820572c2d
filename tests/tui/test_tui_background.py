"""Readings run beside the screen: keys go on, leaving waits for none of them, and an error is not lost."""

import threading
from collections.abc import Iterator

import pytest
from view_screens import frame, opened
from view_story import run_story

from getrace.store.store import Store
from views.tui.app import GetraceApp
from views.tui.plain import screen_text
from views.tui.screens.memory import MemoryPage
from views.tui.settings import Settings


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A reading of the Memory screen that does not come until the gate is opened."""
    opened_gate = threading.Event()
    readings = MemoryPage.readings

    def slow(self: MemoryPage, store: Store) -> Iterator[object]:
        opened_gate.wait(30)
        return readings(self, store)

    monkeypatch.setattr(MemoryPage, "readings", slow)
    yield opened_gate
    opened_gate.set()


async def test_keys_go_on_while_a_page_is_read_and_leaving_does_not_wait(gate: threading.Event) -> None:
    app = GetraceApp(run_story(), Settings("demo.log", screen=4))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Reading the memory of the log" in screen_text(pilot.app)
        await pilot.press("right_square_bracket", "right_square_bracket")
        assert frame(pilot).cursor == 2
        await pilot.press("q")
    assert app.return_code == 0
    assert not gate.is_set()


async def test_a_reading_that_comes_late_is_shown(gate: threading.Event) -> None:
    app = GetraceApp(run_story(), Settings("demo.log", screen=4))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        gate.set()
        while not frame(pilot).page.is_read:
            await pilot.pause(0.01)
        assert "peak 192 KiB" in screen_text(pilot.app)


async def test_an_error_of_a_reading_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: MemoryPage, store: Store) -> Iterator[object]:
        del self, store
        raise ValueError("the reading is broken")

    monkeypatch.setattr(MemoryPage, "readings", broken)
    with pytest.raises(ValueError, match="the reading is broken"):
        async with opened(run_story(), screen=4):
            pass
