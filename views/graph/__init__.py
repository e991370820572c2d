"""Graphs as pictures: snapshots to DOT text to SVG, through Graphviz.

The only room that knows Graphviz. A screen that wants a graph in the terminal draws it itself; a picture on disk is
always made here, so that colours, frames and limits are the same in all of them.
"""

from views.graph.drawing import Drawing, draw
from views.graph.engine import EngineError

__all__ = ["Drawing", "EngineError", "draw"]
