"""The views of cards and lists as plain lines: overview, memory, streams, sources, compare."""

from collections.abc import Iterator

from getrace.analysis.failure import diagnose
from getrace.analysis.stream_report import stream_report
from getrace.store.store import Store
from views.model.compare import compare, party_of, usual_pair
from views.model.compare_lists import kernel_list, operator_list, summary_lines
from views.model.curves import Curve
from views.model.linear import WIDE, Wanted, listed, said, told
from views.model.memory_lists import address_at, alive_list, block_list, story_list
from views.model.memory_story import memory_story
from views.model.rows import clock_text, number_of
from views.model.sources import source_lines, sources_report
from views.model.stream_lists import hazard_list, left_list, pair_list, stream_list, wait_list
from views.model.style import LANE_MARKS
from views.model.summary import WEIGHED, Summary, summaries
from views.model.summary_lines import lacks_card, memory_card, runs_card, verdict_card
from views.model.words import byte_text, counted, duration_text


def overview(store: Store, wanted: Wanted) -> Iterator[str]:
    """Tell the cards of the overview; the levels and the streams in numbers, where the screen draws them."""
    del wanted
    summary = list(summaries(store))[-1]
    for card in (verdict_card, runs_card):
        yield from told(card(summary, store, WIDE, True), store)
        yield ""
    yield from _levels(summary)
    yield ""
    yield from told(memory_card(summary, store, WIDE, True), store)
    yield ""
    yield from _streams(summary, store)
    yield ""
    yield from told(lacks_card(summary, store, WIDE, True), store)


def _levels(summary: Summary) -> Iterator[str]:
    if summary.levels is None:
        yield "Levels: no record has a time"
        return
    levels = summary.levels
    yield f"Levels, over {duration_text(levels.end - levels.start)} of host time (measured)"
    for name, counts in zip(WEIGHED, levels.counts, strict=True):
        yield f"{name} {int(counts.sum()):,}"


def _streams(summary: Summary, store: Store) -> Iterator[str]:
    yield "Streams"
    for stream in summary.streams or ():
        counts = ", ".join(counted(count, LANE_MARKS[mark].word) for mark, count in stream.counts)
        yield f"{stream.label}: {counts}, first at line {number_of(store, stream.first)}"
    if not summary.streams:
        yield "no launch, send or wait"


def memory(store: Store, wanted: Wanted) -> Iterator[str]:
    """Tell every curve in numbers, who is alive at a record or at the peak, all blocks, and those that were lost."""
    story = memory_story(store)
    peak = story.report.peak_row
    yield f"Memory curves: {len(story.curves)}"
    for named in story.curves:
        yield f"  {named.name}: {_curve(named.curve)}"
    at = peak if wanted.at is None else wanted.at
    if at is not None:
        when = clock_text(store, at) or "a record without a time"
        moment = "the peak" if wanted.at is None else "this record"
        yield from listed(
            f"Blocks alive at {moment}, line {number_of(store, at)}, {when}", alive_list(store, story.lives, at), store
        )
    yield from listed("Blocks", block_list(store, story), store)
    yield from listed("Lost blocks", block_list(store, story, leaks=True), store)
    addr = 0 if wanted.at is None else address_at(store, wanted.at)
    if addr:
        yield from listed(f"Records that speak of {addr:#x}", story_list(store, story, addr), store)


def _curve(curve: Curve) -> str:
    if curve.peak < 0:
        return "no change of it has a time"
    changes = len(curve.live)
    peak, end = byte_text(int(curve.live[curve.peak])), byte_text(int(curve.live[-1]))
    return f"peak {peak}, {end} at the end, {changes:,} changes"


def streams(store: Store, wanted: Wanted) -> Iterator[str]:
    """Tell the streams, pairs, what is left over, who waits at the end, and what nothing orders."""
    del wanted
    report = stream_report(store)
    for title, table in (
        ("Streams", stream_list(store, report)),
        ("Pairs of send and wait", pair_list(store, report)),
        ("Left over", left_list(store, report)),
        ("Waits at the end", wait_list(store, diagnose(store).hangs.streams)),
        ("Hazards", hazard_list(store, report)),
    ):
        yield from listed(title, table, store)


def sources(store: Store, wanted: Wanted) -> Iterator[str]:
    """Tell what was read from where, and what could not be read."""
    del wanted
    yield from told(source_lines(sources_report(store), store, WIDE, 0, live=False), None)


def compare_view(store: Store, wanted: Wanted) -> Iterator[str]:
    """Tell where two runs first part, then kernels and operators that differ."""
    parties = [party_of(store, wanted.title)]
    if wanted.other is not None:
        parties.append(party_of(wanted.other, wanted.other_title))
    sides = usual_pair(parties)
    found = None if sides is None else compare(parties, *sides)
    yield from (said(line) for line in summary_lines(parties, found, WIDE))
    if found is not None:
        kernels, _ = kernel_list(parties, found, all_kernels=False)
        yield from listed("Kernels that differ", kernels, None)
        yield from listed("Operators that differ", operator_list(found), None)
