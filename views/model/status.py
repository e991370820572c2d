"""The title line and the status line: where one is, and what one must know about the data."""

from dataclasses import dataclass

from getrace.printable import cell_width, fit, printable
from getrace.store.store import Store
from views.model.rows import clock_text, number_of
from views.model.spans import Line, Span, plain


@dataclass(frozen=True, slots=True)
class Feeding:
    """The state of a live source: nothing is shown of it for a finished log. ``ended`` says that its run is over.

    ``playing`` is the speed at which a log is played, ``reading`` how far it is read; "" when it is not.
    """

    live: bool = False
    following: bool = False
    unseen: int = 0
    dropped: int = 0
    ended: bool = False
    playing: str = ""
    reading: str = ""


def title_line(title: str, store: Store, errors: int, width: int) -> Line:
    """Give the top line: the name, the sources, how many rows and errors."""
    right = f"{store.rows:,} rows  "
    wrong = f"{errors:,} error{'' if errors == 1 else 's'} " if errors else "no errors "
    short = "breaks off " if any(source.broken for source in store.sources) else ""
    left = fit(printable(title, 400), max(width - 11 - len(right) - len(wrong) - len(short), 1))
    return [
        Span(" getrace ", "heading"),
        Span(" " + left + " ", "strong"),
        Span(right, "dim"),
        Span(short, "bad"),
        Span(wrong, "bad" if errors else "dim"),
    ]


def status_line(store: Store, cursor: int, feeding: Feeding, notice: Span | None, width: int) -> Line:
    """Give the bottom line: the position, the live state, what was dropped, and a notice or the way to the help."""
    line = [*_position(store, cursor), *_live(feeding)]
    room = width - cell_width(plain(line)) - 2
    if notice is None:
        line.append(Span("  " + next((hint for hint in _hints(store) if len(hint) <= room), ""), "dim"))
    if notice is not None:
        used = cell_width(plain(line))
        line.append(Span("  " + fit(printable(notice.text, 400), max(width - used - 2, 0)), notice.role))
    return line


def _position(store: Store, cursor: int) -> list[Span]:
    if not store.rows:
        return [Span(" no rows yet", "dim")]
    percent = (cursor + 1) * 100 // store.rows
    time = clock_text(store, cursor)
    line = number_of(store, cursor)
    return [
        Span(f" {cursor + 1:,}/{store.rows:,}", "strong"),
        Span(f" {percent}%", "dim"),
        Span(f"  line {line}" if int(store.column("line")[cursor]) else f"  event {line}"),
        Span(f"  {time}" if time else "", "dim"),
    ]


def _live(feeding: Feeding) -> list[Span]:
    if feeding.reading:
        return [Span(f"  {feeding.reading}", "note")]
    if feeding.playing:
        return [Span(f"  PLAYING {feeding.playing}", "name")]
    if not feeding.live:
        return []
    if feeding.ended:
        state = Span("  ENDED", "strong")
    else:
        state = Span("  LIVE", "name") if feeding.following else Span(f"  PAUSED +{feeding.unseen:,}", "note")
    return [state, Span(f"  dropped {feeding.dropped:,}", "bad" if feeding.dropped else "dim")]


def _hints(store: Store) -> tuple[str, ...]:
    count = len(store.sources)
    sources = f"{count} source{'' if count == 1 else 's'}"
    return (
        f"{sources}  ? help  / search  e error  y copy  q quit",
        f"{sources}  / search  ? help  q quit",
        "? help  q quit",
        "? help",
    )
