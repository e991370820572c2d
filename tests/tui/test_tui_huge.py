"""Memory, Streams, Graphs and Compare over millions of rows: messages and state; and over a run that goes on."""

import pytest
from huge_store import HugeStore
from textual.message import Message
from view_graphs import execute
from view_screens import LARGE, frame, opened, press
from view_story import Story, main

from getrace.events.markers import ModelEnd
from views.tui.messages import Moved, PageRead
from views.tui.plain import screen_text
from views.tui.settings import Settings
from views.tui.widgets.list_pane import ListPane

SPREADS = [pytest.param(5_000, id="215k"), pytest.param(232_559, id="10M", marks=pytest.mark.long)]

WANTED = {
    4: ("pagedown", 15, "Alive here: 2 blocks, 192 KiB"),
    5: ("tab tab j", 32, "Pairs: 2"),
    6: ("j", 9, "Main of AfterPasses"),
    8: ("d tab", 0, "right Main #2"),
}
"""By screen: keys, the row of the story that they lead to, and what is on the screen then."""


@pytest.mark.parametrize("spread", SPREADS)
async def test_millions_of_rows(spread: int) -> None:
    store = HugeStore(spread)
    store.graphs.append(execute("AfterPasses"))
    for screen, (keys, place, shown) in WANTED.items():
        heard: list[Message] = []
        async with opened(store, LARGE, Settings("huge.log", at=0), heard.append, screen=screen) as pilot:
            assert {m.number for m in heard if isinstance(m, PageRead)} == {store.rows}
            heard.clear()
            await press(pilot, *keys.split())
            row = frame(pilot).cursor
            assert shown in screen_text(pilot.app)
            if screen == 6:
                # The nearest record of the chosen node is one of millions of equal ones.
                assert store.kernel(row) in {"Tiling_add1_61", "AllocMemHbm_add1_62"}
            else:
                assert row == place * spread
            assert {m.number for m in heard if isinstance(m, Moved)} <= {row}


async def test_a_run_that_goes_on_is_read_again() -> None:
    story = Story()
    main(story)
    async with opened(story.store, LARGE, Settings("demo", live=True), screen=4) as pilot:
        page = frame(pilot).page
        blocks = page.query_one("#blocks", ListPane)
        assert blocks.listing.count == 2
        story.say(ModelEnd())
        main(story)
        await press(pilot, "k")
        assert frame(pilot).total == story.store.rows == 35
        assert (blocks.listing.count, page.read_rows) == (4, 35)


@pytest.mark.parametrize(
    ("screen", "pane", "before", "after"),
    [(5, "pairs", 1, 2), (8, "kernels", 0, 10)],
)
async def test_every_list_grows_with_a_run(screen: int, pane: str, before: int, after: int) -> None:
    story = Story()
    main(story)
    async with opened(story.store, LARGE, Settings("demo", live=True), screen=screen) as pilot:
        if screen == 8:
            await press(pilot, "d")
        assert frame(pilot).page.query_one(f"#{pane}", ListPane).listing.count == before
        story.say(ModelEnd())
        main(story)
        await press(pilot, "left_square_bracket")
        assert frame(pilot).page.query_one(f"#{pane}", ListPane).listing.count == after


async def test_a_graph_that_comes_during_a_run_is_drawn() -> None:
    story = Story()
    main(story)
    async with opened(story.store, LARGE, Settings("demo", live=True), screen=6) as pilot:
        assert "No graph was dumped" in screen_text(pilot.app)
        story.store.graphs.append(execute("AfterPasses"))
        story.say(ModelEnd())
        await press(pilot, "left_square_bracket")
        assert "Main of AfterPasses" in screen_text(pilot.app)
