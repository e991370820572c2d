"""One thread at a time inside an executor, asserted in Python's debug mode.

An executor's cells, streams and watcher lists are shared by its calls (spec/execution.md 9.28): two threads inside give
wrong numbers long before anything fails. GE does not look; here ``python -O`` leaves the look out.
"""

from threading import get_ident
from types import TracebackType

from getrace.errors import InternalError


class OneThread:
    """The door of one executor. The thread that is inside may enter again."""

    __slots__ = ("_inside", "_times", "_what")

    def __init__(self, what: str) -> None:
        self._what = what
        self._inside: int | None = None
        self._times = 0

    def __enter__(self) -> None:
        """Enter. Raises InternalError when another thread is inside, in debug mode."""
        if __debug__:
            me = get_ident()
            if self._times and self._inside != me:
                raise InternalError(
                    f"thread {me} enters {self._what} while thread {self._inside} is inside",
                    "give each thread an executor of its own, as StreamExecutor does",
                )
            self._inside = me
            self._times += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Leave."""
        if __debug__:
            self._times -= 1
