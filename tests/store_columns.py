"""The columns of a store as values that can be compared: names instead of their numbers."""

from getrace.plog.file_store import FileStore
from getrace.store.columns import COLUMNS, GLUED, none_of


def columns_of(store: FileStore) -> dict[str, list[object]]:
    """Give all columns as lists; kernels and modules by name, as each scanner numbers them in its own order."""
    columns: dict[str, list[object]] = {name: store.column(name).tolist() for name in COLUMNS}
    for name in ("module", "kernel"):
        columns[name] = [
            None if number == none_of(name) else store.names.text(number) for number in store.column(name).tolist()
        ]
    return columns


def joined(store: FileStore) -> bytes:
    """Give all records one behind the other, as they stand in the log but for its last newline."""
    parts: list[bytes] = []
    for row, flags in enumerate(store.column("flags").tolist()):
        parts.extend((b"" if row == 0 or flags & GLUED else b"\n", store.raw(row)))
    return b"".join(parts)
