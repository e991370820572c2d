"""Rows made of fixed words and a rest that is kept as text.

Each entry is (words, sample of the rest, place). The words are what GE prints literally and become the event's
``what``; what follows them is its ``text``. Line 0 of a place says that no log shows where GE prints it. ``codes`` are
the ``ErrorNo`` of the errors among them, by their words; those not named have FAILED.
"""

from collections.abc import Mapping
from types import MappingProxyType

from getrace.events import Event
from getrace.plog.codes import FAILED
from getrace.plog.row import GE, Row, row

Words = tuple[tuple[str, str, tuple[str, int, str]], ...]

NAMED = "[{allocator:allocator}] "
"""In front of messages of which an allocator's id is a part."""

# Words that other modules use as well are followed by a narrower text than "anything".
_NARROW = {
    "The block ": "leftover",
    "l2 block ": "moved",
    "stream id ": "recycles",
    "base_addr:": "base",
    "option[": "option",
    "index_begin:": "indices",
}

_ALL_FAILED: Mapping[str, int] = MappingProxyType({})


def worded(
    event: type[Event],
    words: Words,
    dialects: str,
    *,
    spoken: bool = False,
    speaker: str = "",
    codes: Mapping[str, int] = _ALL_FAILED,
) -> tuple[Row, ...]:
    """Make the rows of a table of words, for ordinary messages of GE."""
    return tuple(
        row(
            event,
            f"{speaker}{what}{{text:{_NARROW.get(what, 'text')}}}",
            f"{'[allocator_3] ' if speaker else ''}{what}{rest}",
            dialects=dialects,
            scope=GE,
            place=place,
            fixed={"what": what},
            spoken=spoken,
            code=codes.get(what, FAILED),
        )
        for what, rest, place in words
    )
