"""Which records of a log a question is about: the selection options of the command line, as masks over columns.

If each analysis filtered by itself, two verbs would mean different records by one option. Time, process and operator
are decided from a record alone, so they are applied while a log is read and what is left out costs no memory; stream
and iteration are facts of whole kernel executions and runs, so they are asked of the whole log (``getrace.replay``).
"""

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from getrace.events import KIND_NUMBER
from getrace.events.markers import ModelEnd, ModelStart
from getrace.ids import split_kernel_name
from getrace.store.columns import Column, none_of
from getrace.store.forms import Form, Sparse
from getrace.store.names import Names

Mask = npt.NDArray[np.bool_]

_MARKERS = (KIND_NUMBER[ModelStart.kind], KIND_NUMBER[ModelEnd.kind])


@dataclass(frozen=True, slots=True)
class Selection:
    """What is asked for; an empty part asks for everything.

    ``since_ns`` and ``until_ns`` (both inclusive) are the log's own wall clock. ``ops`` are names of operators, ``*``
    and ``?`` match as in a shell; markers of runs are kept with them, as no iteration could be told without.
    ``streams`` are logical streams, RT streams where a log names only those. ``iterations`` count the runs of a Main
    graph from 1. ``max_events`` is the number of records to keep, the first ones in time.
    """

    since_ns: int | None = None
    until_ns: int | None = None
    pids: tuple[int, ...] = ()
    ops: tuple[str, ...] = ()
    streams: tuple[int, ...] = ()
    iterations: tuple[int, ...] = ()
    max_events: int | None = None
    _wanted: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return self != Selection()

    @property
    def asks_whole_log(self) -> bool:
        """Whether records can only be chosen when the whole log has been read."""
        return bool(self.streams or self.iterations)

    def while_reading(self) -> "Selection | None":
        """Give the part that may be applied while a log is read, or None when there is none.

        To leave out records by time would shift the numbers of iterations, and to stop early would end before the
        records of a stream are found.
        """
        part = replace(self, streams=(), iterations=(), _wanted={})
        if self.iterations:
            part = Selection(pids=self.pids)
        elif self.streams:
            part = replace(part, max_events=None)
        return part or None

    def keeps(self, columns: Mapping[str, Form], names: Names) -> Mask:
        """Say which rows are wanted, as far as a record tells by itself."""
        kind, time, pid, kernel = (columns.get(name, none_of(name)) for name in ("kind", "time", "pid", "kernel"))
        assert isinstance(kind, np.ndarray)
        assert not isinstance(time, Sparse)
        assert not isinstance(kernel, Sparse)
        wanted = np.ones(len(kind), np.bool_)
        if self.since_ns is not None:
            wanted &= time >= self.since_ns
        if self.until_ns is not None:
            wanted &= (time <= self.until_ns) & (time != none_of("time"))
        if self.pids:
            wanted &= np.isin(pid, self.pids)
        if self.ops:
            wanted &= self._of_operators(kernel, names) | np.isin(kind, _MARKERS)
        return wanted

    def _of_operators(self, kernels: Column | int, names: Names) -> Mask:
        found, places = np.unique(kernels, return_inverse=True)
        known = [self._is_wanted(number, names) for number in found.tolist()]
        return np.array(known, np.bool_)[places.reshape(-1)]

    def _is_wanted(self, kernel: int, names: Names) -> bool:
        """Say whether a kernel belongs to a wanted operator; each NAME is split once."""
        if kernel == none_of("kernel"):
            return False
        name = names.text(kernel)
        if name not in self._wanted:
            node = split_kernel_name(name).node
            self._wanted[name] = any(fnmatch.fnmatchcase(node, pattern) for pattern in self.ops)
        return self._wanted[name]
