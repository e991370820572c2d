"""Dumps that the environment or the user asks for: GE's switches, read here because only the command line knows them.

A dump that cannot be written is a warning and never the end of a run, as with GE.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from getrace.dumps.dumper import GraphDumper, write_dump
from getrace.dumps.formats import FORMATS
from getrace.dumps.level import Level
from getrace.dumps.snapshot import GraphSnapshot
from getrace.dumps.switches import read_switches


def dumper_of_process(warnings: list[str]) -> GraphDumper:
    """Make the dumper that ``DUMP_GE_GRAPH`` and its companions ask for; what it warns of goes into ``warnings``."""
    return GraphDumper(read_switches(os.environ), warnings.append)


def write_stages(stages: Iterable[GraphSnapshot], folder: Path, warnings: list[str]) -> list[Path]:
    """Write every stage into a folder: as ge_proto, and in the formats that ``DUMP_GRAPH_FORMAT`` names.

    The level is that of ``DUMP_GE_GRAPH``, everything when it names none.
    """
    switches = read_switches(os.environ)
    named = switches.formats if os.environ.get("DUMP_GRAPH_FORMAT", "").strip() else ()
    rows = [row for row in FORMATS if row.word in ("ge_proto", *named)]
    level = switches.level or Level.ALL
    written: list[Path] = []
    try:
        for number, stage in enumerate(stages):
            written += [write_dump(row, number, stage, level, folder) for row in rows]
    except OSError as error:
        warnings.append(f"cannot write dumps into {folder}: {error.strerror or error}")
    return written
