"""Overview, Timeline, Sources and the palette: messages, then state."""

import pytest
from textual.message import Message
from textual.pilot import Pilot
from view_screens import LARGE, SMALL, frame, opened, press, typed
from view_story import START, Story, run_story

from views.model.window import Window
from views.tui.messages import LaneChosen, Moved, PagePart, PageRead, ShowScreen
from views.tui.plain import screen_text
from views.tui.screens.palette import Choices, PaletteScreen
from views.tui.screens.timeline import TimelinePage
from views.tui.widgets.cards import Cards

US = 1000


def _timeline(pilot: Pilot[None]) -> TimelinePage:
    page = frame(pilot).page
    assert isinstance(page, TimelinePage)
    return page


async def test_a_log_opens_at_its_overview_which_is_read_part_by_part() -> None:
    heard: list[Message] = []
    async with opened(run_story(), hook=heard.append, screen=0) as pilot:
        assert frame(pilot).number == 1
        assert "FAILED  at device" in screen_text(pilot.app)
    ours = [type(message) for message in heard if isinstance(message, (PagePart, PageRead))]
    assert ours[0] is PagePart
    assert ours[-1] is PageRead


async def test_a_line_of_a_card_moves_the_cursor_and_enter_shows_it_among_the_events() -> None:
    heard: list[Message] = []
    async with opened(run_story(), hook=heard.append, screen=1) as pilot:
        await press(pilot, "j")
        assert frame(pilot).cursor == 41
        await press(pilot, "j", "enter")
        assert (frame(pilot).number, frame(pilot).cursor) == (2, 35)
    assert {message.number for message in heard if isinstance(message, ShowScreen)} == {2}
    assert {message.number for message in heard if isinstance(message, Moved)} == {41, 35}


@pytest.mark.parametrize(("size", "panes"), [(SMALL, ["left"]), (LARGE, ["left", "right"])])
async def test_a_large_terminal_shows_two_panes_of_cards(size: tuple[int, int], panes: list[str]) -> None:
    async with opened(run_story(), size, screen=1) as pilot:
        await press(pilot, "tab")
        assert [pane.id for pane in frame(pilot).page.panes] == panes
        left = pilot.app.screen.query_one("#left", Cards)
        assert any("Runs" in span.text for line in left._lines for span in line.line) == (size == SMALL)


@pytest.mark.parametrize(
    ("keys", "row", "lane", "window"),
    [
        ("", 0, 0, (0, 840)),
        ("full_stop full_stop full_stop", 8, 0, (0, 840)),
        ("full_stop comma", 2, 0, (0, 840)),
        ("full_stop full_stop full_stop w", 8, 0, (120, 330)),
        ("full_stop full_stop full_stop w s", 8, 0, (0, 840)),
        ("full_stop full_stop full_stop f", 8, 0, (110, 170)),
        ("full_stop full_stop full_stop f f", 8, 0, (0, 840)),
        ("full_stop w d", 2, 0, (82, 292)),
        ("j full_stop", 11, 1, (0, 840)),
        ("j j full_stop full_stop comma", 14, 2, (0, 840)),
        ("j j G", 0, 2, (0, 840)),
        ("e", 41, 2, (0, 840)),
        ("full_stop A full_stop full_stop B f", 8, 0, (10, 190)),
    ],
)
async def test_keys_of_the_timeline(keys: str, row: int, lane: int, window: tuple[int, int]) -> None:
    heard: list[Message] = []
    async with opened(run_story(), LARGE, hook=heard.append, screen=3) as pilot:
        await press(pilot, *keys.split())
        page = _timeline(pilot)
        shown = ((page.window.start - START) // US, (page.window.end - START) // US)
        assert (frame(pilot).cursor, page.lane, shown) == (row, lane, window)
    assert ("j" in keys) == any(isinstance(message, LaneChosen) for message in heard)


async def test_a_cursor_out_of_sight_is_brought_into_the_window() -> None:
    async with opened(run_story(), LARGE, screen=3) as pilot:
        await press(pilot, "full_stop", "w", "w")
        assert _timeline(pilot).window.length < 60 * US
        await press(pilot, "e")
        assert _timeline(pilot).window.holds(START + 41 * 20 * US)


async def test_a_timeline_without_kernels_says_so() -> None:
    story = Story()
    story.line("alone")
    story.store.poll()
    async with opened(story.store, screen=3) as pilot:
        await press(pilot, *"jwasdf", "comma", "full_stop", "A", "B")
        assert "No lanes: the log runs no kernel and names no stream." in screen_text(pilot.app)
        assert _timeline(pilot).window == Window(_timeline(pilot).window.start, _timeline(pilot).window.end)


@pytest.mark.parametrize(
    ("text", "number", "row"),
    [
        ("42", 2, 41),
        ("#7", 2, 6),
        ("10:11:12.1302", 2, 10),
        ("relu1", 2, 14),
        ("timeline", 3, 0),
        ("next error", 2, 41),
        ("zzzz", 2, 0),
    ],
)
async def test_the_palette_runs_what_fits_best(text: str, number: int, row: int) -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "colon")
        assert isinstance(pilot.app.screen, PaletteScreen)
        await typed(pilot, text)
        await press(pilot, "enter")
        assert (len(pilot.app.screen_stack), frame(pilot).number, frame(pilot).cursor) == (1, number, row)


async def test_the_palette_runs_commands_of_the_screen_and_esc_closes_it() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "ctrl+p")
        await typed(pilot, "show column address")
        await press(pilot, "enter")
        assert "address" in screen_text(pilot.app).splitlines()[3]
        await press(pilot, "colon", "down", "down", "up")
        assert pilot.app.screen.query_one(Choices).place == 1
        await press(pilot, "escape")
        assert len(pilot.app.screen_stack) == 1


async def test_the_palette_switches_one_of_several_filters() -> None:
    async with opened(run_story()) as pilot:
        for text in ("level>=warn", "-failed"):
            await press(pilot, "f")
            await typed(pilot, text)
            await press(pilot, "enter")
        await press(pilot, "colon")
        await typed(pilot, "switch filter 2")
        await press(pilot, "enter")
        assert screen_text(pilot.app).splitlines()[2] == (
            " filters 1 level>=warn  2 (-failed)  4 of 43 rows, not this record"
        )


async def test_sources_are_told_and_lead_to_their_first_record() -> None:
    async with opened(run_story(), screen=7) as pilot:
        assert "What no row of the grammar claims" in screen_text(pilot.app)
        await press(pilot, "right_square_bracket", "j")
        assert frame(pilot).cursor == 0
