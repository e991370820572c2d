"""The operators that come with the simulator, as one list."""

from runtime.ops import add_example, identity, library, memset
from runtime.ops.registry import OpRegistry


def builtin_ops() -> OpRegistry:
    """Give a new registry with every operator of this package."""
    ops = OpRegistry()
    for register in (add_example.register, identity.register, library.register, memset.register):
        register(ops)
    return ops
