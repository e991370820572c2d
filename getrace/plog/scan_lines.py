"""The lines of a block on their way through the scanners: one array for each thing that is known of them.

Each stage adds what it reads and leaves out the lines that it does not understand; those are for the table.
"""

import numpy as np

from getrace.plog.words import Mask, Places

Lines = dict[str, Places]
"""Arrays of equal length: ``line``, ``start``, ``end``, ``at`` (where the next stage reads on), and store columns."""


def narrowed(keep: Mask, lines: Lines) -> Lines:
    """Keep some lines of all arrays; most blocks keep all, and then nothing is copied."""
    if keep.all():
        return lines
    rows = np.flatnonzero(keep)
    return {name: values[rows] for name, values in lines.items()}
