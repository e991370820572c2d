"""Going on with the look of another day: what was kept is brought back as its rows come, and kept again at the end."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from getrace.store.store import Store
from views.model.places import NOWHERE, Places
from views.model.session import Anchor, Session, rows_of, session_of
from views.tui.session_file import SessionFile


class Return(NamedTuple):
    """What came back: marks and markers, the row of the cursor or ``NOWHERE``, and what to say of it ("": nothing)."""

    places: Places
    row: int
    words: str


class Keeping:
    """The session of a store. Its marks are looked for when the store has grown to twice what it was the last time."""

    def __init__(self, store: Store, file: SessionFile | None) -> None:
        self._store = store
        self._file = file
        self._loaded = Session() if file is None else file.load() or Session()
        self._waiting = not self._loaded.is_empty
        self._tried = 0
        self._missing: tuple[Anchor, ...] = ()

    @property
    def screen(self) -> int:
        """The number of the screen in sight when it was left, 0 for none."""
        return self._loaded.screen

    def page(self, name: str) -> Mapping[str, Any]:
        """Give what a screen has kept."""
        return self._loaded.pages.get(name, {})

    def found(self, places: Places, *, over: bool) -> Return | None:
        """Look for what was kept; None when it is not time to, or all is back. ``over`` says that no row will come."""
        if not self._waiting or not (over or self._store.rows >= max(2 * self._tried, 1)):
            return None
        self._tried = self._store.rows
        marks = self._loaded.marks
        row, first, second, *rows = rows_of(self._store, (self._loaded.at, *self._loaded.markers, *marks))
        self._missing = tuple(mark for mark, at in zip(marks, rows, strict=True) if at < 0)
        self._waiting = bool(self._missing) and not over
        kept = {*places.marks, *(at for at in rows if at >= 0)}
        markers = tuple(own if own >= 0 else old for own, old in zip(places.markers, (first, second), strict=True))
        found = Places(tuple(sorted(kept)), (markers[0], markers[1]))
        return Return(found, row if row >= 0 else NOWHERE, "" if self._waiting else self._words(len(marks)))

    def _words(self, marks: int) -> str:
        lost = len(self._missing)
        self._missing = ()
        told = [f"{marks - lost:,} mark{'' if marks - lost == 1 else 's'}"] if marks > lost else []
        filters = len(self.page("events").get("filters", ()))
        told += [f"{filters} filter{'' if filters == 1 else 's'}"] if filters else []
        told += [f"{lost:,} lost with their lines"] if lost else []
        return "as you left it" + (f": {', '.join(told)}" if told else "")

    def save(self, row: int, screen: int, places: Places, pages: Mapping[str, Mapping[str, Any]]) -> str:
        """Keep a look; marks whose lines were not read yet stay. Gives why it could not be kept, or ""."""
        if self._file is None:
            return ""
        made = session_of(self._store, row, screen, places, {**self._loaded.pages, **pages})
        waiting = self._loaded.marks if self._waiting and not self._tried else self._missing
        at = self._loaded.at if self._waiting and not row else made.at
        return self._file.save(Session(at, made.screen, (*made.marks, *waiting), made.markers, made.pages))
