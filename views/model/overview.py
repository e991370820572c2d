"""What every screen shows of the whole store: the outline that tells a row's stage, and the number of errors.

What only one screen shows is computed by that screen when it is looked at: over a huge log none of it is cheap.
"""

from dataclasses import dataclass

from getrace.store.store import Store
from views.model.find import count_errors
from views.model.outline import Outline, outline_of


@dataclass(frozen=True, slots=True, eq=False)
class Overview:
    """The state of a store at ``rows`` rows."""

    rows: int
    outline: Outline
    errors: int


def nothing() -> Overview:
    """Give the overview of an empty store."""
    return Overview(0, Outline(), 0)


def overview_of(store: Store) -> Overview:
    """Compute it all: some passes over columns, meant for a worker thread."""
    rows = store.rows
    if not rows:
        return nothing()
    return Overview(rows, outline_of(store), count_errors(store))
