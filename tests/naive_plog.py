"""What most scripts do with a plog: one regular expression search for each field of each line."""

import re
from pathlib import Path

_FIELDS = {
    "level": re.compile(r"^\[([A-Z]+)\]"),
    "module": re.compile(r"\] ([A-Z]+)\("),
    "pid": re.compile(r"\((\d+),"),
    "process": re.compile(r",([^)]*)\):"),
    "time": re.compile(r"\):(\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3})"),
    "file": re.compile(r" \[([^\]:]+):\d+\]"),
    "line": re.compile(r" \[[^\]:]+:(\d+)\]"),
    "tid": re.compile(r"\] ?(\d+) "),
    "func": re.compile(r"\d+ (\w+):"),
    "kernel": re.compile(r"\[KernelTrace\]\[([^\]]*)\]"),
    "stream": re.compile(r"stream (-?\d+)"),
    "block": re.compile(r"block (0x[0-9a-f]+)"),
    "addr": re.compile(r"address (0x[0-9a-f]+)"),
    "size": re.compile(r", size (\d+)"),
}


def parse(path: Path) -> list[dict[str, str | None]]:
    """Parse a plog into one dictionary for each line."""
    rows = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            found = {name: pattern.search(line) for name, pattern in _FIELDS.items()}
            rows.append({name: match[1] if match else None for name, match in found.items()})
    return rows
