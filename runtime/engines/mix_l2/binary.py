"""The kernels of a MixL2 operator: one per kind of core, found by name, or by a key when tiling chooses among many.

Source: spec/lowering.md 4.10.
"""

from runtime.engines.context import LoweringContext
from runtime.engines.mix_l2.task_memory import kernel_prefixes
from runtime.engines.mix_l2.tiling import MixTiled
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads import KernelBinary

NEED_MODE_ATTR = "_need_mode_addr"
"""The kernel takes its mode as an argument: there is one for all tiling keys."""

_SEPARATE, _BY_KEY, _ENHANCED = 0, 1, 2
"""How the kernels are told apart."""


def sink_mix_kernels(context: LoweringContext, node: ComputeNode, tiled: MixTiled) -> ValueHolder:
    """Load the kernels of an operator; gives where they start."""
    if tiled.key is None or node.op.attrs.get(NEED_MODE_ATTR):
        return _by_name(context, node)
    return _by_key(context, node, tiled)


def _by_name(context: LoweringContext, node: ComputeNode) -> ValueHolder:
    holders = context.holders
    kind = _ENHANCED if node.op.attrs.get("_mix_with_enhanced_kernel") else _SEPARATE
    prefixes = kernel_prefixes(node)
    inputs = [holders.const(len(prefixes)), holders.const(kind)]
    for prefix in prefixes:
        stub, name = holders.const(""), holders.const(prefix)
        kernel = holders.const(prefix + node.name)
        metadata = holders.const(str(node.op.attrs.get(f"{prefix}tvm_metadata", "")))
        binary = holders.const(KernelBinary(node.type, prefix))
        inputs.extend((stub, name, kernel, metadata, binary))
    return holders.single("SinkMixStaticNodeBin", *inputs)


def _by_key(context: LoweringContext, node: ComputeNode, tiled: MixTiled) -> ValueHolder:
    """Load all kernels and look the one up that tiling chose; the last thread of a task takes the same."""
    holders = context.holders
    prefixes = kernel_prefixes(node)
    inputs = [holders.const(len(prefixes)), holders.const(_BY_KEY)]
    key = tiled.key if tiled.written is None else holders.const(0)
    assert key is not None
    inputs.extend((key, key))
    for prefix in prefixes:
        binary, name = (
            holders.const(KernelBinary(node.type, prefix)),
            f"{node.op.attrs.get('_kernel_bin_id', '')!s}{prefix}",
        )
        handle = holders.single("SinkMixDyNodeBin", binary, holders.const(name))
        inputs.extend((holders.const(prefix), handle))
    return holders.single("GetMixAddrAndPrefCnt", *inputs)
