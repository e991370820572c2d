"""The line above a filtered table: the filters by number, what they let through, and how the rest is shown."""

from collections.abc import Sequence

from getrace.printable import cell_width, fit, printable
from views.model.filters import Filter
from views.model.listing import Listing
from views.model.spans import Line, Span, plain

_LONGEST = 30


def filter_line(
    filters: Sequence[Filter],
    listing: Listing | None,
    total: int,
    context: int,
    *,
    fold: bool,
    width: int,
    cursor: int = 0,
) -> Line:
    """Give the line in at most ``width`` cells; empty when nothing is filtered or folded.

    It says when the row of the ``cursor`` is not among those shown: the table marks the line before it then.
    """
    if not filters and not fold:
        return []
    line: list[Span] = [Span(" filters ", "heading")] if filters else [Span(" ", "dim")]
    for number, one in enumerate(filters, 1):
        text = printable(one.shown, _LONGEST)
        line += [Span(f"{number} ", "dim"), Span(text if one.on else f"({text})", "strong" if one.on else "dim")]
        line.append(Span("  "))
    counts = _counts(listing, total, context, fold=fold)
    line.append(Span(counts, "note"))
    if listing is not None and listing.lines and not listing.holds(cursor):
        line.append(Span(", not this record", "bad"))
    for shown in (line, line[: len(filters) * 3 + 2]):
        if cell_width(plain(shown)) <= width:
            return shown
    names = fit(plain(line[: len(filters) * 3 + 1]), max(width - cell_width(counts) - 1, 0))
    return [Span(names + " ", "dim"), Span(counts, "note")]


def _counts(listing: Listing | None, total: int, context: int, *, fold: bool) -> str:
    if listing is None:
        return "counting ..."
    told = [f"{listing.matched:,} of {total:,} rows"]
    if context:
        told.append(f"context {context}")
    if fold:
        told.append(f"repeats folded to {listing.lines:,} lines")
    if listing.total < total:
        told.append("reading ...")
    return ", ".join(told)
