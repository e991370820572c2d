"""Facts beside the dumps, for cases about AI CPU, host CPU and the other engines."""

from collections.abc import Mapping

from truth_lowering import Facts

FACTS: Mapping[str, Facts] = {}
