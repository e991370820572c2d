"""Device profiles: what a simulated device can hold and how fast it is, each number with where it comes from.

One table for all; a cost written into a stream or a kernel instead would never be found again when it is questioned.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from getrace.errors import UsageError

ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number and its source: a document, or ``assumed`` when it only has to be plausible."""

    value: int
    source: str = ASSUMED


@dataclass(frozen=True, slots=True)
class DeviceProfile:
    """A device. Sizes in bytes, times in nanoseconds, bandwidths in bytes per microsecond."""

    name: str
    soc: str
    parameters: Mapping[str, Parameter]

    def __getitem__(self, parameter: str) -> int:
        return self.parameters[parameter].value


_COMMON: Mapping[str, Parameter] = {
    "launch_ns": Parameter(4_000),
    "sync_ns": Parameter(6_000),
    "driver_malloc_ns": Parameter(120_000),
    "driver_free_ns": Parameter(60_000),
    "task_latency_ns": Parameter(2_500),
    "kernel_ns": Parameter(1_500),
    "event_ns": Parameter(0),
    "aicpu_kernel_ns": Parameter(1_500),
    "aicpu_bandwidth": Parameter(20_000),
    "dvpp_kernel_ns": Parameter(30_000),
    "dvpp_bandwidth": Parameter(8_000),
    "hccl_kernel_ns": Parameter(20_000),
    "link_bandwidth": Parameter(28_000),
    "max_streams": Parameter(1_984),
    "max_events": Parameter(65_536),
    "max_notifies": Parameter(8_192),
    "sync_timeout_ns": Parameter(10_000_000_000, "assumed; GE's own default, -1, waits for ever"),
    "task_timeout_ns": Parameter(1_000_000_000),
    "record_ns": Parameter(2_000, "time between two KernelTrace records of one kernel in logs of dialect rt2-2026"),
    "host_kernel_ns": Parameter(3_000, "time between two kernels without own messages in logs of dialect rt2-2026"),
    "aicpu_cores": Parameter(8),
    "huge_page": Parameter(2 << 20, "spec/execution.md 5.3"),
}


def _profile(name: str, soc: str, parameters: Mapping[str, Parameter]) -> DeviceProfile:
    return DeviceProfile(name, soc, {**_COMMON, **parameters})


PROFILES: Mapping[str, DeviceProfile] = {
    profile.name: profile
    for profile in (
        _profile(
            "ascend910b",
            "ascend910b",
            {
                "hbm_bytes": Parameter(64 << 30),
                "cube_cores": Parameter(20, "catlass arch.hpp, AscendC910B3 MaxBlock"),
                "vector_cores": Parameter(40, "catlass arch.hpp, AscendC910B3 MaxAivBlock"),
                "ub_bytes": Parameter(192 << 10, "catlass arch.hpp, AscendC910B3 UBSize"),
                "l2_bytes": Parameter(192 << 20, "catlass arch.hpp, AscendC910B3 L2CacheByte"),
                "hbm_bandwidth": Parameter(1_600_000),
                "host_bandwidth": Parameter(24_000),
            },
        ),
        _profile(
            "ascend310p",
            "ascend310p",
            {
                "hbm_bytes": Parameter(24 << 30),
                "cube_cores": Parameter(8),
                "vector_cores": Parameter(7),
                "ub_bytes": Parameter(256 << 10),
                "l2_bytes": Parameter(16 << 20),
                "hbm_bandwidth": Parameter(204_000),
                "host_bandwidth": Parameter(12_000),
            },
        ),
        _profile(
            "tiny",
            "ascend910b",
            {
                "hbm_bytes": Parameter(16 << 20, "chosen small, so that memory pressure shows in a small model"),
                "cube_cores": Parameter(2),
                "vector_cores": Parameter(2),
                "ub_bytes": Parameter(16 << 10),
                "l2_bytes": Parameter(1 << 20),
                "hbm_bandwidth": Parameter(10_000),
                "host_bandwidth": Parameter(2_000),
            },
        ),
    )
}


def find_profile(name: str, profiles: Mapping[str, DeviceProfile] = PROFILES) -> DeviceProfile:
    """Give the profile of a name. Raises UsageError that lists the profiles."""
    found = profiles.get(name)
    if found is None:
        raise UsageError(f"no device profile is called {name!r}", f"choose one of: {_listed(profiles)}")
    return found


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
