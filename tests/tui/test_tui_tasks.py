"""Tasks of somebody with a broken run, and how many keys they take; each letter of a typed text is a key.

The seventh as a file, and the ninth, a job that fails when the peak grew, are verbs; here a person sees the same. The
eleventh, to go on with yesterday's look, takes no key (``test_tui_sessions``).
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from textual.keys import _character_to_key
from textual.pilot import Pilot
from view_screens import LARGE, SMALL, frame, opened, press, settle
from view_story import KIB, Story, main, run_story

from getrace.events.markers import ModelEnd
from getrace.events.memory import MemAlloc
from getrace.events.streams import EventSent
from getrace.replay import open_store
from getrace.store.live import LiveStore
from views.tui.plain import screen_text
from views.tui.settings import Settings
from views.tui.widgets.list_pane import ListPane

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


def _title(pilot: Pilot[None], pane: str) -> str:
    return str(frame(pilot).page.query_one(f"#{pane}", ListPane).border_title)


@pytest.mark.real
async def test_t3_who_owned_an_address_of_the_failed_launch(case_01: Path) -> None:
    store = open_store([str(case_01)])
    async with opened(
        store, LARGE, Settings("case 01", at=int(np.flatnonzero(store.column("line") == 8332)[0]))
    ) as pilot:
        hand = Hand(pilot)
        # The record that gives the launch its addresses; the first is the output of Unique.
        await hand.press("j", "j", "j", "4")
        assert store.column("line")[frame(pilot).cursor] == 8335
        assert hand.count <= FEW
        # GE's lines of 2023 name no stream with a block: it is not said, and not called 0.
        assert _title(pilot, "story") == "Address 0x124080044000: alive, generation 1"
        alive = frame(pilot).page.query_one("#alive", ListPane)
        address, _, asked, stream, _, line, owner = (span.text for span in alive.listing.cells(alive.chosen))
        assert (address, asked, stream, line, owner) == (
            "0x124080044000",
            "288 B",
            "?",
            "8263",
            "Unique AllocMemHbm 150",
        )


async def test_t3_who_owned_an_address_at_a_time_and_on_which_stream() -> None:
    async with opened(run_story(), LARGE, Settings("demo", at=15), screen=2) as pilot:
        hand = Hand(pilot)
        await hand.press("4")
        assert _title(pilot, "story") == "Address 0x12c041210000: alive, stream 1, generation…"
        alive = frame(pilot).page.query_one("#alive", ListPane)
        assert alive.listing.cells(alive.chosen)[-1].text == "relu1 AllocMemHbm 66"
        assert hand.count <= FEW


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


def _steps(sizes: Sequence[int]) -> LiveStore:
    """Give a log of one step for each size of the block that Relu's output takes."""
    story = Story()
    for size in sizes:
        main(story)
        story.say(MemAlloc(block=9, addr=0x12C041230000, size=size, stream=1, asked=9, index=0), "AllocMemHbm_relu1_66")
        story.say(ModelEnd())
    story.store.poll()
    return story.store


async def test_t6_which_operator_changed_the_size_of_its_output_between_two_steps() -> None:
    async with opened(_steps([64 * KIB] * 3 + [1 << 20] * 3), LARGE, screen=2) as pilot:
        hand = Hand(pilot)
        # The last two steps stand beside each other at first: 5 and 6. Steps 3 and 4 are two turns away at each side.
        await hand.press("8", "less_than_sign", "less_than_sign", "comma", "comma")
        assert hand.count <= SOME
        glance = [line for line in hand.shown.splitlines() if "left  " in line or "right " in line]
        assert ["Main #3" in glance[0], "Main #4" in glance[1]] == [True, True]
        operators = frame(pilot).page.query_one("#operators", ListPane)
        assert operators.listing.count == 1
        assert [span.text for span in operators.listing.cells(0)][:3] == ["relu1", "5", "192 KiB -> 1.1 MiB"]


@pytest.mark.real
async def test_t7_the_graph_around_an_operator(case_01: Path) -> None:
    graph = case_01.parent / "04-ge_onnx_00000001_graph_11_Build.pbtxt"
    store = open_store([str(case_01), str(graph)])
    launch = int(np.flatnonzero(store.column("line") == 8332)[0])
    async with opened(store, LARGE, Settings("case 01", at=launch), screen=2) as pilot:
        hand = Hand(pilot)
        await hand.press("6")
        assert ">GatherV2<" in hand.shown
        assert "[Unique]" in hand.shown
        assert hand.count <= SOME


async def test_t8_two_runs_differ_and_where_first() -> None:
    settings = Settings("one", other=_steps([64 * KIB]), other_title="two")
    async with opened(_steps([1 << 20]), LARGE, settings, screen=2) as pilot:
        hand = Hand(pilot)
        await hand.press("8")
        first = next(line for line in hand.shown.splitlines() if "first difference: " in line)
        assert "relu1 AllocMemHbm at line 18 and 18: bytes 1 MiB -> 64 KiB" in first
        await hand.press("enter")
        assert frame(pilot).cursor == 17
        assert hand.count <= SOME


async def test_t9_a_peak_that_grew_is_seen_beside_the_one_of_before() -> None:
    settings = Settings("today", other=_steps([64 * KIB]), other_title="yesterday")
    async with opened(_steps([512 * KIB]), LARGE, settings, screen=2) as pilot:
        hand = Hand(pilot)
        await hand.press("8")
        sides = [line for line in hand.shown.splitlines() if "left  " in line or "right " in line]
        assert ["today" in sides[0], "yesterday" in sides[1]] == [True, True]
        assert ["peak 512 KiB" in sides[0], "peak 192 KiB" in sides[1]] == [True, True]
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
