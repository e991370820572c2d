"""Optional inputs that nobody feeds: kernels of the AI CPU count them, so their places are filled.

If shapes and addresses were filled in two places, an operator could see the shape of one input beside the address of
another.

Source: spec/lowering.md 4.5 (``optional_input_placeholder``).
"""

from dataclasses import dataclass

from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement, StorageShape

PLACEHOLDER_ATTR = "optional_input_placeholder"


@dataclass(frozen=True, slots=True)
class DeclaredInputs:
    """One holder per declared input. ``first_shape`` and ``first_address`` must exist before they are used.

    Both are None when nothing was filled in.
    """

    shapes: list[ValueHolder]
    addresses: list[ValueHolder]
    first_shape: ValueHolder | None = None
    first_address: ValueHolder | None = None


def wants_placeholders(node: ComputeNode) -> bool:
    """Whether the operator's kernel counts inputs that nobody feeds."""
    return bool(node.op.attrs.get(PLACEHOLDER_ATTR, False))


def input_count(node: ComputeNode, lowered: LowerInput) -> int:
    """Inputs as the kernel counts them."""
    return len(node.op.inputs) if wants_placeholders(node) else len(lowered.addresses)


def declared_inputs(node: ComputeNode, lowered: LowerInput, placement: Placement) -> DeclaredInputs:
    """Fill the places of missing inputs: constants for shapes, a kernel with null addresses for the others."""
    plain = DeclaredInputs(lowered.shapes, lowered.addresses)
    if not wants_placeholders(node) or len(lowered.shapes) == len(node.op.inputs):
        return plain
    return DeclaredInputs(
        shapes := _shapes(lowered.context, node, lowered.shapes),
        addresses := _addresses(lowered.context, node, lowered.addresses, placement),
        shapes[0],
        addresses[0],
    )


def _shapes(context: LoweringContext, node: ComputeNode, fed: list[ValueHolder]) -> list[ValueHolder]:
    remaining = iter(fed)
    return [
        next(remaining) if source is not None else context.holders.const(StorageShape(desc.shape, desc.storage))
        for desc, source in zip(node.op.inputs, node.inputs, strict=True)
    ]


def _addresses(
    context: LoweringContext, node: ComputeNode, fed: list[ValueHolder], placement: Placement
) -> list[ValueHolder]:
    where = context.holders.const(placement)
    return context.holders.many("ExpandAicpuOptionalInputAddrs", len(node.op.inputs), *fed, where)
