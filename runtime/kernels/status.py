"""Status numbers of GE (spec/execution.md 0.1) that this runtime gives or compares, each once.

A kernel, an executor and an application all compare the same number; two tables would sooner or later differ.
"""

from enum import IntEnum

from runtime.ops.op_def import GRAPH_FAILED


class Status(IntEnum):
    """What a kernel or an executor call returns. 0 is success, so a status is true when something went wrong."""

    SUCCESS = 0
    PARAM_INVALID = 1343225857
    GRAPH_PARAM_INVALID = 50331649
    END_OF_SEQUENCE = 1343225863
    FAILED = GRAPH_FAILED
