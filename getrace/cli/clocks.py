"""How far the clocks of sources stand apart, in words."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from getrace.cli.layout import duration_text
from getrace.cli.source_names import SourceNames

if TYPE_CHECKING:
    from getrace.store.clock_offset import ClockOffset
    from getrace.store.store import Source


def clock_lines(sources: "Sequence[Source]", names: SourceNames) -> Iterator[str]:
    """Give a sentence for each source whose clock is known to differ, or whose records contradict each other."""
    for source in sources:
        if source.clock is not None:
            pairs = f"{source.clock.pairs} pair{'' if source.clock.pairs == 1 else 's'} of records"
            told = _distance(source.clock)
            yield f"{names.at(source.path, 0)} {told} {names.at(source.clock.reference, 0)} ({pairs})"


def _distance(clock: "ClockOffset") -> str:
    low, high = clock.low_ns, clock.high_ns
    if clock.contradictory:
        return "has pairs that no single offset fits, a clock was set in between, against"
    if low is not None and low > 0:
        most = "" if high is None else f", at most {duration_text(high)}"
        return f"is at least {duration_text(low)}{most} ahead of"
    if high is not None and high < 0:
        most = "" if low is None else f", at most {duration_text(-low)}"
        return f"is at least {duration_text(-high)}{most} behind"
    if low is None:
        return f"is at most {duration_text(high or 0)} ahead of"
    if high is None:
        return f"is at most {duration_text(-low)} behind"
    return f"is between {duration_text(-low)} behind and {duration_text(high)} ahead of"
