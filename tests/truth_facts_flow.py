"""Facts beside the dumps, for cases about control flow and several streams."""

from collections.abc import Mapping

from truth_lowering import Facts

FACTS: Mapping[str, Facts] = {}
