"""Which lines a run prints: the log levels of the environment, as the log library reads them (spec/kerneltrace.md 9).

On a machine these variables decide whether there is anything to read afterwards; a simulated run obeys the same ones,
so that what a level hides can be tried out here.
"""

import os
from collections.abc import Mapping
from typing import Final

from getrace.events import Level

GLOBAL: Final = "ASCEND_GLOBAL_LOG_LEVEL"
BY_MODULE: Final = "ASCEND_MODULE_LOG_LEVEL"
MODULES: Final = ("GE", "RUNTIME")
"""The modules that a run has."""

_LEVELS: Final = {str(int(level)): level for level in (Level.DEBUG, Level.INFO, Level.WARNING, Level.ERROR, Level.NULL)}


def levels_of_process(environment: Mapping[str, str] = os.environ) -> dict[str, Level]:
    """Give the level of each module. Without any variable a run prints everything from INFO on.

    A value that is no level counts as none; one bad item voids the whole list of modules, as in the log library.
    """
    everywhere = _LEVELS.get(environment.get(GLOBAL, ""), Level.INFO)
    return dict.fromkeys(MODULES, everywhere) | _by_module(environment.get(BY_MODULE, ""))


def _by_module(text: str) -> dict[str, Level]:
    items = [item.partition("=") for item in text.split(":")] if text else []
    if not all(name and number in _LEVELS for name, _, number in items):
        return {}
    return {name: _LEVELS[number] for name, _, number in items}
