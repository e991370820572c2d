"""What a converter takes and gives, and where the results of the nodes before it are found.

A converter sees holders and never the graph. If it could reach into other nodes' results, the copies between places
(see ``placed_result``) would be made twice.

Source: spec/lowering.md 2.3 and 3 (LowerInput, LowerResult).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from runtime.engines.context import LoweringContext
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement


class Walk(Protocol):
    """The walk that calls converters, for those that have to go on with it: owners of sub graphs, fall-backs."""

    def lower_graph(self, graph: ComputeGraph, ends: "Ends | None" = None) -> "LowerResult":
        """Lower all nodes of a graph into the current frame; gives the result of its NetOutput."""

    def lower_as(self, name: str, node: ComputeNode, lowered: "LowerInput") -> "LowerResult":
        """Lower a node with the converter of a name, whatever the node's own one is."""

    def result_of(self, node: ComputeNode) -> "LowerResult":
        """Give the result of a node that was lowered before. Raises ModelError when it was not."""

    def stand_for(self, node: ComputeNode, source: ComputeNode) -> "LowerResult":
        """Let all results of a node be those of another one that was lowered before."""

    def raw_input(self, node: ComputeNode, slot: int, placement: Placement) -> tuple[ValueHolder, ValueHolder]:
        """Give an input of a node at a place as one raw tensor (``placed_result.Form.RAW``), and its address."""


@dataclass(slots=True)
class LowerInput:
    """Shape and address of each data input, in order, and the holders the node's kernels must wait for."""

    context: LoweringContext
    walk: Walk
    shapes: list[ValueHolder] = field(default_factory=list)
    addresses: list[ValueHolder] = field(default_factory=list)
    order_holders: list[ValueHolder] = field(default_factory=list)


@dataclass(slots=True)
class LowerResult:
    """Shape and address of each output. ``order_holders``: whoever uses the outputs waits for them.

    The placement of an address holder says where the bytes are, its ``stream_id`` on which stream they were made.
    ``weight`` marks constants, which reach the device through the weight memory and not through a copy of each step.
    """

    shapes: list[ValueHolder] = field(default_factory=list)
    addresses: list[ValueHolder] = field(default_factory=list)
    order_holders: list[ValueHolder] = field(default_factory=list)
    weight: bool = False


Convert = Callable[[ComputeNode, LowerInput], LowerResult]


@dataclass(frozen=True, slots=True)
class Converter:
    """A row of the registry: the name it is found by, where it wants its inputs (None: anywhere), what it does.

    ``moves_streams``: the converter itself brings memory of other streams to its own.
    """

    name: str
    placement: Placement | None
    convert: Convert
    moves_streams: bool = False


@dataclass(frozen=True, slots=True)
class Ends:
    """How the Data nodes and the NetOutput of a graph that a node owns are lowered: they are no ends of the model.

    GE writes the names of these converters on the nodes; here the owner hands them to the walk, so that lowering
    leaves the model as it was.
    """

    data: Converter
    net_output: Converter

    def of(self, node: ComputeNode) -> Converter | None:
        """Give the converter of an end, None for a node in between."""
        return {"Data": self.data, "NetOutput": self.net_output}.get(node.type)
