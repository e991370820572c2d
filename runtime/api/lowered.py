"""A model lowered and looked at: every stage as a picture, and which pass made or removed a node.

This is what ``getrace lower`` and ``getrace graph --pass`` call. It runs nothing and needs no device; if the command
line put stages and passes together itself, each verb would do it in its own way.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph
from getrace.errors import UsageError
from getrace.events.graphs import PassApplied
from runtime.api.models import Model
from runtime.engines.op_library import library_of
from runtime.engines.options import LoweringOptions
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.to_snapshot import snapshot_of
from runtime.lowering.passes.optimizer import final_passes, repeated_passes
from runtime.lowering.pipeline import lower_model
from runtime.ops.builtin import builtin_ops

MARK: Final = "getrace_pass"
"""Attribute of a picture's node: what the pass did to it."""

_DID: Final = (("added", "made"), ("rewired", "rewired"), ("moved", "moved"))


@dataclass(frozen=True, slots=True)
class LoweredModel:
    """All stages of a lowering in GE's order, the last being what runs, what each pass did, the model's warnings."""

    name: str
    stages: tuple[GraphSnapshot, ...]
    passes: tuple[PassApplied, ...]
    warnings: tuple[str, ...] = ()

    @property
    def final(self) -> GraphSnapshot:
        """The graph as it is executed."""
        return self.stages[-1]

    def history(self, node: str) -> list[tuple[str, PassApplied | None]]:
        """Tell what happened to a node, in order: pairs of a word and the pass; None stands for the walk itself.

        Raises UsageError for a name that no stage has.
        """
        told: list[tuple[str, PassApplied | None]] = []
        for applied in self.passes:
            for field, word in (*_DID, ("removed", "removed")):
                if node in getattr(applied, field):
                    told.append((word, applied))
        if not told or told[0][0] != "made":
            if not any(node in _names(stage) for stage in self.stages[1:]):
                raise UsageError(f"no stage of {self.name} has a node {node!r}", "list the nodes with `getrace lower`")
            told.insert(0, ("made", None))
        return told

    def after(self, wanted: str) -> GraphSnapshot:
        """Give the graph after a pass, by the pass's name, GE's stage, or the stage without ``After``; the last turn.

        Nodes that the pass made, rewired or moved say so in the attribute ``MARK``. Raises UsageError, naming what
        there is, when no such pass changed the graph.
        """
        found = [stage for stage in self.stages if wanted.lower() in _spellings(stage.stage)]
        if not found:
            raise UsageError(f"no pass {wanted!r} changed the graph of {self.name}", self._what_there_is())
        turns = [applied for applied in self.passes if _stages_of_passes().get(applied.name) == found[-1].stage]
        return _marked(found[-1], turns)

    def _what_there_is(self) -> str:
        stages = dict.fromkeys(stage.stage for stage in self.stages)
        return f"its stages are {', '.join(stages)}"


def lower_for_view(model: Model, options: LoweringOptions | None = None) -> LoweredModel:
    """Lower a model completely and keep each stage, for the operators of a run unless ``options`` say others.

    Raises ModelError as ``lower_model`` does.
    """
    stages: list[GraphSnapshot] = []

    def see(stage: str, graph: ComputeGraph | ExecuteGraph) -> None:
        stages.append(snapshot_of(graph, stage))

    lowered = lower_model(model.graph, options or LoweringOptions(library=library_of(builtin_ops())), see=see)
    return LoweredModel(model.name, tuple(stages), lowered.passes, model.warnings)


def _stages_of_passes() -> dict[str, str]:
    """Give, by the name of each pass there is, the stage that GE dumps after it (spec/lowering.md 7)."""
    every = LoweringOptions(trust_shape_on_out_tensor=True, single_op_scene=True, max_runtime_core_number=2)
    return {each.name: each.stage for each in (*repeated_passes(every), *final_passes(every))}


def _names(stage: GraphSnapshot) -> Iterator[str]:
    return (node.name for graph in stage.graphs.values() for node in graph.nodes)


def _spellings(stage: str) -> set[str]:
    """Give all names of a stage, in small letters: its own, without ``After``, and that of its pass."""
    names = {stage, stage.removeprefix("After"), stage.removesuffix("After")}
    names |= {name for name, after in _stages_of_passes().items() if after == stage}
    return {name.lower() for name in names}


def _marked(stage: GraphSnapshot, turns: Sequence[PassApplied]) -> GraphSnapshot:
    """Mark what all turns of a pass did to the nodes of a stage; that a node was made says more than the rest."""
    marks = {
        name: f"{word} by {applied.name}"
        for field, word in reversed(_DID)
        for applied in turns
        for name in getattr(applied, field)
    }
    return replace(stage, graphs={name: _marked_graph(graph, marks) for name, graph in stage.graphs.items()})


def _marked_graph(graph: SnapshotGraph, marks: Mapping[str, str]) -> SnapshotGraph:
    nodes = (
        replace(node, attrs={**node.attrs, MARK: marks[node.name]}) if node.name in marks else node
        for node in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes))
