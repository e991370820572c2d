"""The one JSON object that every verb prints: the same keys in the same order, the same bytes for the same input.

Times are whole nanoseconds with an ISO text beside them, addresses are hex strings, durations say where they come from.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from getrace import __version__
from getrace.cli.selecting import selection_json
from getrace.clock import iso_time

if TYPE_CHECKING:
    from getrace.analysis.places import Place
    from getrace.store.clock_offset import ClockOffset
    from getrace.store.selection import Selection
    from getrace.store.store import Source

Json = dict[str, Any]

_ENCODER = json.JSONEncoder(ensure_ascii=True)
_OPEN_LEVELS = 3
"""Objects that are written over several lines: the envelope, ``data``, and what stands in ``data`` by name."""


def envelope(
    verb: str,
    data: Mapping[str, Any],
    sources: Sequence["Source"] = (),
    warnings: Sequence[str] = (),
    selection: "Selection | None" = None,
) -> str:
    """Spell the answer of a verb as JSON with a newline at the end; only ASCII, so that no locale can change it."""
    whole = {
        "schema": f"getrace/{verb}/1",
        "getrace": __version__,
        "sources": [source_json(source) for source in sources],
        "warnings": list(warnings),
        "truncated": any(source.truncated for source in sources),
        "dropped": 0,
        **({} if selection is None else {"selection": selection_json(selection, sources)}),
        "data": data,
    }
    return f"{_laid_out(whole)}\n"


def _laid_out(value: Any, indent: str = "", depth: int = _OPEN_LEVELS) -> str:
    """Spell a value with a line for each key of the outer objects and for each object or text of a list.

    ``json`` lays out with an encoder in Python; one line at a time goes through the one in C, and a list of a hundred
    thousand blocks reads as a table.
    """
    inner = indent + "  "
    if depth and isinstance(value, Mapping) and value:
        lines = [f"{inner}{_ENCODER.encode(key)}: {_laid_out(item, inner, depth - 1)}" for key, item in value.items()]
        opening, closing = "{", "}"
    elif isinstance(value, list) and value and isinstance(value[0], dict | str):
        lines = [inner + _ENCODER.encode(item) for item in value]
        opening, closing = "[", "]"
    else:
        return _ENCODER.encode(value)
    return opening + "\n" + ",\n".join(lines) + f"\n{indent}{closing}"


def source_json(source: "Source") -> Json:
    """Describe where records came from."""
    return {
        "path": clean(source.path),
        "bytes": source.size,
        "lines": source.lines,
        "records": source.records,
        "dialects": list(source.dialects),
        "clock_offset": None if source.clock is None else clock_json(source.clock),
    }


def clock_json(clock: "ClockOffset") -> Json:
    """Describe how far a source's clock is ahead of another's; null where nothing proves a bound."""
    return {
        "at_least": duration_json(clock.low_ns, "inferred"),
        "at_most": duration_json(clock.high_ns, "inferred"),
        "pairs": clock.pairs,
        "against": clean(clock.reference),
        "evidence": [
            {
                "what": proof.what,
                "line": proof.line,
                "against_file": clean(proof.reference),
                "against_line": proof.reference_line,
            }
            for proof in clock.proofs
        ],
    }


def place_json(place: "Place | None") -> Json | None:
    """Describe a record that serves as evidence."""
    if place is None:
        return None
    return {"file": clean(place.file), "line": place.line, **time_json(place.time_ns), "text": clean(place.text)}


def time_json(time_ns: int | None) -> Json:
    """Give a time as nanoseconds and as text, ``{"time_ns": ..., "time": ...}``; both null without a time."""
    return {"time_ns": time_ns, "time": None if time_ns is None else iso_time(time_ns)}


def duration_json(ns: int | None, provenance: str) -> Json | None:
    """Give a duration with where it comes from: ``measured``, ``simulated`` or ``inferred``."""
    return None if ns is None else {"ns": ns, "provenance": provenance}


def address(value: int | None) -> str | None:
    """Spell an address."""
    return None if value is None else f"{value:#x}"


def clean(text: str) -> str:
    """Replace what is no text: bytes of a log that are not UTF-8 survive in the store, but not in JSON."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
