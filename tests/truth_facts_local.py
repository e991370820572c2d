"""Facts beside the dumps, for cases about operators that GE runs itself, static sub graphs and MixL2."""

from collections.abc import Mapping

from truth_lowering import Facts

FACTS: Mapping[str, Facts] = {}
