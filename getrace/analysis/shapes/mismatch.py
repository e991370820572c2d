"""Sizes and shapes that do not fit: what the line says, and which operator produced the tensor.

A line names the operator that noticed. The fault is before it: with a dump the walk tells who; without one the sizes
that the log inferred are compared, which is a guess and says so; else the answer is what is missing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

from getrace.analysis.places import place
from getrace.analysis.shapes.facts import Mismatch, Operated, Seen, Shape, Unknown, Upstream
from getrace.analysis.shapes.upstream import walker_for
from getrace.analysis.shapes.words import Word
from getrace.analysis.switches import GE_SWITCH
from getrace.dumps.snapshot import GraphSnapshot
from getrace.store.store import Store

DUMP_SWITCH = "DUMP_GE_GRAPH=2 DUMP_GRAPH_LEVEL=1 while the model is compiled, dumps beside the log"
MOST = 20
"""Mismatches that are told, and guesses for each."""

_UNKNOWN_SIZES = frozenset({-1, 2**64 - 1, 2**32 - 1})
_UNKNOWN_NOTE = "the expected size is -1, printed as unsigned: the model does not know the size of this tensor"

_WHAT = {
    "size.output": "the memory given for an output has another size than its shape needs",
    "size.input": "an input has another size than its shape says",
    "size.copy": "the memory given for an output of the model is smaller than its shape needs",
    "size.model": "the memory given for an output of the model is smaller than its shape needs",
    "size.gear": "the buffer in which the gear is told to the model is too small",
    "count.input": "the model has another number of inputs than are given",
    "size.blob": "the memory given for an input is smaller than its shape needs",
    "range.input": "a dimension of an input lies outside of its range",
    "range.dim": "a dimension lies outside of its range",
    "rule.broadcast": "two shapes do not broadcast",
    "rule.infer": "an infer-shape function refused its inputs",
}
_SIDE = {
    **dict.fromkeys(("size.output", "size.copy", "size.model"), "output"),
    **dict.fromkeys(("size.input", "size.blob", "range.input", "rule.infer"), "input"),
}
_OF_MODEL = frozenset({"size.copy", "size.model"})
_OUTPUTS = "NetOutput"

_BYTES = {
    **dict.fromkeys(("BOOL", "INT8", "UINT8", "QINT8", "QUINT8"), 1),
    **dict.fromkeys(("FLOAT16", "BF16", "INT16", "UINT16"), 2),
    **dict.fromkeys(("FLOAT", "INT32", "UINT32"), 4),
    **dict.fromkeys(("INT64", "UINT64", "DOUBLE", "COMPLEX64"), 8),
}


def mismatches(
    words: Sequence[Word], snapshots: Sequence[GraphSnapshot], shapes: Mapping[str, Operated], store: Store | None
) -> list[Mismatch]:
    """Give what does not fit, in line order, each operator and index once, with who produced it."""
    found: dict[tuple[str, str | None, int | None], Mismatch] = {}
    for word in words:
        if word.id in _WHAT:
            made = _read(word, words)
            found.setdefault((made.side, made.op, made.index), made)
    told = [_described(each, shapes, store) for each in list(found.values())[:MOST]]
    return [_traced(each, snapshots, shapes, store) for each in told]


def _read(word: Word, words: Sequence[Word]) -> Mismatch:
    expected, given, index = word.number("expected"), word.number("given"), word.number("index")
    note = _note(word)
    if expected in _UNKNOWN_SIZES:
        expected, note = None, _UNKNOWN_NOTE
    op = word.values.get("op")
    drawn = next((each for each in words if each.id == "shape.output" and _same_output(each, op, index)), None)
    return Mismatch(
        what=_WHAT[word.id],
        op=_OUTPUTS if word.id in _OF_MODEL else op,
        type=word.values.get("type"),
        side=_SIDE.get(word.id, ""),
        index=index,
        expected=expected,
        given=given,
        place=word.place,
        confidence=word.confidence,
        note=note,
        printed=word.numbers("dims") if "dims" in word.values else None if drawn is None else drawn.numbers("dims"),
        printed_at=None if drawn is None else drawn.place,
    )


def _same_output(word: Word, op: str | None, index: int | None) -> bool:
    return word.values["op"].rstrip(".") == op and word.number("index") == index


def _note(word: Word) -> str:
    if word.id == "rule.broadcast":
        return _broadcast(word.numbers("left"), word.numbers("right"))
    if word.topic == "count":
        return f"{word.values['described']} are described, {word.values['found']} are given"
    if word.topic == "range" and "dim" in word.values:
        axis = f"dimension {word.values['axis']} is" if "axis" in word.values else "it is"
        return f"{axis} {word.values['dim']}, allowed are {word.values['low']} to {word.values['high']}"
    return ""


def _broadcast(left: Shape, right: Shape) -> str:
    """Say in which dimensions, counted from the last one, two shapes stand against each other."""
    short = min(len(left), len(right))
    pairs = [(len(left) - at, left[-at], right[-at]) for at in range(short, 0, -1) if left[-at] != right[-at]]
    differ = [f"dimension {axis} is {one} against {other}" for axis, one, other in pairs if one != 1]
    return f"{list(left)} to {list(right)}" + (f": {', '.join(differ)}" if differ else "")


def _described(mismatch: Mismatch, shapes: Mapping[str, Operated], store: Store | None) -> Mismatch:
    """Add what the log inferred for the operator itself."""
    operated = shapes.get(mismatch.op or "")
    if operated is None or store is None:
        return mismatch
    typed = replace(mismatch, type=mismatch.type or operated.type)
    side = operated.inputs if mismatch.side == "input" else operated.outputs
    if mismatch.index is None:
        said = ", ".join(str(list(shape)) for shape in operated.inputs or ())
        return replace(typed, note=f"its inputs are {said}", printed_at=place(store, operated.row)) if said else typed
    if side is None or mismatch.index >= len(side):
        return typed
    return replace(typed, printed=side[mismatch.index], printed_at=place(store, operated.row))


def _traced(
    mismatch: Mismatch, snapshots: Sequence[GraphSnapshot], shapes: Mapping[str, Operated], store: Store | None
) -> Mismatch:
    found = walker_for(snapshots, mismatch.op or "", shapes, store) if mismatch.op else None
    if found is not None:
        walker, graph, node = found
        inward = mismatch.side == "input" or node.type == _OUTPUTS
        index = mismatch.index if inward else None
        chain = tuple(walker.chain(graph, node, index))
        origin = _origin(mismatch, chain, shapes) if inward else node.name
        return replace(mismatch, type=mismatch.type or node.type, upstream=chain, origin=origin)
    guesses = tuple(_by_size(mismatch, shapes, store))
    if guesses:
        origin = guesses[0].op if len(guesses) == 1 else None
        why = "there is no graph dump: these operators have an output of that size"
        return replace(mismatch, upstream=guesses, origin=origin, unknown=Unknown(_ASKED, why, DUMP_SWITCH))
    return replace(mismatch, origin=_itself(mismatch), unknown=_missing(mismatch, snapshots, shapes))


_ASKED = "which operator produced the tensor"


def _origin(mismatch: Mismatch, chain: Sequence[Upstream], shapes: Mapping[str, Operated]) -> str | None:
    """Name the producer: of the input that the line names, else of the only one that has the size which was needed."""
    if mismatch.index is not None:
        return chain[0].op if chain else None
    fitting = [each.op for each in chain if _size(shapes.get(each.op)) == mismatch.expected is not None]
    return fitting[0] if len(fitting) == 1 else None


def _size(operated: Operated | None) -> int | None:
    """Give the bytes of an operator's first output, as the log inferred it."""
    sizes = () if operated is None else _sizes(operated)
    return sizes[0] if sizes else None


def _sizes(operated: Operated) -> tuple[int | None, ...]:
    items = (_BYTES.get(dtype.removeprefix("DT_")) for dtype in operated.dtypes)
    pairs = zip(operated.outputs or (), items, strict=False)
    return tuple(None if item is None else prod(shape) * item for shape, item in pairs)


def _itself(mismatch: Mismatch) -> str | None:
    """An output was inferred by the operator itself; those of a model come from an operator before."""
    return mismatch.op if mismatch.side == "output" and mismatch.op != _OUTPUTS else None


def _missing(mismatch: Mismatch, snapshots: Sequence[GraphSnapshot], shapes: Mapping[str, Operated]) -> Unknown:
    if mismatch.op is None:
        return Unknown(_ASKED, "the line names no operator", GE_SWITCH)
    if snapshots:
        return Unknown(_ASKED, f"no dump beside the log has a node '{mismatch.op}'", DUMP_SWITCH)
    if not shapes:
        return Unknown(
            _ASKED, "there is no graph dump, and no line prints inferred shapes", f"{DUMP_SWITCH}; {GE_SWITCH}"
        )
    return Unknown(_ASKED, "there is no graph dump, and no inferred shape of the log has that size", DUMP_SWITCH)


def _by_size(mismatch: Mismatch, shapes: Mapping[str, Operated], store: Store | None) -> Iterator[Upstream]:
    """Guess by sizes: operators whose inferred output has the bytes that an input had, or that an output needs."""
    wanted = mismatch.expected if mismatch.op == _OUTPUTS else mismatch.given if mismatch.side == "input" else None
    if store is None or wanted is None:
        return
    count = 0
    for operated in shapes.values():
        for shape, size in zip(operated.outputs or (), _sizes(operated), strict=False):
            if size == wanted and count < MOST and operated.op != mismatch.op:
                count += 1
                seen = Seen(place=place(store, operated.row))
                how = f"has an output of {wanted} bytes"
                yield Upstream(operated.op, operated.type or "", "", None, shape, seen, how)
