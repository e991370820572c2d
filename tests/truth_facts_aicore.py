"""Facts beside the dumps, for cases about AI Core operators."""

from collections.abc import Mapping

from truth_lowering import Facts

FACTS: Mapping[str, Facts] = {}
