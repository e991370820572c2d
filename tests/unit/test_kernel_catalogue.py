"""The catalogue of kernel types and the register of kernels say the same."""

from collections import Counter

from runtime.kernels.catalogue import catalogue
from runtime.kernels.families import builtin_kernels

_PLACED_BY_THE_BUILDER = {"Const"}
"""The value of a constant stands in the graph; the builder of an executor puts it in place."""

_SIZES = {
    "A": 7, "B": 9, "C": 10, "D": 23, "E": 7, "F": 16, "G": 13, "H": 5, "I": 15, "J": 22,
    "K": 9, "L": 16, "M": 34, "N": 15, "O": 14, "P": 4, "Q": 7, "R": 12, "S": 38, "T": 4,
}  # fmt: skip


def test_the_catalogue_has_the_280_types_of_ge_each_once() -> None:
    types = [entry.type for entry in catalogue()]
    assert len(types) == 280
    assert len(set(types)) == 280


def test_the_families_are_as_large_as_in_ge() -> None:
    assert Counter(entry.family for entry in catalogue()) == _SIZES


def test_46_types_have_a_trace_printer_60_use_memory_and_26_launch() -> None:
    entries = catalogue()
    assert sum(entry.traced for entry in entries) == 46
    assert Counter(entry.section for entry in entries) == {"": 194, "memory": 60, "launch": 26}
    assert sum(entry.outputs_creator for entry in entries) == 122


def test_each_registered_kernel_has_the_facts_of_the_catalogue() -> None:
    entries = {entry.type: entry for entry in catalogue()}
    differing = {
        kernel.type
        for kernel in builtin_kernels()
        for entry in [entries[kernel.type]]
        if (kernel.critical_section, kernel.trace_printer is not None) != (entry.section, entry.traced)
    }
    assert differing == set()


def test_outputs_creators_stand_where_ge_has_them() -> None:
    entries = {entry.type: entry for entry in catalogue()}
    differing = {
        kernel.type
        for kernel in builtin_kernels()
        if (kernel.outputs_creator is not None) != entries[kernel.type].outputs_creator
    }
    assert differing == _PLACED_BY_THE_BUILDER


def test_a_type_runs_exactly_when_it_is_registered_and_gives_a_reason_otherwise() -> None:
    registered = {kernel.type for kernel in builtin_kernels()}
    for entry in catalogue():
        assert entry.runs == (entry.type in registered)
        assert bool(entry.reason) != entry.runs, entry.type
