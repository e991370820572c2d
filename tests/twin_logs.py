"""The twins of real failures (``golden/twins.toml``), and how a line of one becomes a record of a log."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

from getrace.clock import plog_time

TESTS: Final = Path(__file__).parent
START_NS: Final = 1_767_323_045_000_000_000
STEP_NS: Final = 1_000_000
PID: Final = 371
LEVELS: Final = {"E": "ERROR", "W": "WARNING", "I": "INFO"}
LINE: Final = re.compile(r"(?P<level>[EWI]) (?P<module>\w+)(?:@(?P<pid>-?\d+))? (?P<text>.*)", re.DOTALL)


def rows(path: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))[table]
    return found


TWINS: Final = rows(TESTS / "golden" / "twins.toml", "twin")


def record(number: int, line: str) -> str:
    """Make the record of a line, or give the line that stands as it is."""
    if line.startswith("| "):
        return line[2:]
    found = LINE.fullmatch(line)
    assert found is not None, line
    pid = found["pid"] or PID
    time = plog_time(START_NS + number * STEP_NS)
    space = " " if line.startswith("I RUNTIME") else ""  # as its own lines have it
    head = f"[{LEVELS[found['level']]}] {found['module']}({pid},shop):{time} [shop.cc:7]"
    return f"{head}{space}{pid} {found['text']}"
