"""Which table knows what the dumps of a case do not say (see ``truth_lowering.Facts``)."""

from collections.abc import Mapping
from dataclasses import fields, replace

import truth_facts_aicore
import truth_facts_aicpu
import truth_facts_flow
import truth_facts_local
from truth_lowering import Facts, without
from truth_options import PASS_OPTIONS

USUAL = Facts()
"""The usual case of GE's tests: the exception dump is on."""

_TABLES: tuple[Mapping[str, Facts], ...] = (
    truth_facts_aicore.FACTS,
    truth_facts_aicpu.FACTS,
    truth_facts_flow.FACTS,
    truth_facts_local.FACTS,
)


def facts_of(case: str) -> Facts:
    """Give the facts of a case: of each table its own, else those of its suite (``Suite.*``), taken together."""
    facts = without(USUAL, **PASS_OPTIONS.get(case, {}))
    for table in _TABLES:
        found = next((table[key] for key in (case, case.partition(".")[0] + ".*") if key in table), USUAL)
        facts = _together(facts, found)
    return facts


def _together(one: Facts, other: Facts) -> Facts:
    """Both facts; of two options that say different things the other's counts, unless it is the usual one."""
    chosen = {
        option.name: getattr(other.options, option.name)
        for option in fields(other.options)
        if option.name not in _OWN_KIND and getattr(other.options, option.name) != getattr(USUAL.options, option.name)
    }
    if other.options.library is not USUAL.options.library:
        chosen["library"] = other.options.library
    return Facts(
        replace(one.options, **chosen),
        {**one.tasks, **other.tasks},
        {**one.attrs, **other.attrs},
        {**one.graphs, **other.graphs},
        (*one.converters, *other.converters),
        {**one.model, **other.model},
        {**one.later, **other.later},
    )


_OWN_KIND = frozenset({"library"})
"""Options that cannot be compared by value."""
