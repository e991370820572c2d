"""How far the clocks of sources stand apart, in words."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from getrace.cli.layout import duration_text
from getrace.cli.source_names import SourceNames

if TYPE_CHECKING:
    from getrace.store.store import Source


def clock_lines(sources: "Sequence[Source]", names: SourceNames) -> Iterator[str]:
    """Give a sentence for each source whose clock is known to differ, or whose records contradict each other."""
    for source in sources:
        if source.clock is not None:
            pairs = f"{source.clock.pairs} pair{'' if source.clock.pairs == 1 else 's'} of records"
            told = source.clock.distance(duration_text)
            yield f"{names.at(source.path, 0)} {told} {names.at(source.clock.reference, 0)} ({pairs})"
