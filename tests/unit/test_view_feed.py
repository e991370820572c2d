"""How often a screen hears of a store that grows."""

from textual.message import Message
from view_story import Story

from views.tui.feed import Feed
from views.tui.messages import Ended, Grew, OverviewStale


def test_growth_is_told_once_and_the_overview_is_asked_for_seldom() -> None:
    story, said = Story(), list[Message]()
    feed = Feed(story.store, said.append)
    for _ in range(32):
        story.line("more")
        story.line("and more")
        feed.tick()
    feed.tick()
    assert [message.number for message in said if isinstance(message, Grew)] == list(range(2, 66, 2))
    assert [message.number for message in said if isinstance(message, OverviewStale)] == [4, 34, 64]


def test_the_end_is_told_once_and_after_all_rows() -> None:
    story, said, verdicts = Story(), list[Message](), [None, "OK", "asked too often"]
    feed = Feed(story.store, said.append, lambda: verdicts.pop(0))
    for _ in range(3):
        story.line("more")
        feed.tick()
    assert [type(message) for message in said] == [Grew, Grew, Ended, OverviewStale, Grew]
    assert feed.verdict == "OK"


def test_a_later_message_of_a_kind_replaces_one_that_waits() -> None:
    assert Grew(2).can_replace(Grew(1))
    assert not Grew(2).can_replace(OverviewStale(1))
