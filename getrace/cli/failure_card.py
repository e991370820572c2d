"""The card of the first failure, as JSON and as text: what failed, where, why, and what only followed."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from getrace.analysis.failure import Diagnosis
from getrace.analysis.failure.addresses import held_text
from getrace.analysis.failure.belonging import Belonging, belongs_to
from getrace.analysis.failure.model import Failure, KernelAt, Verdict
from getrace.analysis.failure.tiled import Tiled, tiling_of
from getrace.analysis.resolution import NodeAt, node_of, tensors
from getrace.cli.envelope import Json, address, clean, place_json, time_json
from getrace.cli.layout import Paint, columns, counted, moment_text, size_text
from getrace.cli.resolved import operator_json, tensor_text
from getrace.cli.source_names import SourceNames
from getrace.store.store import Store

Say = Callable[..., str]
"""Gives a label or a part of a sentence in the language of the user."""

_EFFECTS = 12
_ADDRESSES = 8


class Around(NamedTuple):
    """What stands around a failure: its operator in a graph beside the log, its graph and model, its tiling."""

    node: NodeAt | None = None
    owner: Belonging = Belonging()
    tiled: Tiled | None = None


def around(store: Store, failure: Failure | None) -> Around:
    """Look around a failure."""
    if failure is None:
        return Around()
    node = node_of(store, failure.op) if failure.op else None
    tiled = tiling_of(store, failure.at.row) if failure.at else None
    return Around(node, belongs_to(store, failure, node), tiled)


def failure_json(failure: Failure, near: Around) -> Json:
    """Spell a failure with what stands around it."""
    node, owner = near.node, near.owner
    at = failure.at
    return {
        "phase": failure.phase,
        "kernel": failure.kernel,
        "kernel_type": failure.kernel_type,
        "op": failure.op,
        "op_type": failure.op_type,
        "stream_id": failure.stream_id,
        "task_id": failure.task_id,
        "file": None if at is None else clean(at.file),
        "line": None if at is None else at.line,
        **time_json(None if at is None else at.time_ns),
        "error": place_json(failure.error),
        "first_sign": place_json(failure.first_sign),
        "confidence": str(failure.confidence),
        "how": str(failure.how),
        "evidence": failure.evidence,
        "pid": failure.pid,
        "cause": _cause_json(failure),
        "graph": owner.graph and clean(owner.graph),
        "graph_evidence": _graph_evidence(owner),
        "model": owner.model and clean(owner.model),
        "model_evidence": place_json(owner.model_at),
        "owner_unknown": {"because": owner.unknown, "switch": owner.switch} if owner.unknown else None,
        "stage": failure.stage,
        "iteration": failure.iteration,
        "addresses": _addresses_json(failure),
        "tiling": _tiling_json(near.tiled),
        "tree": _tree_json(failure),
        "consequences": [spot.line for spot in failure.consequences],
        "last_good": _kernel_json(failure.last_good),
        "expected_next": _kernel_json(failure.expected_next),
        "op_node": None if node is None else operator_json(node),
    }


def _graph_evidence(owner: Belonging) -> Json | None:
    return {"file": clean(owner.graph_file)} if owner.graph_file else place_json(owner.graph_at)


def _cause_json(failure: Failure) -> Json | None:
    cause = failure.cause
    if cause is None:
        return None
    return {"what": cause.what, "line": cause.place.line, "facts": {name: clean(v) for name, v in cause.facts.items()}}


def _addresses_json(failure: Failure) -> list[Json]:
    """Give the addresses of the launch, inputs first, with who made each."""
    held = () if failure.book is None else failure.book.held
    return [
        {
            "place": failure.book.name(each.index) if failure.book else None,
            "address": address(each.address),
            "size": each.size,
            "producer": each.producer,
            "generation": each.generation,
            "notes": [str(note) for note in each.notes],
        }
        for each in held
    ]


def _tiling_json(tiled: Tiled | None) -> Json | None:
    if tiled is None:
        return None
    spaces = None if tiled.workspaces is None else [address(each) for each in tiled.workspaces]
    return {
        "key": tiled.key,
        "block_dim": tiled.block_dim,
        "cache": tiled.cache,
        "data_bytes": tiled.size,
        "workspaces": spaces,
        "file": clean(tiled.place.file),
        "line": tiled.place.line,
    }


def _tree_json(failure: Failure) -> list[Json]:
    """Give the cascade by lines: each record, the one that it hangs under, and why."""
    spots = (failure.error, *failure.consequences)
    line = {spot.row: spot.line for spot in spots if spot is not None}
    return [{"line": line.get(e.row), "under": line.get(e.under), "tie": str(e.tie)} for e in failure.tree]


def _kernel_json(known: KernelAt | None) -> Json | None:
    if known is None:
        return None
    spot = place_json(known.place) or {}
    return {"kernel": known.kernel, **{key: spot[key] for key in ("file", "line", "time_ns", "time")}}


def failure_text(diagnosis: Diagnosis, names: SourceNames, paint: Paint, near: Around, say: Say) -> Iterator[str]:
    """Print the card of a failure; ``say`` gives a label in the language of the user."""
    failure = diagnosis.failure
    if failure is None:
        return
    blamed = failure.kernel or failure.op or say("no kernel is named")
    style = "red" if diagnosis.verdict is Verdict.FAILED else "yellow"
    verdict = say(str(diagnosis.verdict).upper())
    yield f"{paint(style, verdict)}  {paint('bold', blamed)}  {say('at')} {failure.phase}"
    yield from columns([(say(name), value) for name, value in _rows(failure, names, paint, near, say)])


def _rows(failure: Failure, names: SourceNames, paint: Paint, near: Around, say: Say) -> Iterator[tuple[str, str]]:
    """Give the rows of the card: a label in English, and what stands behind it."""
    yield from names.heading()
    yield "evidence", f"{say(failure.evidence)} ({say(f'{failure.confidence} confidence')})"
    if failure.op:
        yield "operator", failure.op + (f" {say('of type')} {failure.op_type}" if failure.op_type else "")
    yield from _node_rows(near.node)
    if failure.task_id is not None:
        yield "task", f"stream {'?' if failure.stream_id is None else failure.stream_id}, task {failure.task_id}"
    yield from _owner_rows(failure, near.owner, names)
    for name, spot in (("kernel at", failure.at), ("error", failure.error), ("first sign", failure.first_sign)):
        if spot is not None:
            yield name, f"{names.at(spot.file, spot.line)}  {moment_text(spot.time_ns)}"
            yield "", paint("dim", spot.head)
    yield from _address_rows(failure, say)
    yield from _tiling_rows(near.tiled, names)
    for name, known in (("last good", failure.last_good), ("expected", failure.expected_next)):
        if known is not None:
            yield name, f"{known.kernel}  {names.at(known.place.file, known.place.line)}"
    if failure.cause is not None:
        said = ", ".join(f"{name} {value}" for name, value in failure.cause.facts.items())
        yield "cause in words", f"{failure.cause.what.replace('_', ' ')}" + (f" ({clean(said)})" if said else "")
    for name, spots in (("only effects", failure.tied), ("came later", failure.untied)):
        if spots:
            yield name, f"{say('lines')} {names.lines(spots, _EFFECTS)}"


def _owner_rows(failure: Failure, owner: Belonging, names: SourceNames) -> list[tuple[str, str]]:
    """Say the graph, the model and the iteration, each with the line that tells it."""
    parts = []
    if owner.graph:
        told = owner.graph_file.rpartition("/")[2] if owner.graph_file else ""
        at = "" if owner.graph_at is None else names.at(owner.graph_at.file, owner.graph_at.line)
        parts.append(f"{clean(owner.graph)}  {told or at}")
    if owner.model:
        at = "" if owner.model_at is None else names.at(owner.model_at.file, owner.model_at.line)
        parts.append(f"model {clean(owner.model)}  {at}")
    if failure.stage:
        parts.append(failure.stage + (f", iteration {failure.iteration}" if failure.iteration else ""))
    return [("graph", ", ".join(parts))] if parts else []


def _address_rows(failure: Failure, say: Say) -> list[tuple[str, str]]:
    """Say each input and output of the launch: address, producer, and what is remarkable."""
    book = failure.book
    if book is None:
        return []
    rows = [
        (book.name(each.index), held_text(each, say) + (f", {size_text(each.size)}" if each.size is not None else ""))
        for each in book.held[:_ADDRESSES]
    ]
    if len(book.held) > _ADDRESSES:
        rows.append(("", say("and {count} more addresses", count=len(book.held) - _ADDRESSES)))
    return rows


def _tiling_rows(tiled: Tiled | None, names: SourceNames) -> list[tuple[str, str]]:
    """Say what tiling decided."""
    if tiled is None:
        return []
    known = (("key", tiled.key), ("block_dim", tiled.block_dim), ("cache", tiled.cache))
    parts = [f"{name} {value}" for name, value in known if value is not None]
    if tiled.size is not None:
        parts.append(f"{size_text(tiled.size)} of data")
    if tiled.workspaces is not None:
        parts.append(counted(len(tiled.workspaces), "workspace"))
    return [("tiling", f"{', '.join(parts)}  {names.at(tiled.place.file, tiled.place.line)}")]


def _node_rows(at: NodeAt | None) -> list[tuple[str, str]]:
    """Say which node of a graph beside the log the operator is, and what it takes and gives."""
    if at is None:
        return []
    sides = (", ".join(tensor_text(each) for each in tensors(at.node, side)) for side in ("input", "output"))
    file = at.snapshot.source.rpartition("/")[2]
    return [("node", f"{at.node.type} in graph {at.graph} of {file}"), ("", " -> ".join(sides))]
