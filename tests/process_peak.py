"""The most memory that a child process of a test held, as code that the child runs.

``getrusage`` will not do: its peak outlives ``exec``, so a child of a large test process is as large from the start.
"""

from typing import Final

PEAK: Final = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))
"""
"""Defines ``peak()``: bytes that the process held at most since it was started. It needs Linux's /proc."""
