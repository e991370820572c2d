"""One source's rows to what the cache keeps of them, and back into a store."""

from getrace.ingest.cache_entry import Kept
from getrace.plog.file_store import FileStore
from getrace.plog.source import Bytes
from getrace.store.columns import COLUMNS, none_of
from getrace.store.forms import renamed
from getrace.store.store import Source

_OWN = "source"
"""The column that a store fills by itself: the number of a source is another in another store."""
_IDS = ("module", "kernel")


def kept_of(store: FileStore, first_row: int) -> Kept:
    """Give what is to be kept of the last source of a store, whose rows begin at ``first_row``."""
    source = store.sources[-1]
    columns = {name: store.columns.form(name, first_row) for name in store.columns.names if name != _OWN}
    names = [store.names.text(number) for number in range(len(store.names))]
    pieces = {
        row - first_row: [each - first_row for each in later] for row, later in store.pieces.items() if row >= first_row
    }
    facts = {"lines": source.lines, "records": source.records, "dialects": list(source.dialects)}
    return Kept(columns, store.rows - first_row, names, pieces, facts)


def restore(store: FileStore, data: Bytes, kept: Kept) -> None:
    """Append a source as it was kept. Raises KeyError or TypeError when a fact is missing."""
    number, first_row = len(store.data), store.rows
    source = Source(
        data.path,
        len(data),
        int(kept.facts["lines"]),
        int(kept.facts["records"]),
        dialects=tuple(map(str, kept.facts["dialects"])),
    )
    if first_row == 0 and not len(store.names):
        store.names.ids(kept.names)
        store.columns.adopt({**kept.columns, _OWN: number}, kept.rows)
    else:
        ids = store.names.ids(kept.names)
        own = {name: kept.columns[name] for name in _IDS if name in kept.columns}
        named = {name: renamed(own[name], ids, none_of(name), COLUMNS[name]) for name in own}
        store.columns.extend(kept.rows, {**kept.columns, **named, _OWN: number})
    store.pieces |= {first_row + row: [first_row + each for each in later] for row, later in kept.pieces.items()}
    store.data.append(data)
    store.sources.append(source)
