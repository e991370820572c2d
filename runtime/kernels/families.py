"""The kernels that come with the simulator, family by family, as one table."""

from collections.abc import Mapping
from itertools import chain
from typing import Final

from runtime.kernels import (
    aicpu_args,
    aicpu_ext_info,
    aicpu_launch,
    aicpu_memcpy,
    aicpu_process,
    allocators,
    control,
    copies,
    copies_host,
    copies_split,
    copy_flow,
    cross_stream,
    events,
    feed,
    ffts_memory,
    fixed_memory,
    host_cpu,
    infer_compatible,
    infer_range,
    infer_rule,
    infer_shape,
    launch,
    memory,
    model_outputs,
    node_bin,
    notifies,
    output_shapes,
    pass_through,
    platform_info,
    session,
    shape_values,
    sizes,
    specified_memory,
    static_model,
    streams,
    tensor_build,
    tensors,
    tiling,
    tiling_append,
    tiling_compatible,
    tiling_legacy,
    tiling_results,
    variables,
    weights,
)
from runtime.kernels.engines import (
    aclnn,
    collectives,
    custom_op,
    dsa,
    dvpp,
    ffts_block,
    float_status,
    mix_l2,
    prefetch,
    sequence_split,
    sequences,
    tensor_list,
)
from runtime.kernels.refusable import refusable
from runtime.kernels.registry import Kernel, KernelRegistry

FAMILIES: Final[Mapping[str, tuple[Kernel, ...]]] = {
    "feed": (*feed.KERNELS, *session.KERNELS),
    "streams": (*streams.KERNELS, *events.KERNELS, *notifies.KERNELS),
    "allocators": allocators.KERNELS,
    "memory": (
        *memory.KERNELS,
        *cross_stream.KERNELS,
        *ffts_memory.KERNELS,
        *fixed_memory.KERNELS,
        *specified_memory.KERNELS,
    ),
    "tensors": (*tensors.KERNELS, *tensor_build.KERNELS, *pass_through.KERNELS, *model_outputs.KERNELS),
    "copies": (*copies.KERNELS, *copies_host.KERNELS, *copy_flow.KERNELS, *copies_split.KERNELS),
    "sizes": sizes.KERNELS,
    "infer_shape": (*infer_shape.KERNELS, *infer_rule.KERNELS, *output_shapes.KERNELS),
    "infer_shape_range": infer_range.KERNELS,
    "infer_shape_compatible": infer_compatible.KERNELS,
    "platform_info": platform_info.KERNELS,
    "tiling": (*tiling.KERNELS, *tiling_append.KERNELS, *tiling_results.KERNELS),
    "tiling_compatible": (*tiling_compatible.KERNELS, *tiling_legacy.KERNELS),
    "launch": (*node_bin.KERNELS, *launch.KERNELS),
    "control": control.KERNELS,
    "aicpu": (
        *aicpu_args.KERNELS,
        *aicpu_ext_info.KERNELS,
        *aicpu_launch.KERNELS,
        *aicpu_memcpy.KERNELS,
        *aicpu_process.KERNELS,
        *host_cpu.KERNELS,
        *tensor_list.KERNELS,
    ),
    "shape_values": shape_values.KERNELS,
    "static_model": static_model.KERNELS,
    "sequences": (*sequences.KERNELS, *sequence_split.KERNELS),
    "devices": (*dsa.KERNELS, *dvpp.KERNELS, *float_status.KERNELS, *prefetch.KERNELS),
    "mix_l2": (*ffts_block.KERNELS, *mix_l2.KERNELS),
    "collectives": collectives.KERNELS,
    "author_calls": (*aclnn.KERNELS, *custom_op.KERNELS),
    "weights": (*weights.KERNELS, *variables.KERNELS),
}


def builtin_kernels() -> KernelRegistry:
    """Give a new registry with every kernel of this package."""
    return KernelRegistry(map(refusable, chain.from_iterable(FAMILIES.values())))
