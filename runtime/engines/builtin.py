"""The converters this version has, as one explicit list.

Nothing is found by scanning: what is not in this list is not lowered, and the order is the one the message of a
missing converter shows.
"""

from runtime.engines.aicore.converter import convert_aicore
from runtime.engines.contract import Converter
from runtime.engines.control_flow.if_case import convert_case, convert_if
from runtime.engines.control_flow.while_loop import convert_while
from runtime.engines.ge_local.const import convert_const
from runtime.engines.ge_local.data import convert_data
from runtime.engines.ge_local.identity import convert_identity
from runtime.engines.ge_local.net_output import convert_net_output
from runtime.engines.registry import ConverterRegistry
from runtime.values import Placement


def builtin_converters() -> ConverterRegistry:
    """Give a registry of all built-in converters (names and placements: spec/lowering.md 3)."""
    return ConverterRegistry(
        [
            Converter("AIcoreEngine", Placement.DEVICE_HBM, convert_aicore),
            Converter("VectorEngine", Placement.DEVICE_HBM, convert_aicore),
            Converter("Data", None, convert_data),
            Converter("Const", None, convert_const),
            Converter("NetOutput", None, convert_net_output),
            Converter("Identity", None, convert_identity),
            Converter("IdentityN", None, convert_identity),
            Converter("If", None, convert_if),
            Converter("_If", None, convert_if),
            Converter("StatelessIf", None, convert_if),
            Converter("Case", None, convert_case),
            Converter("While", Placement.DEVICE_HBM, convert_while),
            Converter("StatelessWhile", Placement.DEVICE_HBM, convert_while),
        ]
    )
