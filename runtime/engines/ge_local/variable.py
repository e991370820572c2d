"""Variable and Constant: tensors that the session keeps between models.

They are split out of the session on Init, by name: a converter that allocated them would give each model its own.

Source: spec/lowering.md 4.11.
"""

from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.variables import split_variable
from runtime.graph.compute_graph import ComputeNode


def convert_variable(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a variable: its shape and its device address come out of the session."""
    shape, address = split_variable(lowered.context, node.name)
    return LowerResult([shape], [address])
