"""Filters of the event table, and the lines that a table makes of what passes."""

import numpy as np
import pytest
from view_story import Story, run_story

from getrace.errors import UsageError
from getrace.events import Level
from views.model.deltas import Since, before_of_operator
from views.model.filter_line import filter_line
from views.model.filters import Filter, parse_filter, passing
from views.model.listing import Listing, fold_starts, listing_of, with_context
from views.model.spans import plain


def _passing(*texts: str) -> list[int]:
    store = run_story()
    parts = list(passing(store, [parse_filter(text) for text in texts], 0, store.rows))
    return np.concatenate(parts).tolist() if parts else []


@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        (("level>=warning",), [22, 40, 41, 42]),
        (("level=error",), [41, 42]),
        (("level<warn",), [*range(22), *range(23, 40)]),
        (("-level<warn",), [22, 40, 41, 42]),
        (("size>64K",), [15, 33]),
        (("size>=64K", "stream=0"), [10, 28]),
        (("addr=0x12c041210000",), [15, 20, 21, 33, 38, 39]),
        (("op=^add1$", "kind=shapes"), [7, 8, 25, 26]),
        (("kernel~^Launch", "rt=6"), [17, 35]),
        (("kernel!=.",), [0, 1, 5, 6, 22, 23, 24, 40, 41, 42]),
        (("module=runtime",), [41]),
        (("success|failed",), [0, 42]),
        (("failed", "Execute"), [42]),
        (("-kernel", "-stream", "level>=warning"), [42]),
        (("nothing like this",), []),
        ((), list(range(43))),
    ],
)
def test_rows_pass_all_filters_that_are_on(filters: tuple[str, ...], rows: list[int]) -> None:
    assert _passing(*filters) == rows


def test_a_filter_that_is_off_lets_everything_pass() -> None:
    store = run_story()
    off = parse_filter("size>64K")._replace(on=False)
    assert np.concatenate(list(passing(store, [off], 0, store.rows))).tolist() == list(range(43))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "an empty filter"),
        ("-", "an empty filter"),
        ("level=loud", "no such level: loud"),
        ("size=many", "no number: many"),
        ("addr=0xzz", "no hex number: 0xzz"),
        ("stream~1", "stream is a number"),
        ("kernel>a", "kernel has no order: >"),
        ("([", "not a pattern"),
        ("kernel=([", "not a pattern"),
    ],
)
def test_what_is_no_filter_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_filter(text)
    assert caught.value.message.startswith(sentence)


def test_text_with_a_sign_but_no_field_is_an_expression_on_lines() -> None:
    assert parse_filter("ret=507015").lines
    assert not parse_filter("task=17").lines


def test_context_stands_around_hits_and_stays_inside() -> None:
    assert with_context(np.array([0, 5, 6], np.uint32), 8, 1).tolist() == [0, 1, 4, 5, 6, 7]


def test_a_listing_finds_the_row_of_a_line_and_the_line_of_a_row() -> None:
    listing = listing_of(run_story(), 43, np.array([10, 28, 41], np.uint32), 1)
    assert [listing.row(line) for line in range(listing.lines)] == [9, 10, 11, 27, 28, 29, 40, 41, 42]
    assert [listing.line(row) for row in (0, 9, 10, 20, 42)] == [0, 0, 1, 2, 8]
    assert [listing.is_hit(row) for row in (9, 10, 41, 42)] == [False, True, True, False]
    assert (listing.matched, listing.lines) == (3, 9)


def test_all_rows_need_no_numbers() -> None:
    assert (Listing(7).row(3), Listing(7).line(3), Listing(7).lines, Listing(0).lines) == (3, 3, 7, 0)


def test_repeats_are_one_line_with_their_count() -> None:
    story = Story()
    for text in ("a", "b", "b", "b", "c"):
        story.line(text)
    story.line("c", Level.WARNING)
    store = story.store
    store.poll()
    listing = listing_of(store, store.rows, None, fold=True)
    told = [(listing.row(line), listing.times(line)) for line in range(listing.lines)]
    assert told == [(0, 1), (1, 3), (4, 1), (5, 1)]
    assert [listing.line(row) for row in range(6)] == [0, 1, 1, 1, 2, 3]


def test_records_of_one_kernel_type_fold_whatever_their_numbers() -> None:
    starts = fold_starts(run_story(), 43, np.array([7, 8, 20, 38, 41], np.uint32))
    assert starts is not None
    assert starts.tolist() == [0, 1, 2, 4]


def test_the_last_record_of_an_operator_is_known_for_each_row() -> None:
    before = before_of_operator(run_story(), 43).tolist()
    assert [before[row] for row in (6, 7, 8, 25, 14)] == [-1, -1, 7, 19, -1]
    assert Since.LINE.following.following.following is Since.LINE


@pytest.mark.parametrize(
    ("width", "cursor", "text"),
    [
        (80, 1, " filters 1 level>=warn  2 (-HCCL)  2 of 9 rows, context 1"),
        (40, 3, " filters 1 level… 2 of 9 rows, context 1"),
        (90, 5, " filters 1 level>=warn  2 (-HCCL)  2 of 9 rows, context 1, not this record"),
    ],
)
def test_the_line_of_filters(width: int, cursor: int, text: str) -> None:
    filters: list[Filter] = [parse_filter("level>=warn"), parse_filter("-HCCL")._replace(on=False)]
    listing = Listing(9, np.array([1, 2, 3], np.uint32), np.array([1, 2], np.uint32))
    assert plain(filter_line(filters, listing, 9, 1, fold=False, width=width, cursor=cursor)) == text


def test_no_filter_needs_no_line() -> None:
    assert plain(filter_line([], None, 9, 0, fold=False, width=80)) == ""
