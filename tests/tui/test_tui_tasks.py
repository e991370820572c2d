"""Tasks of somebody with a broken run, and how many keys they take; each letter of a typed text is a key.

The ninth task, a job that fails when the peak grew, needs no screen: it is a verb with an exit code.
"""

from pathlib import Path

import numpy as np
import pytest
from textual.keys import _character_to_key
from textual.pilot import Pilot
from view_screens import LARGE, SMALL, frame, opened, press, settle
from view_story import Story, main, run_story

from getrace.events.memory import MemAlloc
from getrace.events.streams import EventSent
from getrace.replay import open_store
from views.tui.plain import screen_text
from views.tui.settings import Settings

FEW, SOME = 4, 10


class Hand:
    """Presses keys and counts them."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot
        self.count = 0

    async def press(self, *keys: str) -> None:
        """Press named keys."""
        self.count += len(keys)
        await press(self.pilot, *keys)

    async def type(self, text: str) -> None:
        """Type a text."""
        self.count += len(text)
        await self.pilot.press(*map(_character_to_key, text))
        await settle(self.pilot)

    @property
    def shown(self) -> str:
        """What is on the screen."""
        return screen_text(self.pilot.app)


@pytest.mark.real
async def test_t1_open_a_log_and_see_the_first_error(case_01: Path) -> None:
    store = open_store([str(case_01)])
    async with opened(store, SMALL, screen=0) as pilot:
        hand = Hand(pilot)
        assert "error       line 8363" in hand.shown
        await hand.press("e")
        assert store.column("line")[frame(pilot).cursor] == 8363
        assert hand.count <= FEW


@pytest.mark.real
async def test_t2_find_the_kernel_that_failed_and_why(case_01: Path) -> None:
    async with opened(open_store([str(case_01)]), SMALL, screen=0) as pilot:
        hand = Hand(pilot)
        for words in ("LaunchKernelWithFlag_GatherV2_308", "line 8332", "aicore exception", "task joined"):
            assert words in hand.shown
        assert hand.count <= FEW


@pytest.mark.real
async def test_t3_who_owned_an_address_and_on_which_stream(case_01: Path) -> None:
    store = open_store([str(case_01)])
    async with opened(store, LARGE, Settings("case 01", at=8289), screen=4) as pilot:
        hand = Hand(pilot)
        await hand.press("4")
        assert hand.count <= FEW
        assert "0x124080044000" in hand.shown


@pytest.mark.real
async def test_t4_peak_memory_and_the_blocks_alive_then(case_01: Path) -> None:
    async with opened(open_store([str(case_01)]), LARGE, screen=0) as pilot:
        hand = Hand(pilot)
        assert "peak        256 KiB at 07:42:40.488.900, 4 blocks" in hand.shown
        for addr in ("0x124080024000", "0x124080034000", "0x124080044000", "0x124080054000"):
            assert addr in hand.shown
        assert hand.count <= FEW


async def test_t5_events_that_were_sent_and_never_waited_for() -> None:
    story = Story()
    main(story)
    story.say(EventSent(event_id=7, handle=0xE7, stream=0), "SendEvents_lost_99")
    story.store.poll()
    async with opened(story.store, LARGE, screen=0) as pilot:
        hand = Hand(pilot)
        await hand.press("5")
        assert "Left over: 1" in hand.shown
        assert "send        7      0       18" in hand.shown
        assert hand.count <= FEW


async def test_t6_which_operator_changed_the_size_of_its_output_between_two_steps() -> None:
    story = Story()
    main(story)
    main(story)
    story.say(
        MemAlloc(block=0xB9, addr=0x12C041230000, size=1 << 20, stream=1, asked=600, index=0), "AllocMemHbm_relu1_66"
    )
    story.store.poll()
    async with opened(story.store, LARGE, screen=2) as pilot:
        hand = Hand(pilot)
        await hand.press("f")
        await hand.type("size>512K")
        assert hand.count <= SOME
        assert "AllocMemHbm relu1" in hand.shown


@pytest.mark.real
async def test_t7_the_graph_around_an_operator(case_01: Path) -> None:
    graph = case_01.parent / "04-ge_onnx_00000001_graph_11_Build.pbtxt"
    store = open_store([str(case_01), str(graph)])
    launch = int(np.flatnonzero(store.column("line") == 8332)[0])
    async with opened(store, LARGE, Settings("case 01", at=launch), screen=2) as pilot:
        hand = Hand(pilot)
        await hand.press("6")
        assert "GatherV2" in hand.shown
        assert hand.count <= SOME


async def test_t8_two_runs_differ_and_where_first() -> None:
    left, right = run_story(), Story()
    main(right)
    right.store.poll()
    settings = Settings("one", other=right.store, other_title="two")
    async with opened(left, LARGE, settings, screen=2) as pilot:
        hand = Hand(pilot)
        await hand.press("8")
        assert "two" in hand.shown
        assert hand.count <= SOME


async def test_t10_stop_a_live_run_when_a_kernel_takes_more_than_a_megabyte() -> None:
    story = Story()
    async with opened(story.store, LARGE, Settings("live", live=True)) as pilot:
        hand = Hand(pilot)
        await hand.press("f")
        await hand.type("size>1M")
        await hand.press("enter", "b")
        assert hand.count <= SOME
        main(story)
        frame(pilot).feed.tick()
        await settle(pilot)
        assert frame(pilot).following
        story.say(MemAlloc(block=1, addr=0x12C041300000, size=2 << 20, stream=0, asked=9, index=0), "AllocMemHbm_big_1")
        main(story)
        frame(pilot).feed.tick()
        await settle(pilot)
        assert not frame(pilot).following
        assert story.store.kernel(frame(pilot).cursor) == "AllocMemHbm_big_1"
