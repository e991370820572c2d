"""Kinds of kernels that several passes and the priorities tell apart, as lists of types.

If each of them had its own list, a new launch kernel would be fused by one pass and run too late by the next.

Source: spec/lowering.md 7.2, 7.3, 8.2; the critical sections are those of GE's REGISTER_KERNEL lines.
"""

CONSTANTS = frozenset({"Const", "Constant"})

CORE_LAUNCHES = frozenset(
    {
        "LaunchKernelWithHandle",
        "LaunchKernelWithFlag",
        "LaunchMixKernelWithHandle",
        "LaunchMixKernelWithFlag",
        "AtomicLaunchKernelWithHandle",
        "AtomicLaunchKernelWithFlag",
    }
)
"""Launches on AI Core: the copy of their host inputs may flow with their arguments."""

ALLOCATIONS = frozenset(
    {
        "AllocMemory",
        "AllocMemHbm",
        "AllocMemHost",
        "AllocBatchHbm",
        "AllocCopyFlowHbm",
        "AllocateFftsMem",
        "AllocateBatchFftsMems",
        "AllocFixedFeatureMemory",
    }
)
"""Kernels that take memory for one step."""
