"""An ONNX model as it stands in its file: records, and nothing of what they mean to Ascend.

It owns the words of ONNX. The reader fills them, the front end translates them and a view draws them; if each had its
own, a field would be read in three ways.

Source: spec/formats.md 5; onnx.proto3 of the ONNX project for the fields.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Union

DEFAULT_DOMAIN = "ai.onnx"
"""What an empty domain means."""


@dataclass(frozen=True, slots=True)
class OnnxTensor:
    """A tensor with its elements where they lie: ``raw``, ``lists`` of one kind, ``strings``, or another file.

    ``dtype`` is ONNX's number. ``lists`` holds parts of a typed list as (field number, wire type, bytes); ``external``
    is what the model says of the other file, empty when the elements are here. ``at`` is the tensor's offset in the
    model's file.
    """

    name: str
    dims: tuple[int, ...]
    dtype: int
    raw: memoryview | None = None
    lists: tuple[tuple[int, int, memoryview], ...] = ()
    strings: tuple[bytes, ...] = ()
    external: Mapping[str, str] = field(default_factory=dict)
    at: int = 0


@dataclass(frozen=True, slots=True)
class OnnxValue:
    """What a model says of a value: type (ONNX's number, 0 for no tensor) and dimensions.

    A dimension that is open is -1; ``dims`` is None when nothing is said, so that the rank is open, too.
    """

    name: str
    dtype: int = 0
    dims: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class OnnxOther:
    """An attribute of a kind that no operator of Ascend has: a type, or a sparse tensor. ``kind`` is ONNX's number."""

    kind: int


AttrItem = Union[int, float, str, OnnxTensor, "OnnxGraph", OnnxOther]
OnnxAttr = AttrItem | tuple[AttrItem, ...]
"""An attribute's value; texts are UTF-8 with other bytes as surrogates."""


@dataclass(frozen=True, slots=True)
class OnnxNode:
    """A node. An input that is left out is ""; ``domain`` is ``ai.onnx`` where the file has none."""

    op_type: str
    name: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attrs: Mapping[str, OnnxAttr]
    at: int = 0

    def graphs(self) -> Iterator[tuple[str, "OnnxGraph"]]:
        """Give the graphs among the attributes, with the attribute's name."""
        for name, value in self.attrs.items():
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, OnnxGraph):
                    yield name, item


@dataclass(frozen=True, slots=True)
class OnnxGraph:
    """A graph: nodes in file order; ``infos`` holds everything that is described, by name."""

    name: str
    nodes: tuple[OnnxNode, ...]
    initializers: tuple[OnnxTensor, ...]
    inputs: tuple[OnnxValue, ...]
    outputs: tuple[OnnxValue, ...]
    infos: Mapping[str, OnnxValue]


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A model file. ``opsets`` gives the version of each domain's operators."""

    ir_version: int
    producer: str
    opsets: Mapping[str, int]
    graph: OnnxGraph
