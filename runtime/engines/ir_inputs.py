"""Which input of an operator's definition (IR) an input of a node is.

A node lists the tensors it has; its definition lists names, of which an optional one may be missing and a dynamic one
may stand for many. Whoever counted tensors instead would read the wrong registration as soon as one is left out.

Source: spec/lowering.md 5.1; attributes ``_ir_inputs_*`` and ``_input_name_*`` of GE's dumps.
"""

from runtime.graph.compute_graph import ComputeNode

REQUIRED, OPTIONAL, DYNAMIC = 0, 1, 2
"""``IrInputType``: one tensor, one or none, any number of them."""


OPTIONAL_MODE_ATTR = "optionalInputMode"
"""What the kernel of an operator gets for an input that is left out."""


def input_name(node: ComputeNode, slot: int) -> str:
    """Name of an input of a node (``GetValidInputNameByIndex``), empty when the model does not say."""
    return _named(node, "_input_name", slot) or node.op.inputs[slot].name


def output_name(node: ComputeNode, index: int) -> str:
    """Name of an output of a node, empty when the model does not say."""
    return _named(node, "_output_name", index) or node.op.outputs[index].name


def _named(node: ComputeNode, stem: str, wanted: int) -> str:
    names, positions = node.op.attrs.get(f"{stem}_key"), node.op.attrs.get(f"{stem}_value")
    if isinstance(names, tuple) and isinstance(positions, tuple):
        for name, position in zip(names, positions, strict=False):
            if position == wanted:
                return str(name)
    return ""


def ir_index(node: ComputeNode, slot: int) -> int | None:
    """Position in the definition of the input a node has at ``slot``; None when the definition is too short.

    A model without definitions lists its inputs as they are defined.
    """
    names, kinds = node.op.attrs.get("_ir_inputs_key"), node.op.attrs.get("_ir_inputs_value")
    if not isinstance(names, tuple) or not isinstance(kinds, tuple):
        return slot
    first = 0
    for index, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        first += _instances(node, first, str(name), kind, last=index == len(names) - 1)
        if slot < first:
            return index
    return None


def is_optional(node: ComputeNode, slot: int) -> bool:
    """Whether the definition lets an input of a node be left out, or the compiler counted on it."""
    if OPTIONAL_MODE_ATTR in node.op.attrs:
        return True
    kinds, index = node.op.attrs.get("_ir_inputs_value"), ir_index(node, slot)
    return isinstance(kinds, tuple) and index is not None and kinds[index] == OPTIONAL


def _instances(node: ComputeNode, first: int, name: str, kind: object, *, last: bool) -> int:
    """How many inputs of the node, from ``first``, an input of the definition stands for."""
    rest = len(node.op.inputs) - first
    if kind == REQUIRED or rest <= 0:
        return 1
    if kind == OPTIONAL:
        return 1 if input_name(node, first) in (name, "") else 0
    if last:
        return rest
    numbered = 0
    while numbered < rest and input_name(node, first + numbered) == f"{name}{numbered}":
        numbered += 1
    return numbered
