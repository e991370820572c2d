"""Pairs of send and wait, and the happens-before check over streams."""

import tracemalloc
from pathlib import Path

import pytest
from stream_story import BLOCK, OTHER, PAGE, Word, streams_of
from view_story import run_story, two_processes

from getrace.analysis.stream_clocks import Clocks
from getrace.analysis.stream_hazards import CROSSED, FREED_TWICE, REUSED, USED_AFTER_FREE, WAITED_FOR_NOTHING
from getrace.analysis.stream_ids import Queue, stream_ids
from getrace.analysis.stream_pairs import ABORTED, LOG_ENDS, NEVER_SENT, NEVER_WAITED, STALE, pairing
from getrace.analysis.stream_report import missing, queue_name, stream_report
from getrace.events.markers import ModelStart
from getrace.events.streams import EventSent
from getrace.replay import open_store
from getrace.store.store import Store

WRITE = ("use", 0, (), (BLOCK,))
READ_THERE = ("use", 1, (BLOCK,), (OTHER,))
READ_HERE = ("use", 0, (BLOCK,), (OTHER,))
WRITE_THERE = ("use", 1, (), (BLOCK,))
SEND, WAIT = ("send", 0, 0), ("wait", 0, 1)
GIVE, BACK = ("give", 0, BLOCK), ("back", 0, BLOCK)


def kinds(store: Store) -> list[str]:
    return [hazard.kind for hazard in stream_report(store).order.hazards]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ((GIVE, WRITE, SEND, WAIT, READ_THERE), []),
        ((GIVE, WRITE, READ_THERE), [CROSSED]),
        ((GIVE, WRITE, SEND, READ_THERE, WAIT), [CROSSED]),
        ((GIVE, SEND, WRITE, WAIT, READ_THERE), [CROSSED]),
        ((GIVE, WRITE, WRITE_THERE), [CROSSED]),
        ((READ_HERE, ("use", 1, (BLOCK,), ())), []),
        ((READ_HERE, WRITE_THERE), [CROSSED]),
        ((READ_HERE, SEND, WAIT, WRITE_THERE), []),
        ((GIVE, WRITE, ("sync",), READ_THERE), []),
        ((GIVE, WRITE, READ_HERE), []),
        ((GIVE, WRITE, BACK, ("give", 1, BLOCK), WRITE_THERE), [REUSED]),
        ((GIVE, WRITE, SEND, WAIT, BACK, ("give", 1, BLOCK), WRITE_THERE), []),
        ((GIVE, WRITE, BACK, ("give", 1, BLOCK), WRITE_THERE, WRITE_THERE), [REUSED]),
        ((GIVE, WRITE, BACK, GIVE, WRITE), []),
        ((GIVE, ("work", 0, (BLOCK,)), BACK, ("give", 1, BLOCK), ("work", 1, (BLOCK,))), [REUSED]),
        ((GIVE, WRITE, BACK, READ_HERE), [USED_AFTER_FREE]),
        ((GIVE, WRITE, BACK, ("shrink", BLOCK), READ_HERE), []),
        ((GIVE, WRITE, BACK, BACK), [FREED_TWICE]),
        ((GIVE, WRITE, BACK, GIVE, BACK), []),
        ((BACK, BACK), []),
        ((WAIT, READ_HERE), [WAITED_FOR_NOTHING]),
        ((SEND, WAIT, WAIT, READ_HERE), [WAITED_FOR_NOTHING]),
    ],
)
def test_a_use_needs_an_order_that_the_log_shows(words: tuple[Word, ...], wanted: list[str]) -> None:
    assert kinds(streams_of(*words)) == wanted


def test_an_order_over_a_third_stream_counts() -> None:
    chain = (("send", 0, 0), ("wait", 0, 2), ("send", 1, 2), ("wait", 1, 1))
    assert kinds(streams_of(GIVE, WRITE, *chain, READ_THERE, streams=3)) == []
    assert kinds(streams_of(GIVE, WRITE, *chain[:3], READ_THERE, streams=3)) == [CROSSED]


def test_a_block_that_covers_old_ones_inherits_their_uses() -> None:
    small = ("give", 0, BLOCK + PAGE // 2), ("use", 0, (), (BLOCK + PAGE // 2,)), ("back", 0, BLOCK + PAGE // 2)
    store = streams_of(*small, ("give", 1, BLOCK), ("use", 1, (), (BLOCK,)))
    assert kinds(store) == [REUSED]


def test_a_hazard_names_both_rows_the_memory_and_what_is_missing() -> None:
    report = stream_report(streams_of(GIVE, WRITE, READ_THERE))
    (hazard,) = report.order.hazards
    assert (hazard.first, hazard.second, hazard.addr) == (4, 8, BLOCK)
    assert missing(hazard, report.ids.queues) == (
        "an event sent on stream 0 after the first use, and a wait at stream 1 before the second"
    )
    assert (report.order.eligible, report.order.examined) == (2, 2)


def test_one_stream_has_nothing_to_order() -> None:
    report = stream_report(streams_of(GIVE, WRITE, BACK, READ_HERE, streams=1))
    assert (report.order.hazards, report.order.examined) == ((), 0)


def test_streams_that_no_line_ties_together_are_not_judged() -> None:
    report = stream_report(streams_of(GIVE, WRITE, SEND, WAIT, READ_THERE, streams=0))
    assert report.order.untold == (4711,)
    assert report.order.hazards == ()


@pytest.mark.parametrize(
    ("words", "ended", "pairs", "left"),
    [
        ((SEND, WAIT), True, [(3, 4)], []),
        ((SEND, WAIT, SEND, WAIT), True, [(3, 4), (5, 6)], []),
        ((SEND, WAIT, ("wait", 0, 2)), True, [(3, 4), (3, 5)], []),
        ((SEND, ("send", 1, 0), ("wait", 1, 1), WAIT), True, [(4, 5), (3, 6)], []),
        ((SEND,), True, [], [(3, NEVER_WAITED)]),
        ((SEND, SEND, WAIT), True, [(4, 5)], [(3, NEVER_WAITED)]),
        ((SEND,), False, [], [(3, LOG_ENDS)]),
        ((WAIT,), True, [], [(3, NEVER_SENT)]),
        ((SEND, WAIT, WAIT), True, [(3, 4)], [(5, STALE)]),
    ],
)
def test_a_wait_belongs_to_the_last_send(
    words: tuple[Word, ...], ended: bool, pairs: list[tuple[int, int]], left: list[tuple[int, str]]
) -> None:
    found = pairing(streams_of(*words, ended=ended))
    assert [(pair.send.row, pair.wait.row) for pair in found.pairs] == pairs
    assert [(one.signal.row, one.why) for one in found.unmatched] == left


def test_a_send_of_a_run_that_was_broken_off_says_so() -> None:
    store = streams_of(SEND, ended=False)
    again = streams_of(ended=False)
    for row in range(again.rows):
        entry = again.entry(row)
        if isinstance(entry.event, ModelStart | EventSent):
            origin = again._origins[row]
            store(entry.time_ns or 0, origin, entry.level, entry.kernel, entry.event)
    store.poll()
    assert [one.why for one in pairing(store).unmatched] == [ABORTED]


def test_a_tie_holds_until_the_next_one() -> None:
    ids = stream_ids(run_story())
    assert ids.queues == (Queue(4711, 0xAA00, 0, 5), Queue(4711, 0xAA08, 1, 6))


def test_streams_are_named_by_what_the_log_says() -> None:
    ids = stream_ids(two_processes())
    assert [queue_name(queue) for queue in ids.queues] == ["rt stream 2", "rt stream 2", "stream 0xbb00"]
    assert [queue.pid for queue in ids.queues] == [370, 1204, 1204]


def test_each_stream_has_its_counts_and_its_longest_gap() -> None:
    first, second = stream_report(run_story()).streams
    assert (first.launches, first.sends, first.waits) == (2, 2, 0)
    assert (second.launches, second.sends, second.waits) == (2, 0, 2)
    assert [(gap.first, gap.last, gap.ns) for gap in first.gaps] == [(11, 29, 360_000)]


CLEAN = (
    "TruthMultiStream.diamond_3streams_4steps",
    "TruthMultiStream.random40_4streams_multithread4",
    "TruthMultiStream.random60_8streams_seed42_model_alloc_output",
    "TruthMultiStream.two_models_alternate",
    "TruthMultiStream.fail_sendevents_step1",
)


@pytest.mark.real
@pytest.mark.parametrize("name", CLEAN)
def test_ge_itself_orders_its_streams(cases: Path, name: str) -> None:
    report = stream_report(open_store([str(cases / "truth" / "logs" / f"{name}.log.gz")]))
    assert report.order.hazards == ()
    assert report.order.examined > 0


@pytest.mark.real
def test_ge_hands_pages_over_too_early_when_memory_runs_out(cases: Path) -> None:
    # L1 synchronises the main stream only, then pages of every stream's pool are given to others (execution.md 5.4).
    name = "TruthMultiStream.oom_random60_8streams.log.gz"
    assert set(kinds(open_store([str(cases / "truth" / "logs" / name)]))) == {REUSED}


def test_the_clocks_of_many_streams_take_room_for_what_they_know_only() -> None:
    tracemalloc.start()
    clocks = Clocks(2_000)
    first = clocks.work(0, 0)
    clocks.send(0, (0, 0, 0), 1)
    for queue in range(1, 2_000):
        clocks.work(queue, queue)
    clocks.wait(1, (0, 0, 0), 3_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (clocks.before(first, 1), clocks.before(first, 2)) == (True, False)
    assert peak < 4_000_000
