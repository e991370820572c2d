"""Fused host operators: a group of small operators that was compiled into one library for the host.

It owns the life of that library. The state is released before the library it was created by; the other way round, the
release would call code that is gone.

Source: spec/lowering.md 4.6 (Fused).
"""

from getrace.errors import ModelError
from runtime.engines.contract import LowerInput
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.kernels.payloads_aicpu import FusedHostCpuState

FUSED_TYPE = "FusedHostCpu"
REGISTER_NAME_ATTR = "_host_cpu_fusion_register_name"
SO_KEY_ATTR = "_host_cpu_fusion_so_key"


def prepare_fused(node: ComputeNode, lowered: LowerInput) -> FusedHostCpuState:
    """Find the library and write what releases it into DeInit. Raises ModelError, in GE's words, when it is missing."""
    register_name = node.op.attrs.get(REGISTER_NAME_ATTR)
    if not isinstance(register_name, str):
        raise ModelError(f"Load fused HostCPU kernel failed for node {node.name}: register name is missing.")
    _find_library(node)
    state = FusedHostCpuState(register_name, len(lowered.addresses), len(node.op.outputs))
    holders, selector = lowered.context.holders, lowered.context.selector
    selector.on_deinit_root(lambda: holders.guarder("ReleaseFusedHostCpuKernelState", holders.const(state)))
    selector.on_deinit_root(lambda: holders.guarder("ReleaseFusedHostCpuSo", holders.const(register_name)))
    return state


def compute_fused(
    lowered: LowerInput, state: FusedHostCpuState, shapes: list[ValueHolder], addresses: list[ValueHolder]
) -> list[ValueHolder]:
    """Compute a fused group; the addresses it gives are those that went in, and live on the host as they do."""
    holders = lowered.context.holders
    given = (*lowered.shapes, *lowered.addresses, *shapes, *addresses)
    computed = holders.many("FusedHostCpuCompute", len(addresses), holders.const(state), *given)
    for output, address in zip(computed, addresses, strict=True):
        output.placement, output.stream_id = address.placement, address.stream_id
    return computed


def _find_library(node: ComputeNode) -> None:
    so_key = node.op.attrs.get(SO_KEY_ATTR)
    if not isinstance(so_key, str):
        raise ModelError(f"Load fused HostCPU kernel failed for node {node.name}: so key is missing.")
    root = node.graph.root
    if so_key not in root.attrs:
        raise ModelError(
            f"Load fused HostCPU kernel failed for node {node.name}: so key[{so_key}] was not found in root "
            f"graph[{root.name}], owner graph[{node.graph.name}]."
        )
