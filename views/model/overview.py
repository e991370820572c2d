"""What is computed over a whole store beside its rows: the memory curve, the lanes, the outline and the errors."""

from dataclasses import dataclass

import numpy as np

from getrace.store.store import Store
from views.model.curves import Curve, memory_curve
from views.model.find import count_errors
from views.model.lanes import Lanes, lanes_of
from views.model.outline import Outline, outline_of


@dataclass(frozen=True, slots=True, eq=False)
class Overview:
    """The state of a store at ``rows`` rows."""

    rows: int
    curve: Curve
    lanes: Lanes
    outline: Outline
    errors: int


def nothing() -> Overview:
    """Give the overview of an empty store."""
    none = np.zeros(0, np.int64)
    return Overview(0, Curve(none, none, none), Lanes((), 0, 0), Outline(), 0)


def overview_of(store: Store) -> Overview:
    """Compute it all: some passes over columns, meant for a worker thread."""
    rows = store.rows
    if not rows:
        return nothing()
    return Overview(rows, memory_curve(store), lanes_of(store), outline_of(store), count_errors(store))
