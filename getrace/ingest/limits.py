"""How much an archive may unpack to: where what is no log any more is given up.

A few megabytes can unpack to a full disk. Plogs pack to a tenth or a twentieth, a log of one line over and over to a
three-hundredth; so a stream that is large *and* denser than that is no log. And whatever it is, it must leave room on
the disk that it is spooled to.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from getrace.errors import InputError


@dataclass(frozen=True, slots=True)
class Limits:
    """``always`` bytes are unpacked in any case, beyond them no more than ``ratio`` times the packed bytes.

    ``longest_line`` is the most that may come before the first newline, ``members`` how many members of an archive are
    looked at, ``header`` the most bytes of names and attributes in front of one. ``room`` bytes stay free on the disk.
    """

    always: int = 1 << 30
    ratio: int = 400
    longest_line: int = 64 << 20
    members: int = 100_000
    header: int = 4 << 20
    room: int = 256 << 20

    def left(self, unpacked: int, packed: int) -> int:
        """Give how many bytes more so many packed ones may unpack to; negative when it was too many already."""
        return max(self.always, packed * self.ratio) - unpacked

    def sentence(self, unpacked: int) -> str:
        """Say why unpacking was stopped."""
        return f"it unpacks to more than {self.ratio} times its size, as no log does; stopped after {unpacked:,} bytes"

    def check_room(self, folder: Path) -> None:
        """Raise InputError when a folder's disk has no room left for spooled bytes."""
        if shutil.disk_usage(folder).free < self.room:
            raise InputError(
                f"no room in {folder} to unpack into", "set TMPDIR to a folder with room, or unpack the log yourself"
            )


LIMITS = Limits()
