"""The binary stores of an OM: device kernels, custom kernels, host libraries. Names and slices; nothing is ever loaded.

Source: spec/formats.md 1.10.
"""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from getrace.dumps.om_cursor import MOST_ENTRIES, Cursor, encoded
from getrace.dumps.om_table import Part, Partition

_KERNEL = struct.Struct("<III")
_LIBRARY = struct.Struct("<IHHII")
_NUMBER = struct.Struct("<I")
_MAGIC, _CUSTOM_MAGIC = 0x5D776EFD, 0x4B43534B

STORES = (Part.TBE_KERNELS, Part.CUST_AICPU_KERNELS, Part.CUSTOM_OPS)
"""The stores of kernels."""

LIBRARY_KINDS = ("SpaceRegistry", "OpMasterDevice", "Autofuse", "CustomOp")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A device binary: its name, its bytes (an ELF file, never run here), and the store it is in."""

    name: str
    content: memoryview
    store: Part = Part.TBE_KERNELS


@dataclass(frozen=True, slots=True)
class HostLibrary:
    """A host library in the file: name, vendor, bytes (never loaded), and its kind, an index of ``LIBRARY_KINDS``."""

    name: str
    vendor: str
    content: memoryview
    kind: int = 0


def read_kernels(partition: Partition, source: str) -> Iterator[Kernel]:
    """Read a store of kernels. Raises InputError for another magic, a length past the end and too many kernels."""
    cursor, store = Cursor(partition.content, source, partition.offset), Part(partition.part)
    wanted = _magic(store)
    for _ in range(MOST_ENTRIES):
        if cursor.is_done:
            return
        magic, name, size = cursor.unpack(_KERNEL)
        if magic != wanted:
            raise cursor.error(f"a kernel of {store.name} begins with {magic:#x}")
        yield Kernel(cursor.text(name), cursor.take(size), store)
    raise cursor.error(f"{store.name} has more than {MOST_ENTRIES} kernels")


def kernels_bytes(kernels: Iterable[Kernel], store: Part) -> bytes:
    """Write a store of kernels."""
    written = []
    for kernel in kernels:
        name = encoded(kernel.name)
        written += [_KERNEL.pack(_magic(store), len(name), len(kernel.content)), name, bytes(kernel.content)]
    return b"".join(written)


def _magic(store: Part) -> int:
    return _CUSTOM_MAGIC if store == Part.CUSTOM_OPS else _MAGIC


def read_libraries(partition: Partition, source: str) -> Iterator[HostLibrary]:
    """Read the store of host libraries. Raises InputError as ``read_kernels``."""
    cursor = Cursor(partition.content, source, partition.offset)
    (number,) = cursor.unpack(_NUMBER)
    for _ in range(cursor.count(number, _LIBRARY.size)):
        magic, name, kind, vendor, size = cursor.unpack(_LIBRARY)
        if magic != _MAGIC:
            raise cursor.error(f"a host library begins with {magic:#x}")
        yield HostLibrary(cursor.text(name), cursor.text(vendor), cursor.take(size), kind)


def libraries_bytes(libraries: Iterable[HostLibrary]) -> bytes:
    """Write the store of host libraries."""
    given = list(libraries)
    written = [_NUMBER.pack(len(given))]
    for library in given:
        name, vendor = encoded(library.name), encoded(library.vendor)
        written.append(_LIBRARY.pack(_MAGIC, len(name), library.kind, len(vendor), len(library.content)))
        written += [name, vendor, bytes(library.content)]
    return b"".join(written)
