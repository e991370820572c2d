"""Compiled models by the user's words: which of the models in a file is meant, and what is odd about it.

A flow model and a bundle hold whole models. A verb that took the first of them without a word would show a root of two
nodes for a model of thousands.

Source: spec/formats.md 1.6, 2.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from getrace.dumps.om_file import OmFile, SubModel, read_om
from getrace.dumps.snapshot import GraphSnapshot
from getrace.errors import UsageError

_FEW = 10
"""Inner models that are named; a bundle may have thousands."""


def graphs_of_om(path: Path, inner: str, warnings: list[str]) -> GraphSnapshot:
    """Give the graphs of an offline model, or of a model inside it by name or number (from 1).

    Raises InputError for a broken file, UsageError for an inner model that is not there.
    """
    om = read_om(path)
    warnings += om.warnings
    found = list(_inside(om))
    if not inner:
        warnings += _told(found, "" if om.models else "; the first is taken")
        return replace(om.snapshot, source=str(path))
    for number, sub in enumerate(found, 1):
        if sub.om is not None and inner in (sub.name, str(number)):
            warnings += sub.om.warnings
            return replace(sub.om.snapshot, source=str(path))
    raise UsageError(f"{path} holds no inner model {inner!r}", _names(found) or "it holds none at all")


def refuse_inner(text: str, inner: str) -> None:
    """Raise UsageError when an inner model is asked of what is no offline model."""
    if inner:
        raise UsageError(f"{text} is no offline model: it has no inner model {inner!r}", "leave --inner out")


def _inside(om: OmFile) -> Iterator[SubModel]:
    for sub in om.submodels:
        yield sub
        if sub.om is not None:
            yield from _inside(sub.om)


def _told(found: list[SubModel], taken: str) -> Iterator[str]:
    if found:
        count = "one inner model" if len(found) == 1 else f"{len(found)} inner models"
        yield f"the file holds {count}{taken}; --inner NAME draws one: {_names(found)}"


def _names(found: list[SubModel]) -> str:
    shown = [_name(number, sub) for number, sub in enumerate(found[:_FEW], 1)]
    return ", ".join(shown) + (f" and {len(found) - _FEW} more" if len(found) > _FEW else "")


def _name(number: int, sub: SubModel) -> str:
    about = [sub.type] * bool(sub.type) + ["in another file"] * (sub.om is None)
    return " ".join(filter(None, (f"{number}.", sub.name, f"({', '.join(about)})" if about else "")))
