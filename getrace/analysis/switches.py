"""Which log switch would have shown what a log does not show (spec/kerneltrace.md 9)."""

from collections import Counter

import numpy as np

from getrace.events import Level
from getrace.store.store import Store

GE_SWITCH = "ASCEND_GLOBAL_LOG_LEVEL=1 or ASCEND_MODULE_LOG_LEVEL=GE=1"
_STRETCH = 1 << 16
"""Rows that are counted at once: to sort those of ten gigabytes would take as much memory again."""
RUNTIME_SWITCH = "ASCEND_GLOBAL_LOG_LEVEL=1 or ASCEND_MODULE_LOG_LEVEL=GE=1:RUNTIME=1"


def speaks_at_info(store: Store, module: str, pid: int | None = None) -> bool:
    """Say whether a log, or one process of it, holds a module's records at INFO or below: it was at that level."""
    number = store.names.find(module)
    if number is None:
        return False
    spoken = store.column("module") == number
    if pid is not None:
        spoken &= store.column("pid") == pid
    levels = store.column("level")[spoken]
    return bool(np.any(levels <= Level.INFO))


def levels_of(store: Store) -> dict[str, dict[str, int]]:
    """Count the records of each module at each level, modules by name, levels from the quietest up."""
    modules, levels = store.column("module"), store.column("level")
    found: Counter[int] = Counter()
    for start in range(0, store.rows, _STRETCH):
        part = slice(start, start + _STRETCH)
        pairs, counts = np.unique(modules[part].astype(np.int64) * 256 + levels[part], return_counts=True)
        found.update(dict(zip(pairs.tolist(), counts.tolist(), strict=True)))
    table: dict[str, dict[str, int]] = {}
    for pair, count in sorted(found.items()):
        table.setdefault(store.names.text(pair // 256), {})[Level(pair % 256).name] = count
    return dict(sorted(table.items()))
