"""GE's own dumps as inputs and answers of the passes, the sorting and the priorities, compared to the last name.

Each dump is made a graph again, the step under test runs on it, and the next dump is the answer: node lists in order,
names, types, edges and attributes. Only contents of Const nodes and orders of control edges are no part of it: GE's
contents are bytes of its structures, and its dumps lose the order in which control edges were made.
"""

import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from truth_lowering import FINAL_STAGE, LOWERED_STAGE, MODEL_STAGE, Lowering, lowerings
from truth_options import PASS_OPTIONS

from getrace.dumps.ge_proto import read_ge_proto
from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph
from runtime.engines.options import LoweringOptions
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.graph.from_snapshot import execute_graph_of
from runtime.graph.to_snapshot import snapshot_of_execute_graph
from runtime.graph.verify import violations, violations_of_optimized
from runtime.lowering.passes.kernel_kinds import SUBMITTING
from runtime.lowering.passes.name_numbers import PassNumbers
from runtime.lowering.passes.optimizer import apply_pass, final_passes, optimize, repeated_passes
from runtime.lowering.priority import assign_priorities

PASS_STAGES = (
    "AfterZeroCopy",
    "AfterCEM",
    "AfterCopyFlowLaunch",
    "AfterTrustOutTensor",
    "AfterSplitMixedLaunchMemory",
    "RemoveLaunchFreeEdgeAfter",
)
"""Stages with a file in the collection: AfterAicpuFuseHostInputs has none."""

ATTRS = (
    "ComputeNodeIndex",
    "GuarderNodeType",
    "NodeWithGuarderOutside",
    "ReleaseResourceIndex",
    "_request_watcher",
    "branch",
    "copy_flow_count",
    "index",
    "is_string",
    "remove_launch_free_edge_alloc",
)

Row = tuple[object, ...]


def options_of(case: str) -> LoweringOptions:
    """What a case's session chose about the passes."""
    return replace(LoweringOptions(), **PASS_OPTIONS.get(case, {}))  # type: ignore[arg-type]


def dumps_of(lowering: Lowering) -> list[GraphSnapshot]:
    """The execute graphs of one lowering from the end of its walk on, in the order GE wrote them."""
    wanted = (LOWERED_STAGE, *PASS_STAGES, FINAL_STAGE)
    files = [file for file in lowering.files if any(f"_{stage}.txt" in file.name for stage in wanted)]
    return [read_ge_proto(file) for file in files]


def rows(snapshot: GraphSnapshot) -> dict[str, list[Row]]:
    """A picture as comparable rows, one for each node, in the order of the lists."""
    return {graph.name: list(_rows_of(graph)) for graph in snapshot.graphs.values()}


def _rows_of(graph: SnapshotGraph) -> Iterator[Row]:
    data: dict[tuple[int, int], tuple[str, int]] = {}
    control: dict[int, list[str]] = {}
    for edge in graph.edges:
        source = graph.nodes[edge.source].name
        if edge.is_control:
            control.setdefault(edge.target, []).append(source)
        else:
            data[edge.target, edge.target_input] = (source, edge.source_output)
    for node in graph.nodes:
        feeds = tuple(data.get((node.id, slot)) for slot in range(node.inputs))
        attrs = tuple((name, node.attrs[name]) for name in ATTRS if name in node.attrs)
        references = tuple(sorted((key, value) for key, value in node.attrs.items() if "_RefFrom" in key))
        orders = tuple(sorted(control.get(node.id, ())))
        yield (node.name, node.type, node.outputs, feeds, orders, attrs, references, node.subgraphs)


def unequal(root: ExecuteGraph, answer: GraphSnapshot) -> list[str]:
    """How a graph differs from GE's dump; empty when no row does."""
    mine, theirs = rows(snapshot_of_execute_graph(root, answer.stage)), rows(answer)
    found = [f"{answer.stage}: graph {name} stands on one side only" for name in mine.keys() ^ theirs.keys()]
    for name in mine.keys() & theirs.keys():
        pairs = [(a, b) for a, b in zip(mine[name], theirs[name], strict=False) if a != b]
        if pairs or len(mine[name]) != len(theirs[name]):
            found.append(
                f"{answer.stage}: {name} has {len(mine[name])} nodes of {len(theirs[name])}, first {pairs[:1]}"
            )
    return found


def follow_passes(dumps: list[GraphSnapshot], options: LoweringOptions, numbers: PassNumbers) -> Iterator[str]:
    """Run the optimizer's passes, each on GE's own dump of what stood before it; yields what differs.

    A pass that GE dumps nothing of must find nothing to do.
    """
    left = [dump for dump in dumps if dump.stage in PASS_STAGES]
    root = execute_graph_of(dumps[0])
    passes = repeated_passes(options, numbers)
    changed, turn = True, 0
    while changed:
        turn += 1
        changed = False
        for each in passes:
            applied = apply_pass(root, each, turn)
            changed |= applied is not None
            if applied is not None:
                root = yield from _answered(root, each.stage, left)
    for each in final_passes(options):
        if apply_pass(root, each, turn + 1) is not None:
            root = yield from _answered(root, each.stage, left)
    yield from (f"{dump.stage} was not reached" for dump in left)


def _answered(root: ExecuteGraph, stage: str, left: list[GraphSnapshot]) -> Generator[str, None, ExecuteGraph]:
    yield from (f"{stage}: {broken}" for broken in violations(root))
    if stage not in PASS_STAGES:
        return root
    if not left or left[0].stage != stage:
        yield f"{stage} is not what GE dumps next"
        return root
    answer = left.pop(0)
    yield from unequal(root, answer)
    return execute_graph_of(answer)


def optimized(dumps: list[GraphSnapshot], options: LoweringOptions, numbers: PassNumbers) -> list[str]:
    """How the whole optimizer's result differs from the dump of GE's last pass."""
    root = execute_graph_of(dumps[0])
    optimize(root, options, numbers=numbers)
    broken = [str(each) for each in violations_of_optimized(root)]
    return broken + unequal(root, [dump for dump in dumps if dump.stage != FINAL_STAGE][-1])


def unsorted(before: GraphSnapshot, final: GraphSnapshot) -> list[str]:
    """Where GE's final order is none that a depth-first sort of the graph before can give.

    GE's dumps do not say in which order the control edges of a node were made, so any of them may come first.
    """
    root = execute_graph_of(before)
    return [
        f"{graph.name}: {name} comes too early"
        for graph in (root, *root.all_subgraphs)
        for name in _out_of_turn(graph, [node.name for node in final.graphs[graph.name].nodes])
    ]


def _out_of_turn(graph: ExecuteGraph, order: list[str]) -> Iterator[str]:
    waiting = {node: len(node.in_control) + len([*filter(None, node.in_data)]) for node in graph.nodes}
    by_name = {node.name: node for node in graph.nodes}
    free = [node for node, count in waiting.items() if not count]
    free.sort(key=lambda node: node.type != "Data")
    stack = [{node} for node in reversed(free)]
    for name in order:
        node = by_name[name]
        if not stack or node not in stack[-1]:
            yield name
            return
        stack[-1].discard(node)
        released = [{after} for _, after, _ in node.data_successors if _release(after, waiting)]
        together = {after for after in node.control_successors if _release(after, waiting)}
        stack = [group for group in (*stack, *released, together) if group]


def _release(node: FastNode, waiting: dict[FastNode, int]) -> bool:
    waiting[node] -= 1
    return not waiting[node]


def wrong_priorities(model: GraphSnapshot, before: GraphSnapshot, final: GraphSnapshot) -> list[str]:
    """Nodes of GE's final dump whose priority is not the one computed for them."""
    root = execute_graph_of(final)
    indices = {(g.name, n.name): n.attrs.get("ComputeNodeIndex") for g in before.graphs.values() for n in g.nodes}
    nodes = [node for graph in root.all_subgraphs for node in graph.nodes]
    for node in nodes:
        if "ComputeNodeIndex" in node.attrs:  # in the final dump it is a row of GE's table
            node.attrs["ComputeNodeIndex"] = indices[node.graph.name, node.name]
    wanted = {node: node.attrs.pop("priority", None) for node in nodes}
    places = _places(model, wanted)
    assign_priorities(root, [places.get(index, -1) for index in range(max(places, default=-1) + 1)])
    return [
        f"{node.name} has {node.attrs.get('priority')}, GE gives {priority}"
        for node, priority in wanted.items()
        if node.attrs.get("priority") != priority
    ]


def _places(model: GraphSnapshot, wanted: Mapping[FastNode, object]) -> dict[int, int]:
    """Topological ids by ComputeNodeIndex, found by the name within the name of a kernel.

    A name that several graphs of the model have says nothing; there the kernel's own priority gives the id away.
    """
    ids: dict[str, list[int]] = {}
    for graph in model.graphs.values():
        for known in graph.nodes:
            ids.setdefault(known.name, []).append(known.topo_id)
    places: dict[int, int] = {}
    for node, priority in wanted.items():
        index = node.attrs.get("ComputeNodeIndex")
        if not isinstance(index, int) or not (node.type in SUBMITTING or node.subgraph_names):
            continue
        name = re.sub(r"^[A-Za-z0-9]+_|_\d+$", "", node.name)
        while name not in ids and "_" in name:  # an engine's node for a task: <owner>_<task>
            name = name.rpartition("_")[0]
        found = ids.get(name, [])
        assert isinstance(priority, int)
        places[index] = found[0] if len(found) == 1 else priority // 10
    return places


def check_case(dumps_folder: Path, case: str) -> list[str]:
    """All that differs in all lowerings of a case; GE's counters of names go on from one to the next."""
    found: list[str] = []
    options, single, whole = options_of(case), PassNumbers(), PassNumbers()
    for lowering in lowerings(dumps_folder, case):
        dumps = dumps_of(lowering)
        found += follow_passes(dumps, options, single)
        found += optimized(dumps, options, whole)
        if dumps[-1].stage == FINAL_STAGE:
            found += unsorted(dumps[-2], dumps[-1])
            found += wrong_priorities(lowering.stage(MODEL_STAGE), dumps[-2], dumps[-1])
    return found
