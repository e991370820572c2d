"""IdSource: the counter behind every name of an execute graph.

GE keeps one for the whole process (spec/lowering.md 9.1), so its names differ from run to run. Here a session owns it:
the same model lowered by a new session gets the same names, which makes logs comparable byte by byte.
"""


class IdSource:
    """Counts from ``start``. A node's name, every holder and every sub graph take one number each."""

    def __init__(self, start: int = 0) -> None:
        self._next = start

    def take(self) -> int:
        """Give the next number."""
        number = self._next
        self._next += 1
        return number

    def name(self, stem: str, compute_node: str = "") -> str:
        """Name a node or a sub graph: ``<stem>[_<compute node>]_<number>`` (``GenerateNodeName``)."""
        middle = f"_{compute_node}" if compute_node else ""
        return f"{stem}{middle}_{self.take()}"
