"""The names of logs and dumps: which files are logs by GE's rule, and which of them are parts of one log.

GE begins a new file every 20 MiB and names it ``plog-<pid>_<17 digits of its time>.log`` (spec/kerneltrace.md 1.8);
other tools number the parts (``app.log.1``, ``big.log.part3.gz``). Parts of one log follow one another whatever the
times of the records at the border say, as threads may be late; so they must be known as such.
"""

import fnmatch
import re
from functools import cache
from pathlib import PurePath

PACKED_ENDINGS = (".gz", ".zst", ".bz2", ".xz")
LOG_STEMS = ("plog-*.log", "device-*.log")
LOG_PATTERNS = tuple(stem + ending for stem in LOG_STEMS for ending in ("", *PACKED_ENDINGS))

_PACKED = re.compile(r"\.(?:gz|zst|bz2|xz|log|txt)\Z", re.IGNORECASE)
_OF_GE = re.compile(r"(?P<kind>plog|device)-(?P<pid>\d+)_(?P<number>\d{1,20})\Z", re.ASCII)
_NUMBERED = re.compile(r"(?P<stem>.+?)(?:[._-]?(?:part)?)(?P<number>\d{1,9})\Z", re.ASCII)


def is_log_name(path: str) -> bool:
    """Say whether a file has the name of one of GE's logs."""
    return _any(path, LOG_PATTERNS)


def is_dump_name(path: str) -> bool:
    """Say whether a file has the name of one of GE's graph dumps."""
    return _any(path, _graph_patterns())


@cache
def _graph_patterns() -> tuple[str, ...]:
    from getrace.dumps.formats import FORMATS  # noqa: PLC0415 - a log that is named needs none of the dumps' readers

    return tuple(pattern for row in FORMATS for pattern in row.patterns)


def _any(path: str, patterns: tuple[str, ...]) -> bool:
    name = path.rsplit("/", 1)[-1]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def series_of(path: str) -> tuple[str, str]:
    """Give the series that a file belongs to by its name: its folder, and what its parts have in common.

    ``plog-370_20230101000000000.log.gz`` -> ("", "plog-370"); ``x/app.log.2`` and ``x/app.log`` -> ("x", "app").
    Which part comes first is for the times of their records to say: some tools number the newest part 1.
    """
    place = PurePath(path)
    name = place.name
    folder = str(place.parent) if len(place.parts) > 1 else ""
    found = _OF_GE.match(_bare(name))
    if found is not None:
        return folder, f"{found['kind']}-{found['pid']}"
    numbered = _NUMBERED.match(_bare(name))
    return folder, _bare(numbered["stem"]) if numbered is not None else _bare(name)


def _bare(name: str) -> str:
    """Take the endings off a name that say how it is packed, and that it is a log."""
    while _PACKED.search(name):
        name = _PACKED.sub("", name)
    return name
