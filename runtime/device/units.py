"""What works tasks off, and how long it takes: the cost model, as a table over the parameters of a profile.

A task takes a fixed time and the time its bytes need on the way they go. Units do not stand in each other's way: two
streams with kernels on the AI Cores run side by side as if each had them alone. That is assumed; a model of who waits
for whom inside the chip would make times depend on more than the launches.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from runtime.device.profiles import DeviceProfile

_MICROSECOND: Final = 1000


class Cost(NamedTuple):
    """The parameters (``profiles``) of a unit: a fixed time, and bytes per microsecond; None where no bytes go."""

    fixed: str
    bandwidth: str | None


COSTS: Final[Mapping[str, Cost]] = MappingProxyType(
    {
        "aicore": Cost("kernel_ns", "hbm_bandwidth"),
        "vector": Cost("kernel_ns", "hbm_bandwidth"),
        "aicpu": Cost("aicpu_kernel_ns", "aicpu_bandwidth"),
        "dvpp": Cost("dvpp_kernel_ns", "dvpp_bandwidth"),
        "hccl": Cost("hccl_kernel_ns", "link_bandwidth"),
        "copy": Cost("kernel_ns", "hbm_bandwidth"),
        "host_copy": Cost("kernel_ns", "host_bandwidth"),
        "peer_copy": Cost("kernel_ns", "link_bandwidth"),
        "scheduler": Cost("event_ns", None),
    }
)


def cost_ns(profile: DeviceProfile, unit: str, size: int = 0) -> int:
    """Give how long a unit takes for a task that moves ``size`` bytes."""
    fixed, bandwidth = COSTS[unit]
    return profile[fixed] + (0 if bandwidth is None else size * _MICROSECOND // profile[bandwidth])
