"""The kernels that come with the simulator, family by family, as one list."""

from runtime.kernels import (
    allocators,
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
from runtime.kernels.registry import KernelRegistry


def builtin_kernels() -> KernelRegistry:
    """Give a new registry with every kernel of this package."""
    return KernelRegistry(
        feed.KERNELS,
        streams.KERNELS,
        allocators.KERNELS,
        memory.KERNELS,
        tensors.KERNELS,
        copies.KERNELS,
        sizes.KERNELS,
        infer_shape.KERNELS,
        platform_info.KERNELS,
        tiling.KERNELS,
        tiling_append.KERNELS,
        launch.KERNELS,
        weights.KERNELS,
    )
