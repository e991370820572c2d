"""To which row a row's difference of time is told: the one before it, the last of its operator, or marker A."""

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store


class Since(StrEnum):
    """What a difference is told to; the value is the title of its column."""

    LINE = "delta"
    OPERATOR = "since op"
    MARKER = "since A"

    @property
    def following(self) -> "Since":
        """The next one, as a key steps through them."""
        every = list(Since)
        return every[(every.index(self) + 1) % len(every)]


def before_of_operator(store: Store, rows: int) -> npt.NDArray[np.int32]:
    """Give for each of the first ``rows`` rows the row before it of the same operator, or -1.

    A sort of all rows: meant for a worker.
    """
    seen: dict[str, int] = {}
    nodes = [split_kernel_name(store.names.text(number)).node for number in range(len(store.names))]
    numbers = np.array([seen.setdefault(node, len(seen)) if node else -1 for node in nodes], np.int32)
    kernels = store.column("kernel")[:rows]
    named = np.flatnonzero(kernels != none_of("kernel"))
    operators = numbers[kernels[named]] if len(numbers) else np.zeros(0, np.int32)
    own = named[operators >= 0]
    operators = operators[operators >= 0]
    order = np.argsort(operators, kind="stable")
    sorted_rows, sorted_operators = own[order], operators[order]
    before = np.full(rows, -1, np.int32)
    same = sorted_operators[1:] == sorted_operators[:-1]
    before[sorted_rows[1:][same]] = sorted_rows[:-1][same]
    return before
