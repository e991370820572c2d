"""``getrace kernels``: every kernel type of GE, and whether it runs on the simulated device."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from itertools import groupby

from getrace.cli.answer import Answer, Tools
from getrace.cli.diagnostics import ExitCode
from getrace.cli.envelope import Json
from getrace.cli.layout import Paint, columns
from runtime.kernels.catalogue import KernelEntry, catalogue

EXAMPLES = ("getrace kernels --json", "getrace kernels")


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments: there are none."""
    _ = parser


def answer(_options: Namespace, _tools: Tools) -> Answer:
    """List all types in the order of their families."""
    entries = catalogue()
    data = {
        "types": len(entries),
        "running": sum(entry.runs for entry in entries),
        "kernels": [_json(entry) for entry in entries],
    }
    return Answer(ExitCode.FINE, data, lambda paint: _text(entries, paint))


def _json(entry: KernelEntry) -> Json:
    return {
        "type": entry.type,
        "family": entry.family,
        "family_name": entry.family_name,
        "runs": entry.runs,
        "reason": entry.reason or None,
        "critical_section": entry.section or None,
        "traced": entry.traced,
        "outputs_creator": entry.outputs_creator,
    }


def _text(entries: tuple[KernelEntry, ...], paint: Paint) -> Iterator[str]:
    for letter, group in groupby(entries, key=lambda entry: entry.family):
        family = list(group)
        running = sum(entry.runs for entry in family)
        yield paint("bold", f"{letter}  {family[0].family_name}: {running} of {len(family)} run")
        rows = [(entry.type, "runs" if entry.runs else entry.reason) for entry in family]
        yield from columns(rows, width=paint.width)
    total = sum(entry.runs for entry in entries)
    yield paint("bold", f"{total} of {len(entries)} types run")
