"""What is known of shapes as JSON: ``data.shapes`` of diagnose. Everything is in it; its text is ``shapes_text``."""

from collections.abc import Sequence

from getrace.analysis.places import Place
from getrace.analysis.shapes.facts import (
    Compiled,
    Cost,
    Gears,
    GearUse,
    GraphKind,
    Mismatch,
    NewShape,
    Operated,
    Reason,
    Seen,
    Shape,
    Shapes,
    Step,
    Unknown,
    Upstream,
)
from getrace.cli.dump_lines import DumpLines
from getrace.cli.envelope import Json, clean, duration_json, time_json


def shapes_json(shapes: Shapes) -> Json:
    """Spell what is known of shapes; ``mismatch`` is the first one."""
    lines = dump_lines(shapes)
    told = [_mismatch_json(each, lines) for each in shapes.mismatches]
    return {
        "graphs": [_kind_json(each, lines) for each in shapes.kinds],
        "dynamic": [_reason_json(each, lines) for each in shapes.dynamic],
        "steps": [_step_json(each) for each in shapes.steps],
        "new_shapes": [_new_json(each) for each in shapes.fresh],
        "compiled": [_compiled_json(each) for each in shapes.compiled],
        "gears": [_gears_json(each, lines) for each in shapes.gears],
        "mismatch": told[0] if told else None,
        "other_mismatches": told[1:],
        "cannot_tell": [_unknown_json(each) for each in shapes.unknown],
        "left_out": shapes.left_out,
    }


def dump_lines(shapes: Shapes) -> DumpLines:
    """Give the lines of all nodes of dumps that are named."""
    seen = [each.seen for each in shapes.kinds]
    seen += [each.seen for each in shapes.dynamic]
    seen += [each.seen for each in shapes.gears]
    seen += [each.seen for mismatch in shapes.mismatches for each in mismatch.upstream]
    return DumpLines((each.file, each.node) for each in seen)


def _place(place: Place) -> Json:
    return {"file": clean(place.file), "line": place.line, "text": clean(place.head)}


def _seen(seen: Seen, lines: DumpLines) -> list[Json]:
    """Give the evidence: the record, then the node of the dump; a line of 0 was not found."""
    told = [] if seen.place is None else [_place(seen.place)]
    if seen.file:
        text = f"node {clean(seen.node)}" if seen.node else ""
        told.append({"file": clean(seen.file), "line": lines.line(seen.file, seen.node), "text": text})
    return told


def _list(shape: Sequence[int] | None) -> list[int] | None:
    return None if shape is None else list(shape)


def _lists(shapes: Sequence[Shape] | None) -> list[list[int]] | None:
    return None if shapes is None else [list(shape) for shape in shapes]


def _kind_json(kind: GraphKind, lines: DumpLines) -> Json:
    return {
        "graph": clean(kind.graph),
        "kind": kind.kind,
        "confidence": str(kind.confidence),
        "evidence": _seen(kind.seen, lines),
    }


def _reason_json(reason: Reason, lines: DumpLines) -> Json:
    return {
        "what": reason.kind,
        "name": clean(reason.name),
        "type": reason.type or None,
        "graph": clean(reason.graph) or None,
        "dims": _list(reason.dims),
        "shape": _list(reason.shape),
        "shape_class": reason.shape_class,
        "first": reason.first,
        "why": clean(reason.why),
        "confidence": str(reason.confidence),
        "evidence": _seen(reason.seen, lines),
    }


def _operated_json(operated: Operated) -> Json:
    return {
        "op": clean(operated.op),
        "op_type": operated.type,
        "inputs": _lists(operated.inputs),
        "outputs": _lists(operated.outputs),
    }


def _step_json(step: Step) -> Json:
    return {
        "model": step.model,
        "pid": step.pid,
        "iteration": step.iteration,
        **time_json(step.start.time_ns),
        "inputs": {clean(name): list(shape) for name, shape in step.inputs.items()},
        "operators": step.operators,
        "changed": [_operated_json(each) for each in step.changed],
        "asked_gear": _list(step.asked),
        "evidence": [_place(step.start)],
    }


def _cost_json(cost: Cost) -> Json | None:
    return duration_json(cost.ns, cost.provenance)


def _new_json(new: NewShape) -> Json:
    costs = {"infer_shape": new.infer, "tiling": new.tiling, "compile": new.compile}
    return {
        "model": new.model,
        "iteration": new.iteration,
        **_operated_json(new.operated),
        "cost": {name: _cost_json(cost) for name, cost in costs.items()},
        "unknown": {name: cost.because for name, cost in costs.items() if cost.ns is None},
        "tiling_cache": new.tiling_cache,
        "evidence": [_place(new.place)],
    }


def _compiled_json(compiled: Compiled) -> Json:
    model, iteration = compiled.before or (None, None)
    return {
        "what": clean(compiled.what),
        "cost": _cost_json(compiled.cost),
        "before": {"model": model, "iteration": iteration},
        "evidence": [_place(compiled.place)],
    }


def _use_json(use: GearUse) -> Json:
    return {
        "asked": list(use.asked),
        "iteration": use.iteration,
        "gear": use.chosen,
        "nearest": use.nearest,
        "nearest_covers": use.covers if use.nearest is not None else None,
        "runs": use.runs,
        "evidence": [_place(use.place)],
    }


def _gears_json(gears: Gears, lines: DumpLines) -> Json:
    return {
        "name": clean(gears.name),
        "inputs": [clean(name) for name in gears.inputs],
        "gears": _lists(gears.gears),
        "note": clean(gears.note),
        "uses": [_use_json(use) for use in gears.uses],
        "evidence": _seen(gears.seen, lines),
    }


def _upstream_json(upstream: Upstream, lines: DumpLines) -> Json:
    return {
        "op": clean(upstream.op),
        "op_type": upstream.type or None,
        "graph": clean(upstream.graph) or None,
        "how": clean(upstream.how),
        "shape_in_dump": _list(upstream.in_dump),
        "shape_in_log": _list(upstream.printed),
        "evidence": _seen(upstream.seen, lines),
    }


def _mismatch_json(mismatch: Mismatch, lines: DumpLines) -> Json:
    shown = [] if mismatch.printed_at is None else [_place(mismatch.printed_at)]
    return {
        "what": mismatch.what,
        "op": mismatch.op and clean(mismatch.op),
        "op_type": mismatch.type,
        "side": mismatch.side or None,
        "index": mismatch.index,
        "expected_bytes": mismatch.expected,
        "given_bytes": mismatch.given,
        "shape": _list(mismatch.printed),
        "note": clean(mismatch.note),
        "produced_by": mismatch.origin and clean(mismatch.origin),
        "produced_by_confidence": None if mismatch.origin is None else "high" if mismatch.unknown is None else "low",
        "upstream": [_upstream_json(each, lines) for each in mismatch.upstream],
        "cannot_tell": None if mismatch.unknown is None else _unknown_json(mismatch.unknown),
        "confidence": str(mismatch.confidence),
        "evidence": [_place(mismatch.place), *shown],
    }


def _unknown_json(unknown: Unknown) -> Json:
    return {"what": unknown.what, "because": clean(unknown.because), "switch": unknown.switch}
