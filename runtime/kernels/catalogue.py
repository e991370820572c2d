"""All 280 kernel types of GE, and which of them run here (spec/lowering.md 11).

Whether a type runs is asked of the register and stands in no list of its own: a list would go on saying yes after the
kernel was taken out. Only the reasons of those that do not run are data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from runtime.kernels import registry
from runtime.kernels.catalogue_engines import ENGINE_FAMILIES
from runtime.kernels.catalogue_graph import GRAPH_FAMILIES
from runtime.kernels.catalogue_row import CREATOR, LAUNCH, MEMORY, TRACED, Family, Row
from runtime.kernels.families import builtin_kernels

_NO_EMITTER = "GE registers it and lowers nothing to it"
_OF_TYPE: Final[Mapping[str, str]] = {
    "DlcloseSoHandles": _NO_EMITTER,
    "MixL2UpdateExceptionDumpInfo": "it fills an exception dump, and no converter here asks for one",
}
_OF_FAMILY: Final[Mapping[str, str]] = {
    "B": "it needs the allocators of several streams",
    "C": "it needs the allocators of several streams, of FFTS+ windows or of fixed feature memory",
    "D": "it needs the allocators of several streams, of FFTS+ windows or of fixed feature memory",
    "L": "it calls a library that was generated for one model",
    "Q": "a sub model that was compiled to tasks needs its binary",
    "S": _NO_EMITTER,
}
_REST: Final = "no run function stands for it"


@dataclass(frozen=True, slots=True)
class KernelEntry:
    """One kernel type. ``reason`` says why it does not run and is "" when it does; ``section`` is "", memory or launch.

    ``traced`` and ``outputs_creator`` say what GE's registration has.
    """

    type: str
    family: str
    family_name: str
    runs: bool
    reason: str
    section: str
    traced: bool
    outputs_creator: bool


def catalogue() -> tuple[KernelEntry, ...]:
    """Give all types in the order of the families, A to T."""
    running = {kernel.type for kernel in builtin_kernels()}
    families = (*GRAPH_FAMILIES, *ENGINE_FAMILIES)
    return tuple(_entry(family, row, runs=row.type in running) for family in families for row in family.rows)


def _entry(family: Family, row: Row, *, runs: bool) -> KernelEntry:
    reason = "" if runs else _OF_TYPE.get(row.type) or _OF_FAMILY.get(family.letter, _REST)
    return KernelEntry(
        row.type,
        family.letter,
        family.name,
        runs,
        reason,
        _section(row),
        TRACED in row.facts,
        CREATOR in row.facts,
    )


def _section(row: Row) -> str:
    if MEMORY in row.facts:
        return registry.MEMORY
    return registry.LAUNCH if LAUNCH in row.facts else ""
