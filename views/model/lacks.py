"""What a pane says when it has nothing to show: what this log lacks, and the switch that prints it.

Every screen names the switches of the evidence gate, so that `getrace check`, the overview and an empty pane give one
advice. The sentences are broken to the width of the pane, never cut: the switch stands at their ends.
"""

import textwrap

from getrace.analysis.switches import GE_SWITCH
from getrace.printable import printable
from views.model.spans import Line, Span

_SET = f"Set {GE_SWITCH} and run again."
NO_MEMORY = f"No memory to draw: the log names no block with a size. {_SET}"
NO_STREAMS = f"No streams to draw: the log has no launch, send or wait. {_SET}"
NO_LANES = f"No lanes: the log runs no kernel and names no stream. {_SET}"
NO_KERNELS = f"No thread has a lane: the log shows no kernel. {_SET}"
NO_RUNS = f"No run to list: the log has no start marker. {_SET}"
NO_BLOCKS = f"no block: the log names no allocation with an address. {_SET}"
NO_MAP = "No map: no block has an address."
NO_GRAPHS = "No graph was dumped: set DUMP_GE_GRAPH=2 and DUMP_GRAPH_LEVEL=1, and open the folder with the dumps."
NO_NODES = "this graph has no nodes"
NO_STREAM_LINES = f"no launch, send, wait or split names a stream. {_SET}"


def why(text: str, width: int) -> list[Line]:
    """Break a sentence at blanks into lines of at most ``width`` cells."""
    return [[Span(piece, "dim")] for piece in textwrap.wrap(printable(text), max(width, 8)) or [""]]
