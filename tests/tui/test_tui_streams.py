"""The Streams screen: messages, then state, then picture."""

import pytest
from stream_story import BLOCK, OTHER, streams_of
from textual.message import Message
from view_screens import LARGE, SMALL, frame, opened, press
from view_story import run_story

from getrace.store.live import LiveStore
from views.tui.messages import Chosen, Moved
from views.tui.plain import screen_text
from views.tui.widgets.list_pane import ListPane


def unordered() -> LiveStore:
    """A use on stream 1 that does not wait for the one on stream 0, and a send that nobody waits for."""
    return streams_of(("give", 0, BLOCK), ("use", 0, (), (BLOCK,)), ("use", 1, (BLOCK,), (OTHER,)), ("send", 3, 0))


async def test_a_chosen_pair_takes_the_cursor_to_its_wait() -> None:
    heard: list[Message] = []
    async with opened(run_story(), screen=5, hook=heard.append) as pilot:
        await press(pilot, "tab", "tab", "j")
    assert {m.number for m in heard if isinstance(m, Moved)} == {32}
    assert [(m.pane, m.number) for m in heard if isinstance(m, Chosen)][-1] == ("pairs", 1)


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        ("j", 11),
        ("G", 41),
        ("tab j", 14),
        ("tab tab j", 32),
        ("tab tab j enter", 31),
        ("tab tab j enter enter", 32),
        ("tab tab tab j", 0),
    ],
)
@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_keys_move_the_one_cursor(keys: str, row: int, size: tuple[int, int]) -> None:
    async with opened(run_story(), size, screen=5) as pilot:
        await press(pilot, *keys.split())
        assert frame(pilot).cursor == row


async def test_the_pairs_follow_the_cursor() -> None:
    async with opened(run_story(), LARGE, screen=5) as pilot:
        pairs = frame(pilot).page.query_one("#pairs", ListPane)
        await press(pilot, "G")
        assert pairs.chosen == 1


async def test_enter_goes_from_one_use_of_a_hazard_to_the_other() -> None:
    async with opened(unordered(), LARGE, screen=5) as pilot:
        await press(pilot, "shift+tab", "j")
        assert frame(pilot).cursor == 8
        await press(pilot, "enter")
        assert frame(pilot).cursor == 4
        await press(pilot, "enter")
        assert frame(pilot).cursor == 8


async def test_what_is_left_over_is_at_most_four_keys_away() -> None:
    async with opened(unordered(), SMALL, screen=2) as pilot:
        await press(pilot, "5", "tab", "tab", "tab")
        shown = screen_text(pilot.app)
        assert "Left over: 1" in shown
        assert "no stream waits for it" in shown


async def test_each_list_says_how_much_it_has() -> None:
    async with opened(unordered(), LARGE, screen=5) as pilot:
        titles = [str(pane.border_title) for pane in frame(pilot).page.panes]
        assert titles == ["Streams", "Streams: 2", "Pairs: 0", "Left over: 1", "Waits at the end: 0", "Hazards: 1"]
