"""MemSet and DynamicAtomicAddrClean: what clears memory before an operator adds to it.

Their launch kernels write the zeroes themselves, because an atomic launch has addresses and no shapes; what stands here
is what the compiler package brings along: a tiling function and a binary to load.
"""

from runtime.ops.context import TilingContext
from runtime.ops.op_def import GRAPH_SUCCESS, KernelArgs, OpDef
from runtime.ops.registry import OpRegistry, impl_op_optiling, kernel_binary, op_add

TYPES = ("MemSet", "DynamicAtomicAddrClean")


def tile_clean(context: TilingContext) -> int:
    """One core clears all: how many blocks there are is in the arguments."""
    context.set_block_dim(1)
    return GRAPH_SUCCESS


def clean(args: KernelArgs) -> None:
    """Clear what the launch gives as outputs."""
    for output in args.outputs:
        output[:] = 0


def register(ops: OpRegistry) -> None:
    """Enter both into a registry."""
    for name in TYPES:
        op_add(ops, OpDef(name, (), ()))
        impl_op_optiling(ops, name, tile_clean)
        kernel_binary(ops, name, clean)
