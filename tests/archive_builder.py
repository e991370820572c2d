"""Builds packed logs and archives, good and hostile, for tests of opening."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from typing import Final

import zstandard

Pack = Callable[[bytes], bytes]

PACKERS: Final[Mapping[str, Pack]] = {
    "gz": gzip.compress,
    "zst": lambda data: zstandard.ZstdCompressor().compress(data),
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def tar_of(members: Mapping[str, bytes]) -> bytes:
    """Give a tar of ordinary files."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return file.getvalue()


def tar_of_links(kind: bytes, name: str, target: str) -> bytes:
    """Give a tar with one member that is no file."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        tar.addfile(info)
    return file.getvalue().rstrip(b"\0") + bytes(-len(file.getvalue().rstrip(b"\0")) % 512)


def zip_of(members: Mapping[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Give a zip of ordinary files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()
