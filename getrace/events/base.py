"""The base of all events.

An event is a frozen record of one thing that happened. It holds data, never a spelled line: text exists only in
``getrace.plog``. A field that has the name of a store column (``stream``, ``addr``, ``size`` ...; see
``getrace.store.columns``) is what that column shows. None means: the log does not say.
"""

from typing import ClassVar


class Event:
    """One thing that happened.

    ``kind`` is its stable name, made from the class name (``MemAlloc``: ``mem_alloc``); ``speaker`` is the module that
    prints it.
    """

    __slots__ = ()
    kind: ClassVar[str] = "event"
    speaker: ClassVar[str] = "GE"

    def __init_subclass__(cls) -> None:
        letters = [f"_{c.lower()}" if c.isupper() else c for c in cls.__name__]
        cls.kind = "".join(letters).lstrip("_")

    def __repr__(self) -> str:
        """Spell the record as a dataclass does; one for each class would cost a quarter of the import."""
        told = ", ".join(f"{name}={getattr(self, name)!r}" for name in getattr(self, "__match_args__", ()))
        return f"{type(self).__qualname__}({told})"
