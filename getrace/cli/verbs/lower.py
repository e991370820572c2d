"""``getrace lower``: the execute graphs of a model, node by node, and what each pass did to them."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.dumping import dumper_of_process, write_stages
from getrace.cli.envelope import Json
from getrace.cli.layout import Paint, columns, counted
from getrace.cli.models import find_lowered
from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph
from getrace.errors import UsageError
from getrace.events.graphs import PassApplied
from runtime.api.lowered import LoweredModel

EXAMPLES = (
    "getrace lower add_example --passes",
    "getrace lower ge_proto_00000000_graph_0_ComputeGraphBeforeLowering.txt --dump stages",
    "getrace lower add_example --node InferShape_add_40",
)

_STAGES = {"init": "Init", "main": "Main", "deinit": "DeInit"}
_SIGNS = {"added": "+", "removed": "-", "rewired": "~", "moved": ">"}


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", metavar="MODEL", help="a sample, a .py with build(), .onnx, .om, or a dump")
    parser.add_argument("--passes", action="store_true", help="tell what each pass added, removed, rewired and moved")
    parser.add_argument("--node", metavar="NAME", help="tell which pass made, changed or removed a node")
    parser.add_argument("--dump", metavar="DIR", help="write the graph of each stage into a folder")


def answer(options: Namespace, tools: Tools) -> Answer:
    """Lower and list; the environment's dump switches are honoured as in ``run``."""
    if options.dump == "":
        raise UsageError("--dump names no folder", "give the path of a folder")
    with tools.diagnostics.progress("lowering"):
        lowered = find_lowered(options.model)
    history = None if options.node is None else lowered.history(options.node)
    warnings = list(lowered.warnings)
    dumper = dumper_of_process(warnings)
    for stage in lowered.stages:
        dumper.dump(stage, os.getpid())
    dumper.finish()
    written = [] if options.dump is None else write_stages(lowered.stages, Path(options.dump), warnings)
    data = {
        "stages": {name: {"nodes": list(_nodes(lowered, kind))} for name, kind in _STAGES.items()},
        "passes": [_pass_json(applied) for applied in lowered.passes],
        "history": None if history is None else [_event_json(word, applied) for word, applied in history],
        "dumps": [str(path) for path in written],
    }

    def text(paint: Paint) -> Iterator[str]:
        if history is not None:
            yield from _history_text(options.node, history, paint)
        elif options.passes:
            yield from _passes_text(lowered, paint)
        else:
            yield from _stages_text(lowered, paint)
        if written:
            yield f"{counted(len(written), 'dump')} in {options.dump}"

    return Answer(ExitCode.FINE, data, text, (), warnings)


def _graphs(snapshot: GraphSnapshot, kind: str) -> Iterator[SnapshotGraph]:
    """Give the graph of a stage and all below it, each before its own sub graphs."""
    top = snapshot.owned(kind)
    waiting = [] if top is None else [top]
    while waiting:
        graph = waiting.pop()
        yield graph
        below = [snapshot.graphs[name] for node in graph.nodes for name in node.subgraphs if name in snapshot.graphs]
        waiting += reversed(below)


def _nodes(lowered: LoweredModel, kind: str) -> Iterator[Json]:
    makers = {name: applied for applied in lowered.passes for name in applied.added}
    for graph in _graphs(lowered.final, kind):
        fed = _sources(graph)
        for node in graph.nodes:
            applied = makers.get(node.name)
            yield {
                "id": node.topo_id,
                "name": node.name,
                "type": node.type,
                "graph": graph.name,
                "inputs": fed[node.id][0],
                "after": fed[node.id][1],
                "priority": node.attrs.get("priority"),
                "made_by": "lowering" if applied is None else applied.name,
                "subgraphs": list(node.subgraphs),
            }


def _sources(graph: SnapshotGraph) -> list[tuple[list[str | None], list[str]]]:
    """Give, by node id, what feeds each data input, and the nodes of the control inputs."""
    fed: list[tuple[list[str | None], list[str]]] = [([None] * node.inputs, []) for node in graph.nodes]
    for edge in graph.edges:
        inputs, after = fed[edge.target]
        name = graph.nodes[edge.source].name
        if edge.is_control:
            after.append(name)
        else:
            inputs[edge.target_input] = f"{name}:{edge.source_output}"
    return fed


def _pass_json(applied: PassApplied) -> Json:
    return {"name": applied.name, "turn": applied.turn} | {field: list(getattr(applied, field)) for field in _SIGNS}


def _event_json(word: str, applied: PassApplied | None) -> Json:
    by = {"pass": None, "turn": None} if applied is None else {"pass": applied.name, "turn": applied.turn}
    return {"what": word, **by}


def _stages_text(lowered: LoweredModel, paint: Paint) -> Iterator[str]:
    for name, kind in _STAGES.items():
        nodes = list(_nodes(lowered, kind))
        yield paint("bold", f"{name}: {counted(len(nodes), 'node')}")
        for graph, group in groupby(nodes, key=itemgetter("graph")):
            rows = [("id", "priority", "type", "name", "inputs"), *map(_row, group)]
            yield f"  {graph}"
            yield from columns(rows, frozenset({0, 1}), "    ", width=paint.width, squeeze=4)


def _row(node: Json) -> tuple[str, ...]:
    priority = "" if node["priority"] is None else str(node["priority"])
    inputs = ", ".join("-" if source is None else source for source in node["inputs"])
    return str(node["id"]), priority, node["type"], node["name"], inputs


def _passes_text(lowered: LoweredModel, paint: Paint) -> Iterator[str]:
    if not lowered.passes:
        yield "no pass changed the graph"
    for applied in lowered.passes:
        counts = ", ".join(f"{len(getattr(applied, field))} {field}" for field in _SIGNS)
        yield f"{paint('bold', applied.name)}, turn {applied.turn}: {counts}"
        for field, sign in _SIGNS.items():
            yield from (f"  {sign} {name}" for name in getattr(applied, field))


def _history_text(name: str, history: list[tuple[str, PassApplied | None]], paint: Paint) -> Iterator[str]:
    yield paint("bold", name)
    for word, applied in history:
        by = "the lowering of its operator" if applied is None else f"{applied.name}, turn {applied.turn}"
        yield f"  {word} by {by}"
