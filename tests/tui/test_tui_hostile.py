"""Hostile text on every screen: shown as text, never obeyed, never so long or so wide that a line breaks.

A log is evidence and may be an attack: whatever stands in a line, a name, a path or a graph comes to a terminal as
visible characters. Each kind of text goes everywhere a log can put one, and every screen is drawn over it.
"""

import unicodedata

import pytest
from view_graphs import MAIN, execute
from view_screens import LARGE, SMALL, frame, opened, press
from view_story import Story, main

from getrace.events import Level
from getrace.events.device import KernelFault
from getrace.events.markers import KernelEnd, ModelEnd
from getrace.events.streams import EventSent
from getrace.printable import cell_width
from getrace.store.live import LiveStore
from views.tui.plain import screen_text
from views.tui.settings import Settings

KINDS = {
    "escapes": "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m",
    "bidi": "right \u202eto left\u202c \u2066x\u2069 \u061c\u200f",
    "zero width": "zero\u200bwidth\u200d\u2060\ufeff joined",
    "combining": "e" + "\u0301\u0302\u0323" * 40,
    "wide": "算子 GatherV2 执行失败 👍🏽 🇩🇪 ✗" * 4,
    "markup": "[bold red]no[/] [link=x]markup[/link] [@click=app.quit]quit[/]",
    "controls": "tab\there\rreturn\x00nul\x08back\x7fdel\u2028line",
    "surrogate": "lone \udcff byte",
    "a megabyte": "x" * 1_000_000,
}
"""Each kind of text that could do harm, by what it would do."""

REFUSED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of characters that must never come to a terminal; marks without width are refused beside them."""


def hostile_store(*texts: str) -> LiveStore:
    """Give a log with some texts in every place where a log can put one."""
    story = Story()
    main(story)
    names = [f"Launch{text}_node{text[:200]}_7" for text in texts]
    for text, name in zip(texts, names, strict=True):
        story.line(text, Level.ERROR)
        story.say(KernelEnd(), name)
        story.say(EventSent(event_id=7, handle=0xE7, stream=0), name)
        story.say(KernelFault("aicore", 0, 6, 6, 18, 0, text, text), name, level=Level.ERROR)
    story.say(ModelEnd())
    story.store.poll()
    source = story.store.sources[0]
    source.path = source.broken = texts[-1]
    source.warnings += texts
    story.store.graphs.append(execute(texts[-1][:500], [*MAIN, *names]))
    return story.store


def check(text: str, size: tuple[int, int]) -> None:
    """Nothing but visible characters, each line as wide as the screen at most, all lines there."""
    lines = text.rstrip("\n").split("\n")
    assert len(lines) <= size[1]
    for line in lines:
        bad = {char for char in line if unicodedata.category(char) in REFUSED or unicodedata.combining(char)}
        assert not bad, (sorted(map(hex, map(ord, bad))), line)
        assert cell_width(line) <= size[0]


PLACES = {
    1: "G k",
    2: "r j tab v v v r tab",
    3: "e f w j",
    4: "tab tab tab tab j l",
    5: "tab j tab j tab j tab tab",
    6: "tab j enter j tab G tab h v",
    7: "G",
    8: "d tab j less_than_sign",
}
"""Keys that bring every pane of a screen up, by the screen's number."""


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_every_screen_shows_every_kind_of_text(size: tuple[int, int]) -> None:
    text = " ".join(KINDS.values())
    settings = Settings(text, verdict=text, other=hostile_store(text), other_title=text)
    async with opened(hostile_store(*KINDS.values()), size, settings, screen=1) as pilot:
        for number, keys in PLACES.items():
            await pilot.press(str(number))
            for key in keys.split():
                await press(pilot, key)
                check(screen_text(pilot.app), size)
            assert frame(pilot).number == number
        for keys in ("colon L a u n", "escape question_mark", "escape slash L a u enter", "2 f L a u enter m A y"):
            await press(pilot, *keys.split())
            check(screen_text(pilot.app), size)
        assert pilot.app.is_running


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("escapes", "\\e]0;owned\\x07\\e[2J\\e[31mred\\x9b31m"),
        ("bidi", "right \\u202eto left\\u202c \\u2066x\\u2069"),
        ("zero width", "zero\\u200bwidth\\u200d\\u2060\\ufeff joined"),
        ("markup", "[bold red]no[/] [link=x]markup[/link]"),
        ("controls", "tab\\there\\rreturn\\x00nul\\x08back\\x7fdel\\u2028line"),
        ("surrogate", "lone \\udcff byte"),
    ],
)
async def test_what_could_do_harm_can_be_read(kind: str, shown: str) -> None:
    async with opened(hostile_store(KINDS[kind]), LARGE, screen=2) as pilot:
        await press(pilot, "e")
        assert shown in screen_text(pilot.app)
