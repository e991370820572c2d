"""A large log is on the screen while it is read: the status line says how far, and never calls it live."""

from pathlib import Path

import pytest
from view_screens import frame, opened, press

from getrace.cli.growing import WhenRead
from getrace.replay import follow_store
from views.model.pace import Pace
from views.tui.plain import screen_text
from views.tui.settings import Settings

MIB = 1 << 20


@pytest.mark.parametrize(
    ("looks", "words"),
    [
        ([(100 * MIB, 0.0)], "READING 0%"),
        ([(100 * MIB, 0.0), (99 * MIB, 0.1)], "READING 1%"),
        ([(100 * MIB, 0.0), (80 * MIB, 1.0)], "READING 20%  4 s left  20 MiB/s"),
        ([(100 * MIB, 0.0), (99 * MIB, 4.0)], "READING 1%  7 min left  256 KiB/s"),
        ([(100 * MIB, 0.0), (80 * MIB, 1.0), (80 * MIB, 9.0)], "READING 20%  36 s left  2.2 MiB/s"),
        ([(100 * MIB, 0.0), (120 * MIB, 1.0)], "READING 0%"),
        ([(100 * MIB, 0.0), (0, 2.0)], "READ, looks for the first failure"),
        ([(0, 0.0)], "READ, looks for the first failure"),
    ],
)
def test_the_pace_is_that_of_the_last_seconds(looks: list[tuple[int, float]], words: str) -> None:
    pace = Pace(100 * MIB)
    assert [pace.words(behind, now) for behind, now in looks][-1] == words


def _status(text: str) -> str:
    return text.rstrip("\n").splitlines()[-1]


async def test_a_log_that_is_read_says_how_far_and_nothing_of_a_live_run(tmp_path: Path) -> None:
    path = tmp_path / "plog-1_1.log"
    line = "[INFO] GE(1,p):2026-03-05-10:11:12.000.{:03} [a.cc:1]5 F:[KernelTrace][Const_{}]\n"
    path.write_text("".join(line.format(n, n) for n in range(30)))
    store = follow_store([str(path)], grow=False)
    read = WhenRead(store)
    waits = [True]
    settings = Settings(
        "plog",
        live=True,
        at=0,
        behind=lambda: max(store.behind, 1) if waits else store.behind,
        ended=lambda: None if waits else read.verdict(),
    )
    async with opened(store, settings=settings, screen=0) as pilot:
        assert frame(pilot).number == 2
        status = _status(screen_text(pilot.app))
        assert "READING 99%" in status
        assert not {"LIVE", "PAUSED", "dropped"} & set(status.split())
        await press(pilot, "G")
        assert (frame(pilot).cursor, frame(pilot).following) == (29, False)
        waits.clear()
        while frame(pilot).feed.verdict is None:
            await pilot.pause(0.02)
        await pilot.pause()
        assert "READ" not in _status(screen_text(pilot.app))
        assert "all 30 records are read" in screen_text(pilot.app)
