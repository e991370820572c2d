"""Which table knows what the dumps of a case do not say (see ``truth_lowering.Facts``)."""

from collections.abc import Mapping

import truth_facts_aicore
import truth_facts_aicpu
import truth_facts_flow
import truth_facts_local
from truth_lowering import Facts

USUAL = Facts()
"""The usual case of GE's tests: the exception dump is on."""

_TABLES: tuple[Mapping[str, Facts], ...] = (
    truth_facts_aicore.FACTS,
    truth_facts_aicpu.FACTS,
    truth_facts_flow.FACTS,
    truth_facts_local.FACTS,
)


def facts_of(case: str) -> Facts:
    """Give the facts of a case: its own, else those of its suite (``Suite.*``), else the usual ones."""
    for key in (case, case.partition(".")[0] + ".*"):
        for table in _TABLES:
            if key in table:
                return table[key]
    return USUAL
