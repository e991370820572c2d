"""The rule of each operator of ONNX, as one list of tables.

What is in no table and becomes one operator keeps its attributes; what is in none and becomes several is refused, since
nobody could say which.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from getrace.errors import InternalError
from runtime.frontend.onnx import (
    arranging,
    axes,
    direct,
    drawing,
    elementwise,
    matrices,
    npu,
    pooling,
    reducing,
    sampling,
)
from runtime.frontend.onnx.pieces import Ref, SmallGraph
from runtime.frontend.onnx.registered import EXPANDED, Registered

Rule = Callable[[SmallGraph], Sequence[Ref]]
"""Writes the operators of a node and gives its results."""

_TABLES: Final[Sequence[Mapping[str, Rule]]] = (
    direct.TABLE,
    axes.RULES,
    elementwise.RULES,
    arranging.RULES,
    reducing.RULES,
    matrices.RULES,
    pooling.RULES,
    drawing.RULES,
    sampling.RULES,
    npu.RULES,
)


def rules_by_name() -> dict[str, Rule]:
    """Give all rules. Raises InternalError when two tables have one name."""
    found: dict[str, Rule] = {}
    for table in _TABLES:
        for name, rule in table.items():
            if name in found:
                raise InternalError(f"operator {name} of ONNX has two rules")
            found[name] = rule
    return found


def rule_of(rules: Mapping[str, Rule], name: str, plugin: Registered) -> Rule | None:
    """Give the rule of an operator, None when GE expands it in a way that the specification does not tell."""
    if name in rules:
        return rules[name]
    return None if plugin.type == EXPANDED else direct.UNLISTED
