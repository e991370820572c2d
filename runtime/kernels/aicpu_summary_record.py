"""``ResultSummary``: where a task of the fourth class has put one result, as 32 bytes in device memory."""

import struct
from dataclasses import dataclass
from typing import Final

from runtime.device.device import Device

_LAYOUT: Final = struct.Struct("<4Q")
SUMMARY_BYTES: Final = _LAYOUT.size


@dataclass(frozen=True, slots=True)
class Summary:
    """Addresses on the device and sizes in bytes: of the dimensions (8 bytes each), and of the elements."""

    shape_addr: int
    shape_size: int
    raw_addr: int
    raw_size: int


def write_summary(device: Device, address: int, summary: Summary) -> None:
    """Put a summary into device memory."""
    words = (summary.shape_addr, summary.shape_size, summary.raw_addr, summary.raw_size)
    device.hbm.write(address, _LAYOUT.pack(*words))


def read_summary(device: Device, address: int) -> Summary:
    """Read a summary from device memory."""
    return Summary(*_LAYOUT.unpack(device.hbm.read(address, SUMMARY_BYTES)))
