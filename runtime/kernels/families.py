"""The kernels that come with the simulator, family by family, as one table."""

from collections.abc import Mapping
from typing import Final

from runtime.kernels import (
    allocators,
    control,
    copies,
    feed,
    infer_shape,
    launch,
    memory,
    platform_info,
    sizes,
    streams,
    tensors,
    tiling,
    tiling_append,
    weights,
)
from runtime.kernels.registry import Kernel, KernelRegistry

FAMILIES: Final[Mapping[str, tuple[Kernel, ...]]] = {
    "feed": feed.KERNELS,
    "streams": streams.KERNELS,
    "allocators": allocators.KERNELS,
    "memory": memory.KERNELS,
    "tensors": tensors.KERNELS,
    "copies": copies.KERNELS,
    "sizes": sizes.KERNELS,
    "infer_shape": infer_shape.KERNELS,
    "platform_info": platform_info.KERNELS,
    "tiling": (*tiling.KERNELS, *tiling_append.KERNELS),
    "launch": launch.KERNELS,
    "control": control.KERNELS,
    "weights": weights.KERNELS,
}


def builtin_kernels() -> KernelRegistry:
    """Give a new registry with every kernel of this package."""
    return KernelRegistry(*FAMILIES.values())
