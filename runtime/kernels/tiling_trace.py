"""What kernels that tile say of what was decided.

Source: spec/kerneltrace.md, the messages of ``tiling.cc``.
"""

from getrace.events.tiling import Tiling
from runtime.kernels.context import KernelContext
from runtime.kernels.launch_args import LaunchArgs
from runtime.kernels.tiling_outputs import TilingOutput


def trace_tiling(context: KernelContext) -> tuple[Tiling, ...]:
    """Say what was decided; before the first run there is no tiling data and GE says nothing."""
    block: LaunchArgs | None = context.output(TilingOutput.RT_ARG)
    return () if block is None else _decided(context, block.cache)


def _decided(context: KernelContext, cache: str | None) -> tuple[Tiling, ...]:
    """Say what was decided, with what became of the cache where the kernel has one."""
    data: bytes | None = context.output(TilingOutput.DATA)
    if data is None:
        return ()
    return (
        Tiling(
            len(data),
            data,
            context.output(TilingOutput.KEY),
            int(context.output(TilingOutput.ATOMIC_CLEAN)),
            context.output(TilingOutput.BLOCK_DIM),
            context.output(TilingOutput.COND),
            cache,
        ),
    )


def trace_tiling_legacy(context: KernelContext) -> tuple[Tiling, ...]:
    """Say what was decided; nothing before the first run. There is no part about a cache."""
    return _decided(context, None)
