"""Dialects: GE's text changed between releases; a dialect is a set of rows, and a log's dialect is found from evidence.

``guide``     sample lines of the seed articles and of test fixtures; read only
``rt2-2023``  CANN 6.4 and its neighbours (spec/kerneltrace.md 3.9, 6.1)
``rt2-2026``  GE 9.2.0; what the simulator writes
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from getrace.plog.row import GUIDE, RT2_2023, RT2_2026, Row


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect, and whether the codec writes it."""

    id: str
    written: bool


DIALECTS: dict[str, Dialect] = {
    dialect.id: dialect
    for dialect in (
        Dialect(GUIDE, written=False),
        Dialect(RT2_2023, written=True),
        Dialect(RT2_2026, written=True),
    )
}


def found_dialects(claims: Iterable[tuple[Row, int]]) -> tuple[str, ...]:
    """Find the dialects of a log from (row, number of lines it claimed), best first.

    A row that several dialects share speaks for none of them, so the result is empty when no line decides.
    """
    decisive: Counter[str] = Counter()
    for row, lines in claims:
        if len(row.dialects) == 1:
            decisive.update(dict.fromkeys(row.dialects, lines))
    return tuple(name for name, _ in decisive.most_common())
