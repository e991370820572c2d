"""What screens look like, at the smallest usual size and at a comfortable one."""

import pytest
from tui_pictures import SamePicture
from view_screens import LARGE, SMALL, opened, press
from view_story import Story, main, run_story, spell

from getrace.events import Level
from getrace.events.device import KernelFault
from getrace.events.markers import KernelEnd
from getrace.store.live import LiveStore
from views.tui.plain import screen_text
from views.tui.settings import Settings

Compare = SamePicture

VERDICT = "FAILED: aicore fault in 2_0_11_Relu on rt stream 6, task 18"


def _name(name: str, size: tuple[int, int]) -> str:
    return f"{name}-{size[0]}x{size[1]}"


@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("start", ""),
        ("error", "e"),
        ("outline", "6 j enter j"),
        ("memory", "4 j j"),
        ("streams", "5 j"),
        ("search-missed", "slash z e b r a"),
        ("help", "question_mark"),
    ],
)
async def test_the_story(name: str, keys: str, size: tuple[int, int], same_picture: Compare) -> None:
    async with opened(run_story(), size, Settings("demo.log", verdict=VERDICT)) as pilot:
        await press(pilot, *keys.split())
        same_picture(pilot, _name(name, size))


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_nothing_to_show_is_said_in_every_pane(size: tuple[int, int], same_picture: Compare) -> None:
    async with opened(LiveStore("empty.log", spell), size, Settings("empty.log")) as pilot:
        same_picture(pilot, _name("empty", size))


async def test_a_paused_live_run(same_picture: Compare) -> None:
    story = Story()
    main(story)
    async with opened(story.store, SMALL, Settings("demo", live=True, dropped=lambda: 12)) as pilot:
        await press(pilot, "space")
        main(story)
        await press(pilot, "k", "k")
        same_picture(pilot, "live-paused-80x24")


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_ascii_signs_only(size: tuple[int, int], same_picture: Compare) -> None:
    async with opened(run_story(), size, Settings("demo.log", ascii_only=True)) as pilot:
        await press(pilot, "e")
        assert screen_text(pilot.app).isascii()
        same_picture(pilot, _name("ascii", size))


@pytest.mark.parametrize("size", [(59, 24), (80, 14), (20, 3)])
async def test_a_screen_that_is_too_small_says_what_to_do(size: tuple[int, int]) -> None:
    async with opened(run_story(), size, Settings("demo.log", verdict=VERDICT)) as pilot:
        width, height = size
        lines = screen_text(pilot.app).rstrip("\n").split("\n")
        whole = f"{width}x{height} is too small: getrace needs 60x15. q quits."
        assert lines[0] == (whole if len(whole) <= width else whole[: width - 1] + "…")
        assert set(lines[1:]) <= {""}
        await pilot.resize_terminal(*SMALL)
        await press(pilot, "j")
        assert "2 Events" in screen_text(pilot.app)


HOSTILE: tuple[str, ...] = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred",
    "right \u202eto left\u202c to right",
    "zero\u200bwidth\u200d joined e\u0301\u0302\u0303",
    "算子 GatherV2 执行失败 ✗ 👍🏽 🇩🇪",
    "[bold red]no markup[/bold red] [/]",
    "tab\there\rreturn",
    "x" * 1_000_000,
)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_hostile_text_is_shown_and_not_obeyed(size: tuple[int, int], same_picture: Compare) -> None:
    story = Story()
    for text in HOSTILE:
        story.line(text)
    story.store.poll()
    async with opened(story.store, size, Settings("\x1b[2Jtitle\u202e", verdict="\x9b31mverdict")) as pilot:
        await press(pilot, "tab")
        same_picture(pilot, _name("hostile", size))
        for _ in HOSTILE:
            text = screen_text(pilot.app)
            assert all(char == "\n" or (char.isprintable() and char not in "\u200b\u200d\u202e\u0301") for char in text)
            await press(pilot, "tab", "j", "tab")


EVIL = "Evil\x1b[2J_node\u202e[bold]\u200b"


@pytest.mark.parametrize("number", range(1, 9))
async def test_no_screen_obeys_a_hostile_name(number: int) -> None:
    story = Story()
    main(story)
    for name in (f"{EVIL}_1", f"Launch_{EVIL}_2", "算子_节点_3"):
        story.say(KernelEnd(), name)
        story.say(KernelFault("aicore", 0, 6, 6, 18, 0, EVIL, EVIL), name, level=Level.ERROR)
    story.store.poll()
    story.store.sources[0].path = EVIL
    story.store.sources[0].warnings.append(EVIL)
    async with opened(story.store, LARGE, Settings(EVIL, verdict=EVIL), screen=number) as pilot:
        for keys in ("G", "e e m A", "j j enter", "colon E v i l", "escape slash E v i l enter", "2 f E v i l enter"):
            await press(pilot, *keys.split())
            text = screen_text(pilot.app)
            assert all(char == "\n" or (char.isprintable() and char not in "\u202e\u200b") for char in text)


async def test_a_store_of_hostile_names_draws_every_pane(same_picture: Compare) -> None:
    story = Story()
    main(story)
    store = story.store
    for name in ("Evil\x1b[2J_node\u202e_1", "算子_节点_2"):
        story.say(KernelEnd(), name)
    store.poll()
    async with opened(store, LARGE) as pilot:
        await press(pilot, "6", "enter", "G")
        same_picture(pilot, "hostile-names-120x40")
