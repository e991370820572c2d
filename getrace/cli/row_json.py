"""A row of a store as JSON: the same fields in every verb that points at rows."""

from typing import TYPE_CHECKING

from getrace.analysis.places import file_of, line_of, time_of
from getrace.cli.envelope import Json, clean, time_json

if TYPE_CHECKING:
    from getrace.store.store import Store


def row_json(store: "Store", row: int | None) -> Json | None:
    """Spell a row by where and when it stands, with its kernel; None for no row."""
    if row is None:
        return None
    return {
        "seq": row,
        "file": clean(file_of(store, row)),
        "line": line_of(store, row),
        **time_json(time_of(store, row)),
        "kernel": store.kernel(row),
    }
