"""Gears: which shapes a model was compiled for, which one a step asked for, and what runs when none is equal.

A gear must be equal in every value; nothing is rounded up by GE. So the nearest gear is told as advice, and never as
what runs: without a check on the host, ``Case`` runs its last branch (spec/gears_engines.md A.11, A.12, A.14).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from getrace.analysis.places import place
from getrace.analysis.shapes.facts import Gears, GearUse, Seen, Shape, Unknown
from getrace.analysis.shapes.steps import Run
from getrace.analysis.shapes.words import Word
from getrace.dumps.snapshot import AttrValue, GraphSnapshot
from getrace.store.store import Store

MOST = 256
"""Gears of one model (spec/gears_engines.md A.1)."""
USES = 200
"""Uses that are told, of each table."""

_SUFFIX = "_ascend_mbatch_batch_"
_NAME = re.compile(r"[\w/.-]{1,200}\Z")
_LAST = "no gear is equal: where the host does not check, Case runs its last branch"
_HYBRID = "no gear is equal: the graph for any shape runs"
_REFUSED = "no gear is equal: the call is refused"


def dumped_gears(snapshot: GraphSnapshot) -> Iterator[Gears]:
    """Give the gear tables of a dump: the Case nodes that GE put in."""
    for graph in snapshot.graphs.values():
        for node in graph.nodes:
            count = node.attrs.get("_batch_num")
            if not isinstance(count, int):
                continue
            gears = [_ints(node.attrs.get(f"_pred_value_{index}")) for index in range(min(count, MOST))]
            inputs = node.attrs.get("user_designate_shape_order")
            yield Gears(
                name=f"{node.name} in {graph.name}",
                gears=tuple(gear for gear in gears if gear is not None),
                seen=Seen(file=snapshot.source, node=node.name),
                inputs=tuple(map(str, inputs)) if isinstance(inputs, tuple) else (),
            )


def _ints(value: AttrValue | None) -> Shape | None:
    if not isinstance(value, tuple):
        return None
    return tuple(each for each in value if isinstance(each, int))


def told_gears(words: Sequence[Word]) -> Iterator[Gears]:
    """Give the gear tables that lines tell: options of the compiler, and the list of a hybrid graph."""
    shapes = [word for word in words if word.id == "gear.shape"]
    inputs = _names(shapes[0].values["shape"]) if shapes else ()
    seen: set[tuple[Shape, ...]] = set()
    for word in words:
        if word.id == "gear.option":
            gears = _option(word)
            if gears and gears not in seen:
                seen.add(gears)
                yield Gears("the option of the compiler", gears[:MOST], Seen(place=word.place), inputs)
    rows = [word for word in words if word.id == "gear.table"]
    if rows:
        table = {word.number("index") or 0: word.numbers("dims") for word in rows}
        gears = tuple(table[index] for index in sorted(table))
        yield Gears("the hybrid graph", gears[:MOST], Seen(place=rows[0].place))


def _option(word: Word) -> tuple[Shape, ...]:
    """Read ``1,2;3,4`` as two gears of two values, and a list of batch sizes as gears of one."""
    text = word.values["gears"].strip(",;")
    groups = text.split(";") if ";" in text or "dynamic_dims" in word.place.text else text.split(",")
    return tuple(tuple(int(part) for part in group.split(",") if part) for group in groups if group)


def _names(shape: str) -> tuple[str, ...]:
    """Give the inputs of an ``--input_shape`` that have an open dimension, once for each."""
    parts = (entry.rpartition(":") for entry in shape.split(";"))
    return tuple(name for name, _, dims in parts for _ in range(dims.split(",").count("-1")))


def use_of(asked: Shape, table: Gears, word: Word | None = None) -> GearUse | None:
    """Say which gear an asked shape has, or which is nearest; None without a table."""
    at = word.place if word is not None else table.seen.place
    if at is None:
        return None
    fitting = [gear for gear in table.gears if len(gear) == len(asked)]
    if asked in table.gears:
        return GearUse(asked, at, chosen=table.gears.index(asked))
    use = GearUse(asked, at)
    if not fitting:
        return use
    larger = [gear for gear in fitting if all(have >= want for have, want in zip(gear, asked, strict=True))]
    if larger:
        return replace(use, nearest=table.gears.index(min(larger, key=prod)), covers=True)
    nearest = min(fitting, key=lambda gear: sum(abs(have - want) for have, want in zip(gear, asked, strict=True)))
    return replace(use, nearest=table.gears.index(nearest))


def with_uses(
    store: Store | None, tables: Sequence[Gears], words: Sequence[Word], runs: Sequence[Run]
) -> tuple[list[Gears], int]:
    """Add to each table how it was used, and count the uses that are not told.

    Lines and steps name no table; with several of them a use belongs to the one that has gears of its length.
    """
    asked = [*_worded(words), *([] if store is None else _stepped(store, runs))]
    if not tables and asked:
        first = asked[0]
        tables = [Gears("the model", (), Seen(place=first[1].place))]
    uses: dict[int, list[GearUse]] = {}
    for shape, use in asked:
        index = next((at for at, table in enumerate(tables) if len(shape) in {len(g) for g in table.gears}), 0)
        uses.setdefault(index, []).append(_judged(use, tables[index]))
    left = sum(max(0, len(each) - USES) for each in uses.values())
    named = [replace(table, uses=tuple(uses.get(at, ())[:USES])) for at, table in enumerate(tables)]
    return [_branches(table, words) for table in named], left


def _judged(use: GearUse, table: Gears) -> GearUse:
    found = use_of(use.asked, replace(table, seen=Seen(place=use.place)))
    if found is None or not table.gears:
        return use
    runs = "" if found.chosen is not None else use.runs or _LAST
    return replace(found, iteration=use.iteration, runs=runs)


def _worded(words: Sequence[Word]) -> Iterator[tuple[Shape, GearUse]]:
    for word in words:
        if word.id in {"gear.chosen", "gear.none", "gear.asked"} and word.numbers("dims"):
            refused = "dimension list" in word.place.text
            runs = {"gear.none": _REFUSED if refused else _HYBRID}.get(word.id, _REFUSED)
            yield word.numbers("dims"), GearUse(word.numbers("dims"), word.place, runs=runs)


def _stepped(store: Store, runs: Sequence[Run]) -> Iterator[tuple[Shape, GearUse]]:
    for run in runs:
        if run.asked is not None:
            yield run.asked[0], GearUse(run.asked[0], place(store, run.asked[1]), run.run.iteration)


def _branches(table: Gears, words: Sequence[Word]) -> Gears:
    """Say which gears the operators of lines belong to: GE puts the index behind the name of each copy."""
    notes: dict[tuple[str, int], None] = {}
    for word in words:
        index = word.number("index")
        if word.id == "gear.node" and index is not None:
            found = _NAME.search(word.place.text[: word.place.text.index(_SUFFIX)][-200:])
            notes.setdefault(((found[0] if found else "?").removeprefix("-1_0_"), index), None)
    if not notes:
        return table
    told = [f"{name} is of gear {index}" + _gear_text(table, index) for name, index in list(notes)[:3]]
    more = f", and {len(notes) - 3} more operators" if len(notes) > 3 else ""
    return replace(table, note="; ".join(told) + more)


def _gear_text(table: Gears, index: int) -> str:
    return f" ({','.join(map(str, table.gears[index]))})" if index < len(table.gears) else ""


def gear_words_without_table(words: Sequence[Word]) -> Iterator[Gears]:
    """Give a table without gears for lines that show gears and tell none: operators of a branch, a model without."""
    word = next((each for each in words if each.id in {"gear.node", "gear.absent"}), None)
    if word is not None:
        absent = word.id == "gear.absent"
        note = "the model was compiled without gears (dynamic_batch_size, dynamic_image_size, dynamic_dims)"
        yield Gears("the model", (), Seen(place=word.place), note=note if absent else "")


def unknown_gears(tables: Sequence[Gears]) -> Iterator[Unknown]:
    """Say of which models the gears are not told."""
    for table in tables:
        if not table.gears and "without gears" not in table.note:
            yield Unknown(
                f"the gears of {table.name}",
                "neither a dump with the Case node nor a line with the option is here",
                "DUMP_GE_GRAPH=2 DUMP_GRAPH_LEVEL=1 while the model is compiled",
            )
