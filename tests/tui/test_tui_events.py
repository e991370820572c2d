"""The events screen: filters, context, folding, columns, the log beside the table."""

import pytest
from view_screens import LARGE, SMALL, frame, opened, press, typed
from view_story import Story, main, run_story

from views.model.spans import plain
from views.tui.messages import Listed, Moved
from views.tui.plain import screen_text
from views.tui.settings import Settings
from views.tui.widgets.event_table import EventTable

from textual.message import Message  # isort: skip
from textual.pilot import Pilot  # isort: skip


def _table(pilot: Pilot[None]) -> EventTable:
    return pilot.app.screen.query_one(EventTable)


def _filters(pilot: Pilot[None]) -> str:
    return screen_text(pilot.app).splitlines()[2]


async def test_rows_are_counted_while_one_types_and_the_filter_stays_after_enter() -> None:
    heard: list[Message] = []
    async with opened(run_story(), hook=heard.append) as pilot:
        await press(pilot, "f")
        await typed(pilot, "size>64K")
        assert (_table(pilot).shown.lines, _filters(pilot)) == (2, " filters 1 size>64K  2 of 43 rows, not this record")
        await press(pilot, "enter", "j", "j", "j")
        assert (frame(pilot).cursor, pilot.app.focused) == (33, _table(pilot))
    assert [message.number for message in heard if isinstance(message, Listed)][-1] == 2


@pytest.mark.parametrize(
    ("keys", "lines", "line"),
    [
        ("", 4, " filters 1 level>=warn  4 of 43 rows, not this record"),
        ("c", 7, " filters 1 level>=warn  4 of 43 rows, context 1, not this record"),
        ("c c c c", 4, " filters 1 level>=warn  4 of 43 rows, not this record"),
        ("F", 43, " filters 1 (level>=warn)  43 of 43 rows"),
        ("F F", 4, " filters 1 level>=warn  4 of 43 rows, not this record"),
        ("z", 3, " filters 1 level>=warn  4 of 43 rows, repeats folded to 3 lines, not this record"),
        ("x", 43, "─Events" + "─" * 73),
    ],
)
async def test_keys_change_what_a_filter_shows(keys: str, lines: int, line: str) -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "f")
        await typed(pilot, "level>=warn")
        await press(pilot, "enter", *keys.split())
        assert (_table(pilot).shown.lines, _filters(pilot)) == (lines, line)


async def test_a_second_filter_narrows_and_esc_gives_up_the_one_being_typed() -> None:
    async with opened(run_story()) as pilot:
        for text in ("level>=warn", "-failed"):
            await press(pilot, "f")
            await typed(pilot, text)
            await press(pilot, "enter")
        assert _filters(pilot) == " filters 1 level>=warn  2 -failed  3 of 43 rows, not this record"
        await press(pilot, "f")
        await typed(pilot, "memory")
        assert _filters(pilot) == " filters 1 level>=warn  2 -failed  3 memory  2 of 43 rows, not this record"
        await press(pilot, "escape")
        assert _filters(pilot) == " filters 1 level>=warn  2 -failed  3 of 43 rows, not this record"
        assert pilot.app.is_running


async def test_what_is_no_filter_is_said_and_changes_nothing() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "f")
        await typed(pilot, "level=loud")
        assert (_filters(pilot), _table(pilot).shown.lines) == (" no such level: loud", 43)
        await press(pilot, "enter")
        told = frame(pilot).notice
        assert (told and told.text, _table(pilot).shown.lines) == ("no such level: loud", 43)


async def test_nothing_that_passes_is_said_with_the_way_out() -> None:
    async with opened(run_story()) as pilot:
        await press(pilot, "f")
        await typed(pilot, "zebra")
        await press(pilot, "enter", "j", "G")
        assert "No row passes the filters: x takes the last one away, F switches all off." in screen_text(pilot.app)
        assert frame(pilot).cursor == 0


async def test_a_live_run_is_filtered_as_it_grows() -> None:
    story = Story()
    async with opened(story.store, settings=Settings("demo", live=True)) as pilot:
        await press(pilot, "f")
        await typed(pilot, "size>64K")
        await press(pilot, "enter")
        for count in (1, 2):
            main(story)
            frame(pilot).feed.tick()
            await press(pilot, "u")
            assert _table(pilot).shown.lines == count


async def test_the_log_beside_the_table_moves_the_table_and_the_table_it() -> None:
    heard: list[Message] = []
    async with opened(run_story(), LARGE, hook=heard.append) as pilot:
        await press(pilot, "r", "tab", "j", "j")
        assert (frame(pilot).cursor, _table(pilot).chosen) == (2, 2)
        await press(pilot, "tab", "G")
        raw = pilot.app.screen.query_one("#raw")
        assert frame(pilot).page.panes == [_table(pilot), raw]
        assert frame(pilot).cursor == 42
        assert screen_text(pilot.app).count("Execute model failed, ret 507015.") == 2
    assert [message.number for message in heard if isinstance(message, Moved)][-1] == 42


@pytest.mark.parametrize(
    ("keys", "heading", "row"),
    [
        (
            "v",
            "    line time             stream   rt    task event kernel     event",
            "▌     11 10:11:12.130.201      0                    Allo… add1 ■ alloc 64 KiB,…",
        ),
        (
            "v v",
            "    line time             stream        address      size kernel     event",
            "▌     11 10:11:12.130.201      0 0x12c041200000    64 KiB Allo… add1 ■ alloc 6…",
        ),
        (
            "v v v",
            "    line record",
            "▌     11 [INFO] GE(4711,demo):2026-03-05-10:11:12.130.201 [story.cc:1]4718 Run…",
        ),
    ],
)
async def test_columns_are_chosen_in_turn(keys: str, heading: str, row: str) -> None:
    async with opened(run_story(), SMALL) as pilot:
        await press(pilot, *["j", "j", "j", "j", "j", "j", "j", "j", "j", "j"], *keys.split())
        shown = screen_text(pilot.app).splitlines()
        assert shown[3].rstrip("▆ ") == heading
        assert row in shown


@pytest.mark.parametrize(
    ("keys", "title", "told"),
    [("D", "since op", "  +120us"), ("j A D D", "since A", "  +480us"), ("", "delta", "   +20us")],
)
async def test_differences_of_time_are_told_to_what_one_chooses(keys: str, title: str, told: str) -> None:
    async with opened(run_story(), LARGE) as pilot:
        await press(pilot, *keys.split())
        table = _table(pilot)
        assert title in plain(table.line(-1, 110))
        assert plain(table.line(25, 110))[25:33] == told


async def test_the_smallest_screen_shows_rows_below_filters_too() -> None:
    async with opened(run_story(), (60, 15), Settings("demo.log", verdict="relu1 failed at device")) as pilot:
        await press(pilot, "z", "e")
        assert _table(pilot).page >= 3
        assert "▌" in screen_text(pilot.app)
