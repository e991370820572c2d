"""Finding errors and lines."""

import pytest
from view_story import run_story

from getrace.errors import UsageError
from getrace.events import EVENTS, FAMILIES, Level
from views.model.find import compile_pattern, count_errors, next_error, search
from views.model.steps import Step, moved, scrolled
from views.model.style import LEVELS, ROLES, colours, family_of


def test_the_next_and_the_previous_error() -> None:
    store = run_story()
    assert [next_error(store, row, 1) for row in (0, 41, 42)] == [41, 42, -1]
    assert [next_error(store, row, -1) for row in (42, 41, 0)] == [41, -1, -1]
    assert count_errors(store) == 2


@pytest.mark.parametrize(
    ("pattern", "start", "direction", "row", "wrapped"),
    [
        ("Execute model failed", 0, 1, 42, False),
        ("load model|no such", 1, 1, 0, True),
        ("failed", 42, 1, 42, False),
        ("Load", 42, -1, 0, False),
        ("low", 0, -1, 40, True),
        ("no such text", 5, 1, -1, True),
    ],
)
def test_a_pattern_is_found_around_the_log(pattern: str, start: int, direction: int, row: int, wrapped: bool) -> None:
    last = list(search(run_story(), compile_pattern(pattern), start, direction))[-1]
    assert (last.row, last.wrapped) == (row, wrapped)


def test_a_capital_letter_makes_a_pattern_exact() -> None:
    assert compile_pattern("failed").search("FAILED") is not None
    assert compile_pattern("Failed").search("FAILED") is None


def test_what_is_no_pattern_is_refused_with_a_sentence() -> None:
    with pytest.raises(UsageError, match="not a pattern"):
        compile_pattern("([")


@pytest.mark.parametrize(
    ("step", "place"),
    [(Step.UP, 4), (Step.DOWN, 6), (Step.PAGE_UP, 0), (Step.PAGE_DOWN, 14), (Step.FIRST, 0), (Step.LAST, 19)],
)
def test_a_cursor_moves_and_stays_inside(step: Step, place: int) -> None:
    assert moved(5, 20, 10, step) == place
    assert moved(0, 1, 10, step) == 0


@pytest.mark.parametrize(
    ("top", "place", "wanted"), [(10, 15, 10), (10, 9, 9), (10, 20, 11), (10, 50, 45), (10, 0, 0), (0, 0, 0)]
)
def test_a_short_way_scrolls_little_and_a_jump_lands_in_the_middle(top: int, place: int, wanted: int) -> None:
    assert scrolled(top, place, 10) == wanted


def test_each_level_family_and_role_has_its_looks() -> None:
    assert set(LEVELS) == set(Level)
    for event in EVENTS:
        assert colours(f"family:{family_of(event)}").dark.startswith("#")
    for name in (*ROLES, "level:ERROR", "lane:send"):
        assert len(colours(name).light) == 7
    with pytest.raises(KeyError):
        colours("level:LOUD")
    assert {family_of(event) for event in EVENTS} == set(FAMILIES)
