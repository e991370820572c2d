"""Which scanner reads a log: the fastest that is there, or the one that ``GETRACE_SCANNER`` names."""

import os

from getrace.errors import UsageError
from getrace.plog.scan import numpy_scanner
from getrace.plog.scan_native import extension, native_scanner
from getrace.plog.scan_table import Scanner, table_scanner

VARIABLE = "GETRACE_SCANNER"

SCANNERS: dict[str, Scanner] = {"table": table_scanner, "numpy": numpy_scanner, "native": native_scanner}
"""All scanners by name, slowest first. They give the same columns."""


def chosen_scanner() -> Scanner:
    """Give the scanner that the environment asks for, else the fastest. Raises UsageError for one that is not there."""
    name = os.environ.get(VARIABLE) or ("numpy" if extension() is None else "native")
    if name not in SCANNERS:
        raise UsageError(
            f"{VARIABLE}={name}: there is no such scanner", f"one of {', '.join(SCANNERS)}, or leave it out"
        )
    if name == "native" and extension() is None:
        raise UsageError(
            f"{VARIABLE}={name}: the compiled scanner was not built",
            "install a C compiler and Python's headers and install getrace again, or leave it out",
        )
    return SCANNERS[name]
