"""Status codes of GE as ``ErrorNo: <code>(<description>)`` prints them (spec/kerneltrace.md 7.2)."""

from collections.abc import Mapping
from types import MappingProxyType

FAILED = 4294967295
MEMALLOC_FAILED = 1343225856
PARAM_INVALID = 1343225857
RT_FAILED = 1343225859
INTERNAL_ERROR = 1343225860

REASONS: Mapping[int, str] = MappingProxyType(
    {
        0: "success",
        FAILED: "failed",
        MEMALLOC_FAILED: "Failed to allocate memory!",
        PARAM_INVALID: "Parameter invalid!",
        RT_FAILED: "Failed to call runtime API!",
        INTERNAL_ERROR: "Internal errors",
        1343225863: "End of sequence!",
        1343242248: "Graph param is NULL.",
        145000: "Parameter invalid.",
        145003: "Model id invalid.",
        545000: "Internal error.",
    }
)
"""Descriptions by code; other codes print none."""
