"""A line of a view before it has colours: pieces of text, each with the name of its role.

Models make spans, widgets paint them, tests read them. The text of a span is printable already.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """A piece of a line; ``role`` is a name that ``views.model.style.colours`` knows."""

    text: str
    role: str = "text"


Line = Sequence[Span]


def plain(line: Line) -> str:
    """Give the text of a line."""
    return "".join(span.text for span in line)
