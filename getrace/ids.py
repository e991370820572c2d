"""The name of a kernel, and what is inside it.

GE names a node of an execute graph ``<KernelType>[_<compute node>]_<id>`` (spec/kerneltrace.md 4.1); passes break the
rule in known ways (4.2), and those that reach a log of this version are in one table here. If each analysis split
names by itself they would disagree on the exceptions.
"""

import re
from typing import NamedTuple


class KernelName(NamedTuple):
    """A kernel's name in parts: ``type`` is the kernel type, ``node`` the operator or "", ``id`` the number or -1."""

    type: str
    node: str
    id: int


_STANDARD = re.compile(r"([A-Za-z0-9]+)(?:_(.*))?_(\d+)\Z", re.DOTALL | re.ASCII)

# (pattern, real kernel type): names that a pass made. The group ``inner`` is the name the pass started from; an empty
# kernel type is read from the group ``type``.
_MADE_BY_PASSES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?P<inner>.*)_Replaced_NoOp\Z", re.DOTALL), "NoOp"),
    (re.compile(r"(?P<inner>.*)_(?:pre|post)_noop\Z", re.DOTALL), "NoOp"),
    (re.compile(r"CEM_NoOp_(?P<id>\d+)\Z"), "NoOp"),
    (re.compile(r"(?P<inner>.*)_FuseHostInputs\Z", re.DOTALL), "AicpuFuseHost"),
    (re.compile(r"Const_(?P<inner>CopyFlowLaunch_To_.*)_(?:Num|Index)\Z", re.DOTALL), "Const"),
    (re.compile(r"CopyFlowLaunch_To_(?P<inner>.*)\Z", re.DOTALL), "CopyFlowLaunch"),
    (re.compile(r"(?P<type>[A-Za-z]+)_CopyFlowLaunch_To_(?P<inner>.*)\Z", re.DOTALL), ""),
    (re.compile(r"(?P<type>Free[A-Za-z]+HoldAddr)_(?P<inner>.*)\Z", re.DOTALL), ""),
)


def split_kernel_name(name: str) -> KernelName:
    """Split a NAME of a KernelTrace line into type, compute node and id (spec/kerneltrace.md 4).

    A name without an id (the seed articles print bare types) gives the whole text as type. An empty name, as the
    recycle lines have it, gives ``("", "", -1)``.
    """
    for pattern, kernel_type in _MADE_BY_PASSES:
        found = pattern.match(name)
        if found:
            parts = found.groupdict()
            inner = split_kernel_name(parts.get("inner") or "")
            return KernelName(kernel_type or parts["type"], inner.node, int(parts.get("id") or inner.id))
    found = _STANDARD.match(name)
    if found is None:
        return KernelName(name, "", -1)
    return KernelName(found[1], found[2] or "", int(found[3]))
