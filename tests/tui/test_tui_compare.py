"""The Compare screen: messages, then state, then picture."""

import pytest
from textual.message import Message
from tui_pictures import SamePicture
from view_screens import LARGE, SMALL, frame, opened, press
from view_story import Story, main, run_story

from getrace.events.markers import ModelEnd
from getrace.store.live import LiveStore
from views.tui.messages import Moved
from views.tui.plain import screen_text
from views.tui.settings import Settings
from views.tui.widgets.list_pane import ListPane


def longer() -> LiveStore:
    """The story's Main, once whole and once broken off before its last kernels."""
    story = Story()
    main(story)
    story.say(ModelEnd())
    story.store.poll()
    return story.store


async def test_enter_goes_to_the_kernel_of_one_run_and_then_of_the_other() -> None:
    heard: list[Message] = []
    async with opened(run_story(), LARGE, screen=8, hook=heard.append) as pilot:
        await press(pilot, "d", "j", "enter", "enter")
    assert list(dict.fromkeys(m.number for m in heard if isinstance(m, Moved))) == [9, 27]


@pytest.mark.parametrize(
    ("keys", "glance"),
    [
        ("", ("left  Main #1", "right Main #2")),
        (",", ("left  Main #1", "right Main #1")),
        (", ,", ("left  Main #1", "right Init")),
        (".", ("left  Main #1", "right Init")),
        (">", ("left  Main #2", "right Main #2")),
        ("<", ("left  Init", "right Main #2")),
    ],
)
async def test_each_side_is_turned(keys: str, glance: tuple[str, str]) -> None:
    names = {",": "comma", ".": "full_stop", ">": "greater_than_sign", "<": "less_than_sign"}
    async with opened(run_story(), screen=8) as pilot:
        await press(pilot, *(names[key] for key in keys.split()))
        lines = screen_text(pilot.app).splitlines()
        assert [line for line in lines if line.startswith(("left ", "right "))] == [
            line for line in lines if line.startswith(glance)
        ]
        assert sum(line.startswith(glance) for line in lines) == 2


async def test_all_kernels_or_those_that_differ() -> None:
    async with opened(run_story(), screen=8) as pilot:
        kernels = frame(pilot).page.query_one("#kernels", ListPane)
        assert (kernels.listing.count, kernels.border_title) == (0, "Kernels: what differs, 0  d changes")
        await press(pilot, "d")
        assert (kernels.listing.count, kernels.border_title) == (10, "Kernels: all, 10  d changes")


async def test_a_kernel_of_the_other_log_only_is_said_to_be_there() -> None:
    settings = Settings("short.log", other=run_story(), other_title="demo.log")
    story = Story()
    story.store.poll()
    async with opened(longer(), LARGE, settings, screen=8) as pilot:
        await press(pilot, "full_stop", "enter")
        assert "demo.log" in screen_text(pilot.app)
    assert story.store.rows == 0


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_two_logs_side_by_side(size: tuple[int, int], same_picture: SamePicture) -> None:
    settings = Settings("demo.log", other=longer(), other_title="other.log")
    async with opened(run_story(), size, settings, screen=8) as pilot:
        await press(pilot, "less_than_sign")
        same_picture(pilot, f"compare-{size[0]}x{size[1]}")


async def test_a_log_of_one_run_says_what_is_missing() -> None:
    async with opened(longer(), screen=8) as pilot:
        assert "nothing to compare" in screen_text(pilot.app)
