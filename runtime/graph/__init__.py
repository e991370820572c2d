"""Graphs: the user's compute graph, the execute graph it is lowered to, and the holders that build the latter."""
