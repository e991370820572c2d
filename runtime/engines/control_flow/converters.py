"""The rows of control flow in the registry: operators that own graphs of the model.

Source: spec/lowering.md 3.
"""

from runtime.engines.contract import Converter
from runtime.engines.control_flow.if_case import convert_case, convert_if
from runtime.engines.control_flow.partitioned_call import convert_partitioned_call
from runtime.engines.control_flow.while_loop import convert_while
from runtime.values import Placement

OWNERS_OF_GRAPHS: tuple[Converter, ...] = (
    Converter("If", None, convert_if),
    Converter("_If", None, convert_if),
    Converter("StatelessIf", None, convert_if),
    Converter("Case", None, convert_case),
    Converter("While", Placement.DEVICE_HBM, convert_while),
    Converter("StatelessWhile", Placement.DEVICE_HBM, convert_while),
    Converter("PartitionedCall", Placement.DEVICE_HBM, convert_partitioned_call),
)
