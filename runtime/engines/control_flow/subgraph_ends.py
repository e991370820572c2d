"""The ends of a graph that a node owns: Data nodes read the owner's inputs, the NetOutput gives its outputs.

The owner's kernel takes all shapes, then all addresses; a Data node that stands for input k reads one of each. If each
operator laid its inputs out itself, a body would read the shape of one tensor with the address of another.

Source: spec/lowering.md 4.12 (``_subgraph_input``, ``_subgraph_output``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from getrace.errors import ModelError
from runtime.engines.contract import Converter, Ends, LowerInput, LowerResult
from runtime.engines.memory import at
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import HolderFactory, ValueHolder

PARENT_INDEX_ATTR = "_parent_node_index"


@dataclass(frozen=True, slots=True)
class Outer:
    """The addresses an owner was given, and at which input of its kernel the shapes start (the addresses follow)."""

    addresses: Sequence[ValueHolder]
    start: int = 0

    def read(self, node: ComputeNode, lowered: LowerInput) -> LowerResult:
        """Lower a Data node of the owned graph: the owner's input, where it lies. Raises ModelError without one."""
        index = parent_index(node, len(self.addresses))
        holders = lowered.context.holders
        shape = holders.inner_data(self.start + index)
        address = holders.inner_data(self.start + len(self.addresses) + index)
        outside = self.addresses[index]
        return LowerResult([shape], [at(address, outside.placement, outside.stream_id)])


def parent_index(node: ComputeNode, count: int) -> int:
    """Which input of the owner a Data node stands for. Raises ModelError when it does not say or there is none."""
    index = node.op.attrs.get(PARENT_INDEX_ATTR)
    if not isinstance(index, int) or not 0 <= index < count:
        raise ModelError(
            f"Failed to get the parent node index of node {node.name}",
            f"set its attribute '{PARENT_INDEX_ATTR}' to an input of the owner, which has {count}",
        )
    return index


def ends_of(outer: Outer, net_output: Converter | None = None) -> Ends:
    """The ends of a branch; loops give a ``net_output`` of their own."""
    data = Converter("_subgraph_input", None, outer.read)
    return Ends(data, net_output or Converter("_subgraph_output", None, _give))


def _give(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower the NetOutput of a branch: its values pass kernels of their own, since the branch may not run."""
    del node
    if not lowered.shapes:
        return LowerResult()
    shapes, addresses = pass_on(lowered.context.holders, lowered.shapes, lowered.addresses)
    return LowerResult(shapes, addresses, [shapes[0], addresses[0]])


def pass_on(
    holders: HolderFactory, shapes: Sequence[ValueHolder], addresses: Sequence[ValueHolder]
) -> tuple[list[ValueHolder], list[ValueHolder]]:
    """Write one IdentityShape and one IdentityAddr for all values; places stay."""
    passed_shapes = holders.many("IdentityShape", len(shapes), *shapes)
    passed = holders.many("IdentityAddr", len(addresses), *addresses)
    for address, before in zip(passed, addresses, strict=True):
        at(address, before.placement, before.stream_id)
    return passed_shapes, passed
