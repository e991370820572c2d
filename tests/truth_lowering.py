"""Cases of GE's own dumps as lowering sees them: the model, what the dump does not say of it, and GE's answer.

What a dump leaves out (options of the session, tasks of compiled operators, static workspaces, functions of operators)
stands here as a table, case by case: facts of GE's tests, never the answer.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from isomorphism import differences

from getrace.dumps.ge_proto import read_ge_proto
from getrace.dumps.snapshot import AttrValue, GraphSnapshot
from runtime.engines.builtin import builtin_converters
from runtime.engines.contract import Converter
from runtime.engines.options import LoweringOptions
from runtime.frontend.from_snapshot import compute_graph_of
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.to_snapshot import snapshot_of
from runtime.lowering.pipeline import lower_model

MODEL_STAGE = "ComputeGraphBeforeLowering"
LOWERED_STAGE = "ExeGraphBeforeOptimize"
FINAL_STAGE = "ExecuteGraphAfterSplit"
_EXECUTE_STAGES = frozenset(
    {
        LOWERED_STAGE,
        *(f"After{name}" for name in ("ZeroCopy", "CEM", "CopyFlowLaunch", "TrustOutTensor", "SplitMixedLaunchMemory")),
        "RemoveLaunchFreeEdgeAfter",
        FINAL_STAGE,
    }
)
"""Stages of a whole execute graph; GE never dumped AfterAicpuFuseHostInputs (spec/lowering.md 7.5)."""
_STAGE = re.compile(r"_graph_\d+_(?P<stage>.+)\.txt\.gz\Z")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a case's dump does not say. ``tasks`` and ``attrs`` by node name, "*" for every node with tasks.

    ``model`` are attributes of the root model, of which a dump holds the graph only. ``later`` is what is different for
    the lowerings after the first of a case that lowers its model several times, by number.
    """

    options: LoweringOptions = field(
        default_factory=lambda: LoweringOptions(args_exception_dump=True, all_tensor_not_empty=True)
    )
    tasks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attrs: Mapping[str, Mapping[str, AttrValue]] = field(default_factory=dict)
    graphs: Mapping[str, Mapping[str, AttrValue]] = field(default_factory=dict)
    """Attributes of compiled graphs by name, "*" for every graph that a node owns."""
    converters: tuple[Converter, ...] = ()
    """Converters that GE's tests register on top of GE's own."""
    model: Mapping[str, AttrValue] = field(default_factory=dict)
    later: Mapping[int, "Facts"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lowering:
    """One lowering of a case: files of its stages in GE's order; a case may lower several models."""

    case: str
    number: int
    files: tuple[Path, ...]

    def stage(self, name: str) -> GraphSnapshot:
        """Read the last dump of a stage (a pass may have run twice)."""
        return read_ge_proto([file for file in self.files if f"_{name}.txt" in file.name][-1])

    def model(self, facts: Facts) -> ComputeGraph:
        """Rebuild the model, with what is known of it beside the dump."""
        graph = compute_graph_of(self.stage(MODEL_STAGE), facts.tasks)
        for below in graph.all_graphs():
            if below.parent_node is not None:
                below.attrs.update(facts.graphs.get("*", {}))
            below.attrs.update(facts.graphs.get(below.name, {}))
        graph.attrs.update(facts.model)
        for node in graph.all_nodes():
            if node.op.tasks:
                node.op.attrs.update(facts.attrs.get("*", {}))
            node.op.attrs.update(facts.attrs.get(node.name, {}))
        return graph

    @property
    def execute_stages(self) -> list[tuple[str, Path]]:
        """The stages from ``ExeGraphBeforeOptimize`` to the last one that GE dumped, with their files."""
        named = [(_STAGE.search(file.name), file) for file in self.files]
        stages = [(found["stage"], file) for found, file in named if found is not None]
        first = next(place for place, (stage, _) in enumerate(stages) if stage == LOWERED_STAGE)
        return [(stage, file) for stage, file in stages[first:] if stage in _EXECUTE_STAGES]

    def lowered(self, facts: Facts) -> list[GraphSnapshot]:
        """Lower the model with this project's converters and passes; gives the same stages in the order they came."""
        facts = facts.later.get(self.number, facts)
        stages: list[GraphSnapshot] = []

        def see(stage: str, graph: ComputeGraph | ExecuteGraph) -> None:
            if stage in _EXECUTE_STAGES:
                stages.append(snapshot_of(graph, stage))

        registry = builtin_converters().extended(facts.converters)
        lower_model(self.model(facts), facts.options, converters=registry, see=see)
        return stages

    def differences(self, facts: Facts, *, every_stage: bool = True) -> list[str]:
        """Lower and compare with GE, stage by stage; empty when all stages came in GE's order and are the same graphs.

        Without ``every_stage`` only the graph before the passes and the last one are compared.
        """
        mine, theirs = self.lowered(facts), self.execute_stages
        if [stage.stage for stage in mine][: len(theirs)] != [stage for stage, _ in theirs]:
            return [f"stages are {[stage.stage for stage in mine]}, GE's are {[stage for stage, _ in theirs]}"]
        pairs = [*zip(mine, theirs, strict=False)]
        for snapshot, (stage, file) in pairs if every_stage else (pairs[0], pairs[-1]):
            found = differences(snapshot, replace(read_ge_proto(file), stage=f"{stage} of GE"))
            if found:
                return [f"{stage}: {text}" for text in found]
        return []


def lowerings(dumps: Path, case: str) -> Iterator[Lowering]:
    """Yield the lowerings of a case: a new one starts at each model dump."""
    groups: list[list[Path]] = []
    for file in sorted((dumps / case).glob("ge_proto_*.txt.gz")):
        if f"_{MODEL_STAGE}.txt" in file.name:
            groups.append([])
        if groups:
            groups[-1].append(file)
    for number, group in enumerate(groups):
        if any(f"_{LOWERED_STAGE}.txt" in file.name for file in group):
            yield Lowering(case, number, tuple(group))


def without(facts: Facts, **changes: object) -> Facts:
    """Give facts with other options."""
    return replace(facts, options=replace(facts.options, **changes))  # type: ignore[arg-type]
