"""A look at a log goes on another day where it ended: cursor, screen, marks, filters; and never at a wrong line."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from view_screens import frame, opened, press, typed

from getrace.replay import follow_store, open_store
from getrace.store.store import Store
from views.model.places import Places
from views.tui.plain import screen_text
from views.tui.session_file import SessionFile, session_file
from views.tui.settings import Settings
from views.tui.widgets.event_table import EventTable

LINE = "[{}] GE(1,p):2026-03-05-10:11:12.000.{:03} [a.cc:1]5 F:[KernelTrace][Const_{}] {}\n"


def log(folder: Path, count: int = 40, *, said: str = "done") -> Path:
    """Write a log of ``count`` lines, each tenth a warning."""
    path = folder / "plog-1_1.log"
    levels = ("WARNING", *["INFO"] * 9)
    path.write_text("".join(LINE.format(levels[n % 10], n, n, said) for n in range(count)))
    return path


@asynccontextmanager
async def look(
    folder: Path, store: Store | None = None, settings: Settings | None = None
) -> AsyncIterator[Pilot[None]]:
    """Open the log with its session, and leave with ``q`` at the end."""
    path = folder / "plog-1_1.log"
    given = settings or Settings("plog", session=SessionFile(folder / "state", [str(path)]))
    async with opened(store or open_store([str(path)]), settings=given, screen=given.screen) as pilot:
        yield pilot
        await pilot.press("q")


async def test_what_one_left_is_there_again(tmp_path: Path) -> None:
    log(tmp_path)
    async with look(tmp_path) as pilot:
        assert frame(pilot).number == 1
        await press(pilot, "2", "j", "j", "m", "j", "A", "G", "m", "B", "k", "v", "f")
        await typed(pilot, "level>=warn")
        await press(pilot, "enter", "c")
    async with look(tmp_path) as pilot:
        screen = frame(pilot)
        assert (screen.number, screen.cursor) == (2, 38)
        assert screen.places == Places((2, 39), (3, 39))
        assert screen.notice is not None
        assert screen.notice.text == "as you left it: 2 marks, 1 filter"
        table = pilot.app.screen.query_one(EventTable)
        assert "stream" in table.keys
        filters = " filters 1 level>=warn  4 of 40 rows, context 1, not this record"
        assert screen_text(pilot.app).splitlines()[2] == filters
        assert table.shown.lines == 11


async def test_a_mark_is_kept_at_once_and_not_only_when_one_leaves(tmp_path: Path) -> None:
    log(tmp_path)
    async with look(tmp_path) as pilot:
        await press(pilot, "2", "j", "m")
        kept = [json.loads(file.read_text()) for file in (tmp_path / "state").iterdir()]
        assert [mark[1] for mark in kept[0]["marks"]] == [2]


async def test_a_log_that_has_grown_has_its_marks_and_a_line_that_says_something_else_has_none(tmp_path: Path) -> None:
    path = log(tmp_path)
    async with look(tmp_path) as pilot:
        await press(pilot, "2", "j", "m", "G", "m", "g")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:39], LINE.format("INFO", 999, 77, "new"), *lines[:5]]))
    async with look(tmp_path) as pilot:
        assert frame(pilot).places.marks == (1,)
        notice = frame(pilot).notice
        assert notice is not None
        assert notice.text == "as you left it: 1 mark, 1 lost with their lines"
        assert "as you left it: 1 mark, 1 lost" in screen_text(pilot.app)


async def test_another_place_that_was_asked_for_wins_and_the_marks_are_there(tmp_path: Path) -> None:
    path = log(tmp_path)
    async with look(tmp_path) as pilot:
        await press(pilot, "4", "2", "j", "m", "G")
    settings = Settings("plog", at=7, session=SessionFile(tmp_path / "state", [str(path)]))
    async with look(tmp_path, settings=settings) as pilot:
        assert (frame(pilot).number, frame(pilot).cursor, frame(pilot).places.marks) == (2, 7, (1,))


async def test_a_fresh_look_begins_at_the_beginning(tmp_path: Path) -> None:
    path = log(tmp_path)
    async with look(tmp_path) as pilot:
        await press(pilot, "2", "j", "m")
    settings = Settings("plog", session=SessionFile(tmp_path / "state", [str(path)], fresh=True))
    async with look(tmp_path, settings=settings) as pilot:
        assert (frame(pilot).number, frame(pilot).cursor, frame(pilot).places.marks) == (1, 0, ())


async def test_a_look_that_leaves_nothing_keeps_no_file(tmp_path: Path) -> None:
    log(tmp_path)
    async with look(tmp_path) as pilot:
        await press(pilot, "2", "m", "m")
    assert list((tmp_path / "state").iterdir()) == []


async def test_marks_come_back_as_a_large_log_is_read(tmp_path: Path) -> None:
    path = log(tmp_path)
    async with look(tmp_path) as pilot:
        await press(pilot, "2", "G", "m", "k")
    over: list[str] = []
    settings = Settings(
        "plog",
        live=True,
        at=0,
        ended=lambda: over[0] if over else None,
        session=SessionFile(tmp_path / "state", [str(path)]),
    )
    async with look(tmp_path, follow_store([str(path)], grow=False), settings) as pilot:
        over.append("read")
        frame(pilot).feed.tick()
        await press(pilot, "u")
        assert frame(pilot).places.marks == (39,)
        assert frame(pilot).cursor == 39


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "getrace/session/9"}', '{"schema": "getrace/session/1"}'])
async def test_a_session_that_cannot_be_read_is_none(text: str, tmp_path: Path) -> None:
    path = log(tmp_path)
    file = SessionFile(tmp_path, [str(path)])
    file.path.write_text(text)
    async with look(tmp_path, settings=Settings("plog", session=file)) as pilot:
        assert frame(pilot).places == Places()


async def test_pages_that_were_edited_by_hand_do_not_keep_the_log_shut(tmp_path: Path) -> None:
    path = log(tmp_path)
    file = SessionFile(tmp_path, [str(path)])
    pages = {"events": {"filters": [7, ["level=loud", True]], "keys": 5, "since": "x"}}
    kept = {
        "schema": "getrace/session/1",
        "at": None,
        "screen": 2,
        "marks": [],
        "markers": [None, None],
        "pages": pages,
    }
    file.path.write_text(json.dumps(kept))
    async with look(tmp_path, settings=Settings("plog", session=file)) as pilot:
        assert pilot.app.screen.query_one(EventTable).shown.lines == 40


async def test_what_cannot_be_kept_is_said(tmp_path: Path) -> None:
    path = log(tmp_path)
    (tmp_path / "state").write_text("no folder")
    settings = Settings("plog", session=SessionFile(tmp_path / "state", [str(path)]))
    async with look(tmp_path, settings=settings) as pilot:
        await press(pilot, "2", "m")
        assert "cannot keep" in screen_text(pilot.app)


def test_sessions_lie_where_the_environment_says(tmp_path: Path) -> None:
    file = session_file({"XDG_STATE_HOME": str(tmp_path)}, ["a.log"])
    assert file is not None
    assert file.path.parent == tmp_path / "getrace" / "sessions"
    again = session_file({"XDG_STATE_HOME": str(tmp_path)}, [str(Path("a.log").absolute())])
    assert again is not None
    assert again.path == file.path
    part = session_file({"XDG_STATE_HOME": str(tmp_path)}, ["a.log"], part="op add")
    assert part is not None
    assert part.path != file.path
    assert session_file({"GETRACE_SESSIONS": "off"}, ["a.log"]) is None
    home = session_file({"XDG_STATE_HOME": "relative"}, ["a.log"])
    assert home is not None
    assert home.path.parent == Path.home() / ".local" / "state" / "getrace" / "sessions"


async def test_a_filter_of_another_day_waits_for_its_screen(tmp_path: Path) -> None:
    log(tmp_path)
    async with look(tmp_path) as pilot:
        await press(pilot, "2", "f")
        await typed(pilot, "level>=warn")
        await press(pilot, "enter", "1")
    async with look(tmp_path) as pilot:
        assert frame(pilot).number == 1
        await press(pilot, "2")
        assert pilot.app.screen.query_one(EventTable).shown.lines == 4
