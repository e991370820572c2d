"""What is known of shapes, for a person: the section ``shapes`` of diagnose.

It is short, and silent where a log has neither something dynamic nor a mismatch: JSON has everything.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from getrace.analysis.places import Place
from getrace.analysis.shapes.facts import Cost, Gears, GearUse, Mismatch, NewShape, Reason, Seen, Shape, Shapes, Step
from getrace.cli.dump_lines import DumpLines
from getrace.cli.envelope import clean
from getrace.cli.layout import Paint, columns, counted, duration_text
from getrace.cli.shapes import dump_lines
from getrace.cli.source_names import SourceNames

_REASONS = 5
_NEW = 3
_UPSTREAM = 4
_USES = 3

_Rows = list[tuple[str, str]]


def shapes_text(shapes: Shapes, names: SourceNames, paint: Paint) -> Iterator[str]:
    """Print the section, or nothing."""
    if not shapes.speaks:
        return
    spell = _Spelling(names, dump_lines(shapes))
    rows = [
        *_labelled("does not fit", [text for each in shapes.mismatches[:2] for text in spell.mismatch(each)]),
        *_labelled("dynamic", list(spell.dynamic(shapes))),
        *_labelled("gears", [text for each in shapes.gears[:2] for text in spell.gears(each)]),
        *_labelled("steps", list(_steps(shapes.steps, shapes.left_out.get("steps", 0)))),
        *_labelled("new shapes", list(spell.fresh(shapes.fresh))),
    ]
    rows += _labelled("cannot tell", list(_unknown(shapes)))
    if shapes.left_out:
        said = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in shapes.left_out.items())
        rows.append(("left out", said))
    yield ""
    yield paint("bold", "shapes")
    yield from columns([(name, clean(text)) for name, text in rows])


def _labelled(name: str, texts: Sequence[str]) -> _Rows:
    return [("" if at else name, text) for at, text in enumerate(texts)]


def _shape(shape: Shape | None) -> str:
    return "?" if shape is None else f"[{','.join('?' if dim == -1 else str(dim) for dim in shape)}]"


def _shapes(shapes: Sequence[Shape] | None) -> str:
    return "?" if shapes is None else " ".join(map(_shape, shapes))


def _all_costs(name: str, costs: Sequence[Cost]) -> str:
    """Add up what is known; what is not is told beside the sum."""
    known = [cost.ns for cost in costs if cost.ns is not None]
    if not known:
        return f"{name} unknown"
    unknown = f", {len(costs) - len(known)} unknown" if len(known) < len(costs) else ""
    return f"{name} {duration_text(sum(known))} ({costs[0].provenance}{unknown})"


class _Spelling:
    """Spells facts with the places that prove them."""

    def __init__(self, names: SourceNames, lines: DumpLines) -> None:
        self._names = names
        self._lines = lines

    def at(self, place: Place) -> str:
        """Spell a record's place."""
        return self._names.at(place.file, place.line)

    def seen(self, seen: Seen) -> str:
        """Spell where something was seen: the record, else the file and line of the dump."""
        if seen.place is not None:
            return self.at(seen.place)
        line = self._lines.line(seen.file, seen.node)
        return seen.file.rpartition("/")[2] + (f":{line}" if line else "")

    def dynamic(self, shapes: Shapes) -> Iterator[str]:
        """Say why; of graphs only which ones are, when no reason is known."""
        for reason in shapes.dynamic[:_REASONS]:
            yield self.reason(reason)
        if len(shapes.dynamic) > _REASONS:
            yield f"and {len(shapes.dynamic) - _REASONS} more reasons"
        if not shapes.dynamic:
            moved = {(each.graph, each.kind): each for each in reversed(shapes.kinds) if each.kind != "static"}
            for kind in list(moved.values())[::-1][:_REASONS]:
                yield f"{kind.graph} is {kind.kind}  {self.seen(kind.seen)}"

    def reason(self, reason: Reason) -> str:
        """Say one reason."""
        own = "operator " if reason.type in ("", reason.name) else f"{reason.type} "
        what = own if reason.kind == "operator" else "input "
        shape = "" if reason.shape is None or reason.kind == "value" else f" {_shape(reason.shape)}"
        first = ", the first" if reason.first and reason.kind == "operator" else ""
        return f"{what}{reason.name}{shape}{first}: {reason.why}  {self.seen(reason.seen)}"

    def gears(self, gears: Gears) -> Iterator[str]:
        """Say the table, its note, and the uses without an equal gear."""
        if gears.gears:
            listed = "; ".join(",".join(map(str, gear)) for gear in gears.gears[:8])
            more = f" … ({len(gears.gears)})" if len(gears.gears) > 8 else ""
            yield f"{listed}{more} of {gears.name}  {self.seen(gears.seen)}"
        if gears.note:
            yield gears.note + ("" if gears.gears else f"  {self.seen(gears.seen)}")
        odd = [use for use in gears.uses if use.chosen is None]
        for use in (odd or gears.uses)[:_USES]:
            yield self.use(use, gears)

    def use(self, use: GearUse, gears: Gears) -> str:
        """Say what was asked for and what there is."""
        when = "" if use.iteration is None else f"iteration {use.iteration}: "
        asked = f"{when}{','.join(map(str, use.asked))}"
        if use.chosen is not None:
            return f"{asked} is gear {use.chosen}  {self.at(use.place)}"
        runs = f"; {use.runs}" if use.runs else ""
        if use.nearest is None:
            return f"{asked} is asked for{runs}  {self.at(use.place)}"
        size = "large enough" if use.covers else "no gear is large enough"
        nearest = ",".join(map(str, gears.gears[use.nearest]))
        return f"{asked} has no gear; the nearest is {nearest} ({size}){runs}  {self.at(use.place)}"

    def fresh(self, fresh: Sequence[NewShape]) -> Iterator[str]:
        """Say the first steps with new shapes, each with what they cost in all."""
        by_step: dict[tuple[int, int], list[NewShape]] = {}
        for new in fresh:
            by_step.setdefault((new.model, new.iteration), []).append(new)
        for (_, iteration), own in list(by_step.items())[:_NEW]:
            yield f"iteration {iteration}: {self.together(own)}"
        if len(by_step) > _NEW:
            yield f"and in {len(by_step) - _NEW} more steps"

    def together(self, own: Sequence[NewShape]) -> str:
        """Say the new shapes of one step."""
        op = own[0].operated
        shapes = f"{op.op} {_shapes(op.inputs)} -> {_shapes(op.outputs)}"
        more = f" and {counted(len(own) - 1, 'more operator')}" if len(own) > 1 else ""
        costs = [_all_costs("infer shape", [new.infer for new in own]), _all_costs("tiling", [n.tiling for n in own])]
        if own[0].compile.ns is not None:
            costs.append(_all_costs("compile", [own[0].compile]))
        caches = Counter(new.tiling_cache for new in own if new.tiling_cache)
        cache = f", tiling cache {', '.join(f'{name} {count}' for name, count in caches.items())}" if caches else ""
        return f"{shapes}{more}; {', '.join(costs)}{cache}  {self.at(own[0].place)}"

    def mismatch(self, mismatch: Mismatch) -> Iterator[str]:
        """Say what does not fit and who produced it."""
        op = mismatch.op or "no operator is named"
        where = f" {mismatch.side}" if mismatch.side and mismatch.index is not None else ""
        index = "" if mismatch.index is None else f" {mismatch.index}"
        sizes = [
            f"{name} {value} bytes"
            for name, value in (("expected", mismatch.expected), ("given", mismatch.given))
            if value is not None
        ]
        shape = "" if mismatch.printed is None else f"shape {_shape(mismatch.printed)}"
        said = ", ".join(text for text in (*sizes, shape, mismatch.note) if text)
        yield f"{op}{where}{index}: {mismatch.what}" + (f" ({said})" if said else "") + f"  {self.at(mismatch.place)}"
        if mismatch.origin is not None:
            own = "the size was inferred for this operator; the memory is what its caller gave"
            sure = "produced" if mismatch.unknown is None else "no dump tells; perhaps produced"
            yield own if mismatch.origin == mismatch.op else f"{sure} by {mismatch.origin}"
        for each in mismatch.upstream[:_UPSTREAM]:
            known = each.printed if each.printed is not None else each.in_dump
            yield f"{each.op} {_shape(known)} {each.how}  {self.seen(each.seen)}"
        if mismatch.unknown is not None and mismatch.origin is None:
            yield f"cannot tell {mismatch.unknown.what}: {mismatch.unknown.because}"


def _steps(steps: Sequence[Step], left: int) -> Iterator[str]:
    """Say the shapes of inputs by stretches of steps that have the same; one line for each model, the first three."""
    by_model: dict[int, list[Step]] = {}
    for step in steps:
        by_model.setdefault(step.model, []).append(step)
    for model, own in list(by_model.items())[:3]:
        stretches: list[list[Step]] = []
        for step in own:
            if not stretches or stretches[-1][0].inputs != step.inputs:
                stretches.append([])
            stretches[-1].append(step)
        name = f"model {model}: " if len(by_model) > 1 else ""
        said = [_stretch(each) for each in stretches if each[0].inputs][:4]
        more = f"; {len(stretches) - 4} more changes" if len(stretches) > 4 else ""
        count = f"the first {counted(len(own), 'step')}" if left else counted(len(own), "step")
        yield f"{name}{count}" + (f"; {'; '.join(said)}{more}" if said else "")


def _stretch(steps: Sequence[Step]) -> str:
    first, last = steps[0].iteration, steps[-1].iteration
    inputs = ", ".join(f"{name} {_shape(shape)}" for name, shape in list(steps[0].inputs.items())[:4])
    return f"{inputs} in iteration {first}" + (f" to {last}" if last > first else "")


def _unknown(shapes: Shapes) -> Iterator[str]:
    for each in shapes.unknown[:3]:
        yield f"{each.what}: {each.because}"
        if each.switch:
            yield f"-> {each.switch}"
