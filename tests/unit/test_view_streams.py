"""The Streams screen's lists, and the way between the two ends of a pair."""

from dataclasses import replace

import pytest
from stream_story import BLOCK, OTHER, Word, streams_of
from view_story import run_story

from getrace.analysis.confidence import Confidence
from getrace.analysis.hangs.model import Hang, Recorder, StreamIds, Waiter, WaitKind, Why
from getrace.analysis.places import place
from getrace.analysis.stream_report import stream_report
from getrace.store.store import Store
from views.model.spans import plain
from views.model.stream_lists import (
    chain,
    hazard_list,
    left_list,
    order_words,
    other_use,
    pair_list,
    partner,
    stream_list,
    wait_list,
)
from views.model.table import Table

UNORDERED: tuple[Word, ...] = (
    ("give", 0, BLOCK),
    ("use", 0, (), (BLOCK,)),
    ("use", 1, (BLOCK,), (OTHER,)),
    ("send", 3, 0),
)


def texts(table: Table, width: int = 120) -> list[str]:
    return [" ".join(plain(table.line(at, width)).split()) for at in range(max(table.count, 1))]


def test_streams_are_listed_with_all_their_numbers() -> None:
    store = run_story()
    assert texts(stream_list(store, stream_report(store))) == [
        "0 5 0xaa00 4711 2 2 0 360 us, 12 to 30",
        "1 6 0xaa08 4711 2 0 2 360 us, 17 to 35",
    ]


def test_pairs_are_listed_with_both_ends() -> None:
    store = run_story()
    table = pair_list(store, stream_report(store))
    assert texts(table) == [
        "0 0 1 14 15 20 us add1 SendEvents 64 relu1 WaitEvents 65",
        "0 0 1 32 33 20 us add1 SendEvents 64 relu1 WaitEvents 65",
    ]
    assert table.rows.tolist() == [14, 32]


@pytest.mark.parametrize(("row", "other"), [(13, 14), (14, 13), (31, 32), (12, -1)])
def test_one_end_of_a_pair_leads_to_the_other(row: int, other: int) -> None:
    assert partner(stream_report(run_story()), row) == other


def test_what_is_left_over_says_why() -> None:
    store = streams_of(*UNORDERED)
    assert texts(left_list(store, stream_report(store))) == ["send 3 0 13 no stream waits for it a SendEvents 3"]


def test_a_hazard_leads_from_use_to_use() -> None:
    store = streams_of(*UNORDERED)
    report = stream_report(store)
    assert texts(hazard_list(store, report), 200) == [
        (
            "missing wait 0 to 1 0x12c041200000 5 9 an event sent on stream 0 after the first use, "
            "and a wait at stream 1 before the second"
        )
    ]
    assert [other_use(report, row, 0) for row in (8, 4)] == [4, 8]


@pytest.mark.parametrize(
    ("store", "words"),
    [
        (run_story(), "in order: 4 launches were checked"),
        (streams_of(streams=1), "nothing to order: there is one stream, or no launch shows its addresses"),
        (streams_of(*UNORDERED, streams=0), "not checked: no line ties the logical streams to those of the launches"),
    ],
)
def test_what_was_checked_is_said(store: Store, words: str) -> None:
    report = stream_report(store)
    assert order_words(report) == words
    assert texts(hazard_list(store, report)) == [words]


def waiting(store: Store) -> list[Hang]:
    """A host that waits for stream 0, which waits for stream 1, which failed to come."""
    first, second = (
        Hang(
            Waiter.STREAM,
            4711,
            StreamIds(logical=n, rt=5 + n),
            WaitKind.EVENT,
            why,
            Confidence.LOW,
            (),
            number=n,
            on=on,
        )
        for n, why, on in ((0, Why.STREAM_BLOCKED, 1), (1, Why.SIGNAL_LOST, None))
    )
    sender = Recorder(StreamIds(logical=0, rt=5), "SendEvents_add1_64", 3)
    second = replace(second, root=True, recorder=sender, at=place(store, 14))
    host = Hang(
        Waiter.HOST,
        4711,
        first.stream,
        WaitKind.SYNCHRONISE,
        Why.STREAM_BLOCKED,
        Confidence.LOW,
        (place(store, 41),),
        on=0,
    )
    return [first, second, host]


def test_waits_follow_each_other_down_to_the_root() -> None:
    store = run_story()
    host_last = waiting(store)
    assert [hang.waiter for hang in chain(host_last)] == [Waiter.HOST, Waiter.STREAM, Waiter.STREAM]
    table = wait_list(store, host_last)
    assert texts(table, 200) == [
        "host the end of rt stream … its stream is blocked itself 42",
        "rt stream 5 (logical stream 0) event 0 its stream is blocked itself -",
        (
            "rt stream 6 (logical stream 1) <- root event 1 add1 SendEvents 64 on rt stream 5 (logical stream 0) "
            "it ran, and its signal did not arrive 15"
        ),
    ]
    assert table.rows.tolist() == [41, -1, 14]


def test_streams_that_wait_for_each_other_are_all_listed() -> None:
    first, second, _ = waiting(run_story())
    assert len(chain([replace(first, on=1), replace(second, on=0)])) == 2
