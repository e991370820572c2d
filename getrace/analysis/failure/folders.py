"""From which collection of logs a record comes: hosts and containers number their processes alike.

A process writes its logs under one folder (``debug/plog``, ``run/plog``, ``device-N`` below it). Two folders with the
same process number are two hosts or two runs more often than one process, and a join over them would blame a stranger.
"""

import re
from collections.abc import Mapping

import numpy as np

from getrace.store.columns import Column, none_of
from getrace.store.store import Store

_BELOW = re.compile(r"(?:(?:^|/)(?:debug|run|security|plog|device-\d+))+\Z")


def folder_of(path: str) -> str:
    """Give the folder that holds all logs of a process, without the parts that a process makes below it."""
    return _BELOW.sub("", path.rpartition("/")[0])


def folder_of_row(store: Store, row: int) -> str:
    """Give the folder of a row's log."""
    return folder_of(store.sources[int(store.column("source")[row])].path)


def shared_pids(store: Store) -> Mapping[int, tuple[str, ...]]:
    """Give each process number that the logs of several folders have, with these folders."""
    folders = [folder_of(source.path) for source in store.sources]
    known = sorted(set(folders))
    if len(known) < 2:
        return {}
    number = np.array([known.index(folder) for folder in folders], np.int64)
    pid = store.column("pid").astype(np.int64)
    told = (pid != none_of("pid")) & (pid > 0)
    pairs: Column = np.unique(pid[told] * len(known) + number[store.column("source")[told]])
    found: dict[int, tuple[str, ...]] = {}
    for pair in pairs.tolist():
        own, folder = divmod(pair, len(known))
        found[own] = (*found.get(own, ()), known[folder])
    return {own: names for own, names in found.items() if len(names) > 1}
