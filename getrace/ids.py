"""The name of a kernel, and what is inside it.

GE names a node of an execute graph ``<KernelType>[_<compute node>]_<id>`` (spec/kerneltrace.md 4.1); passes break the
rule in known ways (4.2), and those that reach a log of this version are in one table here. If each analysis split
names by itself they would disagree on the exceptions.
"""

import re
from functools import lru_cache
from typing import NamedTuple


class KernelName(NamedTuple):
    """A kernel's name in parts: ``type`` is the kernel type, ``node`` the operator or "", ``id`` the number or -1."""

    type: str
    node: str
    id: int


_STANDARD = re.compile(r"([A-Za-z0-9]+)(?:_(.*))?_(\d{1,18})\Z", re.DOTALL | re.ASCII)
_REMEMBERED = 1 << 15
"""Names that are split once only: a graph runs thousands of times, and each analysis asks for its names each time."""
_NESTED = 8
"""Passes that may have worked on one name, one after the other; GE has four that do."""

# (pattern, real kernel type): names that a pass made. The group ``inner`` is the name the pass started from; an empty
# kernel type is read from the group ``type``.
_MADE_BY_PASSES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?P<inner>.*)_Replaced_NoOp\Z", re.DOTALL), "NoOp"),
    (re.compile(r"(?P<inner>.*)_(?:pre|post)_noop\Z", re.DOTALL), "NoOp"),
    (re.compile(r"CEM_NoOp_(?P<id>\d{1,18})\Z"), "NoOp"),
    (re.compile(r"(?P<inner>.*)_FuseHostInputs\Z", re.DOTALL), "AicpuFuseHost"),
    (re.compile(r"(?P<inner>.*)_Split_\d{1,4}_(?P<type>[A-Z][A-Za-z0-9]*)\Z", re.DOTALL), ""),
    (re.compile(r"(?P<inner>.*)_CalcAllocSizes\Z", re.DOTALL), "CalcCopyFlowAllocSizes"),
    (re.compile(r"(?P<inner>.*)_(?P<type>AllocCopyFlowHbm|LaunchCopyFlowH2D)\Z", re.DOTALL), ""),
    (re.compile(r"Const_(?P<inner>CopyFlowLaunch_To_.*)_(?:Num|Index)\Z", re.DOTALL), "Const"),
    (re.compile(r"CopyFlowLaunch_To_(?P<inner>.*)\Z", re.DOTALL), "CopyFlowLaunch"),
    (re.compile(r"(?P<type>[A-Za-z]+)_CopyFlowLaunch_To_(?P<inner>.*)\Z", re.DOTALL), ""),
    (re.compile(r"(?P<type>Free[A-Za-z]+HoldAddr)_(?P<inner>.*)\Z", re.DOTALL), ""),
)


@lru_cache(maxsize=_REMEMBERED)
def split_kernel_name(name: str) -> KernelName:
    """Split a NAME of a KernelTrace line into type, compute node and id (spec/kerneltrace.md 4).

    A name without an id (the seed articles print bare types) gives the whole text as type. An empty name, as the
    recycle lines have it, gives ``("", "", -1)``.
    """
    kernel_type = ""
    for _ in range(_NESTED):
        found = _made_by_a_pass(name)
        if found is None:
            break
        outer_type, inner, number = found
        kernel_type = kernel_type or outer_type
        if number >= 0:
            return KernelName(kernel_type, "", number)
        name = inner
    standard = _STANDARD.match(name)
    if standard is None:
        return KernelName(kernel_type or name, "", -1)
    return KernelName(kernel_type or standard[1], standard[2] or "", int(standard[3]))


def _made_by_a_pass(name: str) -> tuple[str, str, int] | None:
    """Take one pass off a name: (kernel type, the name it started from, its own id or -1), or None."""
    for pattern, kernel_type in _MADE_BY_PASSES:
        found = pattern.match(name)
        if found:
            parts = found.groupdict()
            return kernel_type or parts["type"], parts.get("inner") or "", int(parts.get("id") or -1)
    return None
