"""Whether a consumer needs the elements of an input on the host, and not only its shape.

If converters decided this themselves, the copy would be made behind their backs or not at all: it is made before they
are called, with the inputs.

Source: spec/lowering.md 5.1 (DataDependentInterpreter).
"""

from getrace.errors import ModelError
from runtime.engines.ir_inputs import input_name, ir_index
from runtime.engines.op_library import OpLibrary
from runtime.graph.compute_graph import ComputeNode

INFER_DEPENDS_ATTR = "_op_infer_depends"
"""Names of inputs whose elements shape inference reads, as an older operator compiler leaves them on a node."""

CONDITION_DEPENDS_ATTR = "x_dependency"
"""Inputs whose elements the function of a ConditionCalc reads; of the others it gets the shapes."""


def needs_elements(library: OpLibrary, node: ComputeNode, slot: int) -> bool:
    """Say whether shape inference or tiling of a node reads the elements of an input.

    Raises ModelError when the operator's registration has such inputs and the node's definition lacks this one.
    """
    named = node.op.attrs.get(INFER_DEPENDS_ATTR)
    if isinstance(named, tuple) and input_name(node, slot) in named:
        return True
    read = node.op.attrs.get(CONDITION_DEPENDS_ATTR)
    if node.type == "ConditionCalc" and isinstance(read, tuple) and slot in read:
        return True
    traits = library.traits(node.type)
    depends = traits.data_dependency | traits.tiling_dependency
    if not depends:
        return False
    index = ir_index(node, slot)
    if index is None:
        source = node.inputs[slot]
        producer = "" if source is None else source[0].name
        raise ModelError(
            f"Failed to get data dependent flag for node {node.name}, src node {producer}, input index {slot}",
            f"the definition of {node.type} lists fewer inputs than the node has",
        )
    return index in depends
