"""Which plugin takes an operator of a model's version, and what is to be said when none does.

GE looks for the exact version and gives up without it; getrace takes the nearest plugin and warns, unless it is told to
be as strict. Both look here, or a model would be refused by one and half taken by the other.

Source: spec/formats.md 5.1 (1), 5.2 (Loop and Scan), errors E16002.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from getrace.dumps.onnx_model import DEFAULT_DOMAIN, OnnxGraph, OnnxNode
from getrace.errors import ModelError
from runtime.frontend.onnx.registered import Registered, registered_for

BUILT_IN: Final = frozenset({"Constant"})
"""Operators that GE's parser itself makes constants of."""

_WITHOUT: Final = dict.fromkeys(("Loop", "Scan"), "GE has no adapter for its body")
_NPU: Final = "npu"
_LISTED: Final = 20


class Plugins:
    """The plugins of one model. Collects what is to be warned of; ``opsets`` is what the model imports."""

    def __init__(self, opsets: Mapping[str, int], strict: bool) -> None:
        self._opsets = opsets
        self._strict = strict
        self._outside: dict[str, str] = {}

    def check(self, graph: OnnxGraph) -> None:
        """Look at every operator of a model. Raises ModelError that lists all that GE, or getrace, does not take."""
        unknown = _joined(self._refusal(node) for node in _all_nodes(graph))
        if unknown:
            raise ModelError(
                f"Ascend's front end does not take {_counted(unknown)} of this model: {_listed(unknown)}",
                "replace them in the model, or export it with operators of the mapping table",
            )
        if self._strict and self._outside:
            raise ModelError(
                f"GE refuses this model: {'; '.join(self._outside.values())}",
                "export it with a version GE takes, or leave out --strict-opset",
            )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What GE would refuse and getrace takes."""
        if not self._outside:
            return ()
        return (f"GE would refuse this model: {'; '.join(self._outside.values())}; the nearest plugin is used",)

    def plugin(self, node: OnnxNode) -> tuple[Registered, int]:
        """Give the plugin of an operator that was checked, and the version it is read in."""
        return self._nearest(node), self._opset(node)

    def _refusal(self, node: OnnxNode) -> str:
        """Say why an operator is not taken, "" when it is."""
        if node.domain == DEFAULT_DOMAIN and node.op_type in BUILT_IN:
            return ""
        if node.domain not in self._opsets:
            return f"{node.op_type} (the model imports no version of the domain {node.domain})"
        if node.domain not in (DEFAULT_DOMAIN, _NPU):
            return f"{node.op_type} of the domain {node.domain}"
        if not registered_for(node.op_type):
            return f"{node.op_type} ({_WITHOUT.get(node.op_type, 'no plugin is registered')})"
        self._note(node)
        return ""

    def _note(self, node: OnnxNode) -> None:
        opset, rows = self._opset(node), registered_for(node.op_type)
        if node.domain != _NPU and not any(row.takes(opset) for row in rows):
            first, last = min(row.first for row in rows), max(row.last for row in rows)
            key = f"{node.domain}::{opset}::{node.op_type}"
            self._outside[key] = f"{key} is not registered (versions {first} to {last} are)"

    def _opset(self, node: OnnxNode) -> int:
        return self._opsets[node.domain]

    def _nearest(self, node: OnnxNode) -> Registered:
        opset, rows = self._opset(node), registered_for(node.op_type)
        return min(rows, key=lambda row: max(row.first - opset, opset - row.last, 0))


def _all_nodes(graph: OnnxGraph) -> Iterator[OnnxNode]:
    pending = [graph]
    while pending:
        each = pending.pop()
        for node in each.nodes:
            yield node
            pending.extend(below for _, below in node.graphs())


def _joined(refusals: Iterator[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for text in refusals:
        if text:
            counts[text] = counts.get(text, 0) + 1
    return counts


def _counted(unknown: Mapping[str, int]) -> str:
    return "one operator type" if len(unknown) == 1 else f"{len(unknown)} operator types"


def _listed(unknown: Mapping[str, int]) -> str:
    shown = [f"{text}, {count} nodes" if count > 1 else text for text, count in list(unknown.items())[:_LISTED]]
    return "; ".join(shown) + (f"; and {len(unknown) - _LISTED} more" if len(unknown) > _LISTED else "")
