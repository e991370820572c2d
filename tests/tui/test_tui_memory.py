"""The Memory screen: messages, then state, then picture."""

import pytest
from textual.message import Message
from view_screens import LARGE, SMALL, frame, opened, press
from view_story import run_story

from views.model.spans import plain
from views.tui.messages import Chosen, Moved
from views.tui.plain import screen_text
from views.tui.screens.memory import MemoryPage
from views.tui.widgets.list_pane import ListPane
from views.tui.widgets.memory_curve import MemoryCurve


async def test_a_step_among_the_living_asks_for_a_block_and_leaves_the_cursor() -> None:
    heard: list[Message] = []
    async with opened(run_story(), screen=4, hook=heard.append) as pilot:
        await press(pilot, "pagedown", "tab")
        heard.clear()
        await press(pilot, "j")
        assert [(m.pane, m.number) for m in heard if isinstance(m, Chosen)][:1] == [("alive", 1)]
        assert not [m for m in heard if isinstance(m, Moved)]


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        ("j j", 15),
        ("G k", 37),
        ("pagedown", 15),
        ("pagedown tab j enter", 10),
        ("tab tab tab j", 15),
        ("tab tab tab G", 33),
        ("pagedown tab tab tab tab G", 39),
        ("l j", 0),
    ],
)
@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_keys_move_the_one_cursor(keys: str, row: int, size: tuple[int, int]) -> None:
    async with opened(run_story(), size, screen=4) as pilot:
        await press(pilot, *keys.split())
        assert frame(pilot).cursor == row


async def test_tab_brings_up_one_pane_after_the_other_on_a_small_screen() -> None:
    async with opened(run_story(), screen=4) as pilot:
        seen = []
        for _ in range(6):
            page = frame(pilot).page
            seen.append((pilot.app.focused.id if pilot.app.focused else "", [p.id for p in page.panes if p.display]))
            await press(pilot, "tab")
        assert seen == [
            ("curve", ["curve", "alive"]),
            ("alive", ["curve", "alive"]),
            ("map", ["curve", "map"]),
            ("blocks", ["curve", "blocks"]),
            ("story", ["curve", "story"]),
            ("curve", ["curve", "story"]),
        ]


async def test_a_wide_screen_shows_all_panes() -> None:
    async with opened(run_story(), LARGE, screen=4) as pilot:
        assert all(pane.display and pane.size.height > 4 for pane in frame(pilot).page.panes)


async def test_the_cursor_decides_who_is_alive_and_whose_address_is_told() -> None:
    async with opened(run_story(), LARGE, screen=4) as pilot:
        page = frame(pilot).page
        alive, story = page.query_one("#alive", ListPane), page.query_one("#story", ListPane)
        await press(pilot, "j", "j")
        assert alive.border_title == "Alive here: 2 blocks, 192 KiB"
        assert str(story.border_title).startswith("Address 0x12c041210000: alive, stream 1")
        await press(pilot, "tab", "j")
        assert str(story.border_title).startswith("Address 0x12c041200000: alive, stream 0")


async def test_the_curves_are_turned() -> None:
    async with opened(run_story(), screen=4) as pilot:
        curve = frame(pilot).page.query_one(MemoryCurve)
        titles = [str(curve.border_title)]
        for key in ("c", "c", "c", "C"):
            await press(pilot, key)
            titles.append(str(curve.border_title))
        assert [title.removeprefix("Memory: ").split("  ")[0] for title in titles] == [
            "all device memory",
            "stream 0",
            "stream 1",
            "all device memory",
            "stream 1",
        ]


async def test_the_lost_blocks_alone() -> None:
    async with opened(run_story(), screen=4) as pilot:
        await press(pilot, "l")
        blocks = frame(pilot).page.query_one("#blocks", ListPane)
        assert blocks.display
        assert plain(blocks.line(0, 70)) == "no block was lost, as far as the log shows"
        await press(pilot, "l")
        assert blocks.listing.count == 4


async def test_a_page_that_was_not_looked_at_catches_up() -> None:
    async with opened(run_story(), LARGE, screen=2) as pilot:
        await press(pilot, *["j"] * 15, "4")
        assert isinstance(frame(pilot).page, MemoryPage)
        assert "Alive here: 2 blocks, 192 KiB" in screen_text(pilot.app)
