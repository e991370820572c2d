"""The main screen: the messages it exchanges, and the state it reaches."""

import base64

import pytest
from textual.message import Message
from view_screens import LARGE, SMALL, frame, opened, press, settle, typed
from view_story import Story, main, run_story, spell

from getrace.events import Level
from getrace.store.live import LiveStore
from views.model.play import Playing
from views.tui.messages import Grew, Moved, OverviewReady, OverviewStale, SearchEnded
from views.tui.plain import screen_text
from views.tui.settings import Settings
from views.tui.widgets.event_table import EventTable
from views.tui.widgets.search_bar import SearchBar

NAMES = ("overview", "events", "timeline", "memory", "streams", "graphs", "sources", "compare")


async def test_a_static_store_is_told_of_once() -> None:
    heard: list[Message] = []
    async with opened(run_story(), hook=heard.append) as pilot:
        await settle(pilot)
    ours = [(type(m), m.number) for m in heard if isinstance(m, (Grew, OverviewStale, OverviewReady))]
    assert [kind for kind, _ in dict.fromkeys(ours)] == [Grew, OverviewStale, OverviewReady]
    assert {number for _, number in ours} == {43}


async def test_a_key_becomes_one_message_with_a_row() -> None:
    heard: list[Message] = []
    async with opened(run_story(), hook=heard.append) as pilot:
        await press(pilot, "j")
    assert {message.number for message in heard if isinstance(message, Moved)} == {1}


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        ("j", 1),
        ("j j k", 1),
        ("down down up", 1),
        ("k", 0),
        ("G", 42),
        ("end", 42),
        ("G g", 0),
        ("pagedown", 9),
        ("pagedown pagedown pageup", 9),
        ("e", 41),
        ("e e", 42),
        ("e e E", 41),
        ("e e e", 42),
        ("E", 0),
        ("4 j j", 15),
        ("4 G k", 37),
        ("5 j", 11),
        ("5 G", 41),
        ("6 j", 6),
        ("6 enter j", 2),
    ],
)
async def test_keys_move_the_one_cursor_from_every_pane(keys: str, row: int) -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, *keys.split())
        assert frame(pilot).cursor == row


async def test_tab_walks_through_the_panes_and_comes_back() -> None:
    async with opened(run_story()) as pilot:
        seen = []
        for key in ("tab", "tab", "shift+tab"):
            await press(pilot, key)
            assert pilot.app.focused is not None
            seen.append(pilot.app.focused.id)
        assert seen == ["detail", "table", "detail"]


@pytest.mark.parametrize(("key", "name"), list(zip("12345678", NAMES, strict=True)))
async def test_a_number_shows_a_screen_and_only_that(key: str, name: str) -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "4", key)
        assert [page.id for page in pilot.app.screen.query("Page") if page.display] == [name]


async def test_a_screen_that_was_hidden_is_shown_at_the_cursor() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "4", "2", "e", "4")
        assert (frame(pilot).cursor, frame(pilot).page.cursor) == (41, 41)


@pytest.mark.parametrize(
    ("keys", "row", "notice"),
    [
        ("o", 0, "this record names no operator"),
        ("j j j j j j j o", 8, None),
        ("j j j j j j j o o o o o o o O", 13, None),
        ("G k k k o", 39, "no later record of this operator"),
        ("m", 0, "marked"),
        ("m m", 0, "mark taken away"),
        ("m G m u", 42, "no later mark"),
        ("m G m U", 0, None),
        ("u", 0, "no later mark"),
        ("A", 0, "marker A set: set B to measure"),
        ("A j j B", 2, "A to B 40 us (measured), +2 records"),
        ("]", 1, None),
        ("G [ [", 40, None),
    ],
)
async def test_keys_walk_over_operators_marks_and_markers(keys: str, row: int, notice: str | None) -> None:
    names = {"[": "left_square_bracket", "]": "right_square_bracket"}
    async with opened(run_story()) as pilot:
        await press(pilot, *(names.get(key, key) for key in keys.split()))
        told = frame(pilot).notice
        assert (frame(pilot).cursor, told and told.text) == (row, notice)


async def test_a_screen_opens_where_it_is_asked_to() -> None:
    async with opened(run_story(), settings=Settings("demo.log", at=41)) as pilot:
        assert frame(pilot).cursor == 41


async def test_a_search_finds_while_one_types() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "slash", "l", "o", "w")
        assert frame(pilot).cursor == 22
        await press(pilot, "enter")
        assert not pilot.app.screen.query_one(SearchBar).is_open
        await press(pilot, "n")
        assert frame(pilot).cursor == 40
        await press(pilot, "n")
        assert frame(pilot).cursor == 22
        await press(pilot, "N")
        assert frame(pilot).cursor == 40


async def test_a_search_says_when_it_went_around() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "slash", *"success", "enter", "n")
        notice = frame(pilot).notice
        assert (frame(pilot).cursor, notice and notice.text) == (0, "went around the end of the log")


async def test_a_search_without_a_hit_says_so_and_moves_nothing() -> None:
    heard: list[Message] = []
    async with opened(run_story(), hook=heard.append) as pilot:
        await press(pilot, "j", "slash", *"zebra")
        notice = frame(pilot).notice
        assert (frame(pilot).cursor, notice and notice.text) == (1, "no line matches zebra")
    assert {message.number for message in heard if isinstance(message, SearchEnded)} == {-1}


async def test_what_is_no_pattern_is_said() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "slash", "left_square_bracket")
        notice = frame(pilot).notice
        assert notice is not None
        assert notice.text.startswith("not a pattern")


async def test_escape_gives_a_search_up_and_goes_back() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "j", "slash", *"507015")
        assert frame(pilot).cursor == 42
        await press(pilot, "escape")
        assert frame(pilot).cursor == 1
        assert pilot.app.is_running


async def test_no_more_errors_is_said() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "G", "e")
        notice = frame(pilot).notice
        assert notice is not None
        assert notice.text == "no later error"


async def test_q_leaves_the_help_first_and_then_the_program() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "question_mark")
        assert len(pilot.app.screen_stack) == 2
        await press(pilot, "q")
        assert len(pilot.app.screen_stack) == 1
        await pilot.press("q")
        await pilot.pause()
        assert pilot.app.return_code == 0


@pytest.mark.parametrize(
    ("said", "copied"), [("Load model", "Load model"), ("half \udc80", "half \\udc80"), ("a\x1b[1m", "a\x1b[1m")]
)
async def test_y_copies_the_line_with_osc_52(said: str, copied: str, monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story()
    story.line(said)
    async with opened(story.store) as pilot:
        sent: list[str] = []
        driver = pilot.app._driver
        assert driver is not None
        monkeypatch.setattr(driver, "write", sent.append)
        await press(pilot, "y")
        monkeypatch.undo()
        line = f"[INFO] GE(4711,demo):2026-03-05-10:11:12.130.001 [story.cc:1]4718 Run:{copied}"
        assert f"\x1b]52;c;{base64.b64encode(line.encode()).decode()}\a" in sent


async def test_a_live_run_is_followed_until_one_looks_back() -> None:
    story = Story()
    async with opened(story.store, settings=Settings("demo", live=True)) as pilot:
        screen = frame(pilot)
        main(story)
        screen.feed.tick()
        await settle(pilot)
        assert (screen.cursor, screen.following) == (16, True)
        await press(pilot, "k")
        assert (screen.cursor, screen.following) == (15, False)
        main(story)
        screen.feed.tick()
        await settle(pilot)
        assert (screen.cursor, screen.total) == (15, 34)
        await press(pilot, "space")
        assert (screen.cursor, screen.following) == (33, True)


async def test_space_plays_a_finished_log_and_stops_it() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "plus", "minus", "minus")
        notice = frame(pilot).notice
        assert notice is not None
        assert notice.text == "plays at x0.01: Space begins"
        await pilot.press("space")
        assert frame(pilot).playing == Playing(speed=1)
        assert "PLAYING x0.01" in screen_text(pilot.app)
        await pilot.press("space")
        assert frame(pilot).playing is None


async def test_playing_ends_at_the_end_of_the_log() -> None:
    async with opened(run_story()) as pilot:
        frame(pilot).playing = Playing(speed=6)
        frame(pilot)._play()
        assert (frame(pilot).cursor, frame(pilot).playing) == (42, None)


async def test_playing_stops_at_what_passes_the_filters() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "f")
        await typed(pilot, "size>64K")
        await press(pilot, "enter", "b")
        frame(pilot).playing = Playing(speed=6)
        frame(pilot)._play()
        await settle(pilot)
        notice = frame(pilot).notice
        assert (frame(pilot).cursor, notice and notice.text) == (15, "stopped at 16: it passes the filters")


async def test_an_empty_store_takes_every_key() -> None:
    async with opened(LiveStore("empty", spell)) as pilot:
        await press(pilot, *"jkgGeEnNyoOmuUAB12345678", "enter", "pagedown", "space", "slash", "x", "escape")
        assert pilot.app.is_running


async def test_only_lines_in_sight_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    story = Story()
    for number in range(5000):
        story.line(f"line {number}", Level.INFO)
    story.store.poll()
    made: set[int] = set()
    real = EventTable.line

    def spy(table: EventTable, index: int, width: int) -> object:
        made.add(index)
        return real(table, index, width)

    monkeypatch.setattr(EventTable, "line", spy)
    async with opened(story.store) as pilot:
        assert made == set(range(-1, 10))
        made.clear()
        await press(pilot, "G")
        assert made <= set(range(-1, 10)) | set(range(4990, 5000))


async def test_the_cursor_stays_in_sight_when_the_screen_shrinks() -> None:
    async with opened(run_story(), size=LARGE) as pilot:
        await press(pilot, "G")
        await pilot.resize_terminal(*SMALL)
        await settle(pilot)
        table = pilot.app.screen.query_one(EventTable)
        assert table.scroll_offset.y <= 42 < table.scroll_offset.y + table.page
