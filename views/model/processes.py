"""The processes of a log, and when their numbers have to be shown.

A log of one process would only repeat its number; where several are merged, a stage, a stream or a row without its
process is mistaken for another one's.
"""

import numpy as np

from getrace.store.columns import none_of
from getrace.store.store import Store


def processes(store: Store) -> tuple[int, ...]:
    """Give the process numbers that rows name, in order."""
    found = np.unique(store.column("pid"))
    return tuple(found[found != none_of("pid")].tolist())


def process_text(pid: int, *, many: bool) -> str:
    """Give what stands before the name of a thing of a process: ``pid 370 `` where there are many, else nothing."""
    if not many:
        return ""
    return f"pid {pid if pid != none_of('pid') else '?'} "
