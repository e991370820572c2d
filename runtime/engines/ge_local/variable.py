"""Variable and Constant: tensors that the session keeps between models.

They are split out of the session on Init, by name: a converter that allocated them would give each model its own.

Source: spec/lowering.md 4.11.
"""

from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.variables import split_variable
from runtime.graph.compute_graph import ComputeNode
from runtime.values import Placement

PLACEMENT_ATTR = "_variable_placement"
ON_HOST = "host"
"""Where a variable lies (``ATTR_VARIABLE_PLACEMENT``); the device without the attribute."""


def convert_variable(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a variable: its shape and its address, on the device or the host, come out of the session."""
    on_host = node.op.attrs.get(PLACEMENT_ATTR) == ON_HOST
    placement = Placement.HOST if on_host else Placement.DEVICE_HBM
    shape, address = split_variable(lowered.context, node.name, placement)
    return LowerResult([shape], [address])
