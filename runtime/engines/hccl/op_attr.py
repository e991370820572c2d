"""The attributes of a collective operator, read and checked once.

Source: spec/lowering.md 4.8; names and limits: GE's ``HcomOpUtils``.
"""

from collections.abc import Mapping

from getrace.errors import ModelError
from runtime.graph.compute_graph import ComputeNode
from runtime.kernels.payloads_hccl import HcomOpAttr

WORLD_GROUP = "hccl_world_group"
REDUCTIONS = ("sum", "prod", "max", "min")

# Attributes each collective must have, as (name in the model, field of HcomOpAttr, least value).
_RANK_SIZE = ("rank_size", "rank_size", 1)
_ROOT = ("root_rank", "root", 0)
_TAG = ("sr_tag", "tag", 0)

_NUMBERS: Mapping[str, tuple[tuple[str, str, int], ...]] = {
    "HcomAllGather": (_RANK_SIZE,),
    "HcomAllGatherV": (),
    "HcomAllReduce": (),
    "HcomBroadcast": (_ROOT,),
    "HcomReduceScatter": (_RANK_SIZE,),
    "HcomReduceScatterV": (),
    "HcomAllToAllV": (),
    "HcomAllToAllVC": (),
    "HcomAllToAll": (),
    "HcomSend": (("dest_rank", "peer", 0), _TAG),
    "HcomReceive": (("src_rank", "peer", 0), _TAG),
    "HcomReduce": (_ROOT,),
}

_REDUCING = frozenset({"HcomAllReduce", "HcomReduceScatter", "HcomReduceScatterV", "HcomReduce"})


def read_op_attr(node: ComputeNode) -> HcomOpAttr:
    """Read the attributes of a collective operator. Raises ModelError when one is missing or out of range."""
    group = node.op.attrs.get("group", WORLD_GROUP)
    if not isinstance(group, str) or not group:
        raise _refused(node, "group", "a name, or left out for the group of all ranks")
    descs = node.op.inputs or node.op.outputs
    numbers = {target: _number(node, name, least) for name, target, least in _NUMBERS[node.type]}
    reduction = _reduction(node) if node.type in _REDUCING else ""
    return HcomOpAttr(node.type, descs[0].dtype, group, reduction, **numbers)


def _number(node: ComputeNode, name: str, least: int) -> int:
    value = node.op.attrs.get(name)
    if not isinstance(value, int) or value < least:
        raise _refused(node, name, f"a number from {least}")
    return value


def _reduction(node: ComputeNode) -> str:
    value = node.op.attrs.get("reduction")
    if value not in REDUCTIONS:
        raise _refused(node, "reduction", f"one of {', '.join(REDUCTIONS)}")
    return str(value)


def _refused(node: ComputeNode, name: str, wanted: str) -> ModelError:
    return ModelError(
        f"generate hcom op args node failed. Attribute '{name}' of node {node.name} ({node.type}) is "
        f"{node.op.attrs.get(name)!r}",
        f"it must be {wanted}",
    )
