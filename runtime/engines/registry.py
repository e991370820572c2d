"""ConverterRegistry: finds the converter of an operator.

It owns the order of the three look-ups (attribute, type, engine). If the lowering loop asked engines itself, an
operator with a converter of its own, such as Identity, would go to whichever engine came first.

Source: spec/lowering.md 3; the message is GE's (spec/kerneltrace.md 7.4).
"""

from collections.abc import Iterable
from difflib import get_close_matches

from getrace.errors import InternalError, ModelError
from runtime.engines.contract import Converter
from runtime.graph.compute_graph import ComputeNode

LOWERING_FUNC_ATTR = "_ge_attr_lowering_func"
_NEAR = 3
"""Names that are offered in place of one that is not known."""


class ConverterRegistry:
    """A table of converters by name."""

    def __init__(self, converters: Iterable[Converter]) -> None:
        self._by_name: dict[str, Converter] = {}
        for converter in converters:
            if converter.name in self._by_name:
                raise InternalError(f"converter {converter.name} is registered twice")
            self._by_name[converter.name] = converter

    @property
    def names(self) -> list[str]:
        """Registered names, in order of registration."""
        return list(self._by_name)

    def extended(self, converters: Iterable[Converter]) -> "ConverterRegistry":
        """Give a registry with some more converters; one of a known name takes its place."""
        extended = ConverterRegistry(())
        extended._by_name = self._by_name | {converter.name: converter for converter in converters}
        return extended

    def find(self, node: ComputeNode) -> Converter:
        """Find by the lowering attribute, else by type, else by engine.

        Raises ModelError naming the node when none fits; an attribute that names no converter does not fall back
        (spec/lowering.md 12.14).
        """
        attribute = node.op.attrs.get(LOWERING_FUNC_ATTR)
        candidates = (attribute,) if attribute is not None else (node.type, node.op.engine)
        for name in candidates:
            if isinstance(name, str) and name in self._by_name:
                return self._by_name[name]
        raise self._missing(node)

    def named(self, name: str, node: ComputeNode) -> Converter:
        """Give the converter of a name for a node. Raises ModelError when there is none."""
        if name not in self._by_name:
            raise self._missing(node)
        return self._by_name[name]

    def _missing(self, node: ComputeNode) -> ModelError:
        return ModelError(
            f"Failed to find the converter for node {node.name} type {node.type}",
            f"engine '{node.op.engine or 'none'}' is not lowered; {self._near(node)}",
        )

    def _near(self, node: ComputeNode) -> str:
        """Give the names that a person may have meant: there are about ninety."""
        wanted = node.op.attrs.get(LOWERING_FUNC_ATTR, node.op.engine)
        near = get_close_matches(str(wanted), self._by_name, _NEAR)
        first = (
            f"near names are {', '.join(near)}" if near else f"engines are {', '.join(self.names[:_NEAR])} and others"
        )
        return f"{first}; all {len(self._by_name)} stand in runtime/engines/builtin.py"
