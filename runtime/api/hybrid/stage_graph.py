"""Cutting a model in stages into one model per stage, and who feeds whom (spec/execution.md 3.9).

The model is read and never changed: a stage's graph is copied. GE moves it under a new parent instead, which is why a
model in stages can be loaded only once there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from getrace.errors import ModelError
from runtime.api.hybrid.model import STAGE_ATTR
from runtime.engines.ge_local.data import INPUT_TYPES
from runtime.graph.compute_graph import ComputeGraph, ComputeNode

_CALL: Final = "PartitionedCall"
_NET_OUTPUT: Final = "NetOutput"
_STATELESS: Final = frozenset({_NET_OUTPUT, "Variable", *INPUT_TYPES})
STAGE_GRAPH_OPS: Final = frozenset({_CALL, _NET_OUTPUT, *INPUT_TYPES})
"""``kStageGraphOps``: what a root of stages may hold."""


@dataclass(frozen=True, slots=True)
class Feed:
    """An input that the caller gives, by index."""

    index: int


@dataclass(frozen=True, slots=True)
class Product:
    """An output of another stage."""

    stage: str
    output: int


@dataclass(slots=True)
class StagePlan:
    """One stage: its model, where its inputs come from, and the outputs of the whole model that it makes.

    ``producers`` are all stages it waits for, those of control edges included; ``fetched`` gives, by output of the
    stage, the outputs of the model that are this one.
    """

    name: str
    graph: ComputeGraph
    inputs: list[Feed | Product] = field(default_factory=list)
    producers: list[str] = field(default_factory=list)
    fetched: dict[int, list[int]] = field(default_factory=dict)


def plan_stages(graph: ComputeGraph) -> list[StagePlan]:
    """Cut a model into its stages, in the order of the graph; stages that make nothing are left out.

    Raises ModelError for a node that is no stage, for a call without a graph, and for an output that no stage makes.
    """
    for node in graph.nodes:
        if node.type not in STAGE_GRAPH_OPS:
            raise ModelError(f"Found non-stage node {node.name} {node.type} in stage graph {graph.name}")
    stages = {node.name: node for node in graph.of_type([_CALL]) if _has_meaning(node)}
    plans = {name: StagePlan(name, copied_stage(node)) for name, node in stages.items()}
    for name, node in stages.items():
        _connect(plans[name], node, stages)
    for end in graph.of_type([_NET_OUTPUT]):
        _fetch(plans, end)
    return list(plans.values())


def copied_stage(node: ComputeNode) -> ComputeGraph:
    """The graph of a stage as a model of its own: its inputs are numbered as the stage's are."""
    if not node.subgraphs:
        raise ModelError(f"Subgraph of stage node {node.name} not found")
    model = _copied(node.subgraphs[0], f"Stage_{node.name}")
    for data in model.of_type(INPUT_TYPES):
        data.op.attrs["index"] = data.op.attrs.get("_parent_node_index", data.op.attrs.get("index", 0))
        data.op.attrs.pop("_parent_node_index", None)
    return model


def _has_meaning(node: ComputeNode) -> bool:
    if node.consumers or any(after.type != _NET_OUTPUT for after in node.control_consumers):
        return True
    return any(inner.type not in _STATELESS for graph in node.subgraphs for inner in graph.all_nodes())


def _connect(plan: StagePlan, node: ComputeNode, stages: Mapping[str, ComputeNode]) -> None:
    for slot, source in enumerate(node.inputs):
        if source is None:
            raise ModelError(f"input {slot} of stage {node.name} is not fed")
        feeding, output = source
        if feeding.type in INPUT_TYPES:
            index = feeding.op.attrs["index"]
            assert isinstance(index, int)
            plan.inputs.append(Feed(index))
        else:
            plan.inputs.append(Product(feeding.name, output))
            _add_producer(plan, feeding, stages)
    for before in node.control_inputs:
        if before.type not in INPUT_TYPES:
            _add_producer(plan, before, stages)


def _add_producer(plan: StagePlan, source: ComputeNode, stages: Mapping[str, ComputeNode]) -> None:
    if source.name not in stages:
        raise ModelError(f"Stage for node {source.name} not found")
    if source.name not in plan.producers:
        plan.producers.append(source.name)


def _fetch(plans: Mapping[str, StagePlan], end: ComputeNode) -> None:
    for position, source in enumerate(end.inputs):
        if source is None or source[0].name not in plans:
            raise ModelError(f"output {position} of the model is made by no stage", "an output comes out of a stage")
        node, output = source
        plans[node.name].fetched.setdefault(output, []).append(position)


def _copied(graph: ComputeGraph, name: str) -> ComputeGraph:
    """Copy a graph with all below it; operators are copied, too, since lowering may be told more of them."""
    made = ComputeGraph(name, graph.attrs)
    made.attrs.pop(STAGE_ATTR, None)
    nodes = {node: made.add(replace(node.op, attrs=dict(node.op.attrs))) for node in graph.nodes}
    for node, twin in nodes.items():
        for slot, source in enumerate(node.inputs):
            if source is not None:
                made.connect(nodes[source[0]], source[1], twin, slot)
        for before in node.control_inputs:
            made.order(nodes[before], twin)
        for below in node.subgraphs:
            made.add_subgraph(twin, _copied(below, below.name))
    return made
