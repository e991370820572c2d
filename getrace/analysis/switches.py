"""Which log switch would have shown what a log does not show (spec/kerneltrace.md 9)."""

import numpy as np

from getrace.events import Level
from getrace.store.store import Store

GE_SWITCH = "ASCEND_GLOBAL_LOG_LEVEL=1 or ASCEND_MODULE_LOG_LEVEL=GE=1"
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
    modules, levels = store.column("module").astype(np.int64), store.column("level").astype(np.int64)
    pairs, counts = np.unique(modules * 256 + levels, return_counts=True)
    table: dict[str, dict[str, int]] = {}
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        table.setdefault(store.names.text(pair // 256), {})[Level(pair % 256).name] = count
    return dict(sorted(table.items()))
