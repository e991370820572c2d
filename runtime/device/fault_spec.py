"""The grammar of faults: ``KIND[@NAME][#N][:VALUE]`` (the command line's ``--fault``), and what each kind means.

One table says which kinds there are, what they count and what their value is; parser, help and errors read it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from getrace.errors import UsageError
from runtime.device.errors import (
    AICORE_EXCEPTION,
    AICPU_EXCEPTION,
    COPY_FAILED,
    LAUNCH_FAILED,
)


class FaultKind(NamedTuple):
    """A kind of fault. ``value`` says in words what its VALUE is, None for none; ``default`` is taken without one.

    ``named`` says whether a NAME can choose among the calls; a kind without counts calls of the driver, which knows no
    operators.
    """

    effect: str
    named: bool
    value: str | None = None
    default: float | None = None


KINDS: Final[Mapping[str, FaultKind]] = MappingProxyType(
    {
        "malloc": FaultKind("the N-th allocation of device memory fails", named=False),
        "stream": FaultKind("the N-th creation of a stream fails", named=False),
        "event": FaultKind("the N-th creation of an event fails", named=False),
        "notify": FaultKind("the N-th creation of a notify fails", named=False),
        "launch": FaultKind("the N-th launch of a kernel is refused", True, "a code", LAUNCH_FAILED),
        "copy": FaultKind("the N-th copy is refused", False, "a code", COPY_FAILED),
        "aicore": FaultKind("the N-th kernel on the AI Cores dies", True, "a code", AICORE_EXCEPTION),
        "aicpu": FaultKind("the N-th kernel on the AI CPU dies", True, "a code", AICPU_EXCEPTION),
        "timeout": FaultKind("the N-th kernel takes longer than a task may", named=True),
        "lost-event": FaultKind("the N-th record of an event never happens", named=False),
        "slow": FaultKind("kernels take longer; with #N the N-th one", True, "a factor", 10),
        "bitflip": FaultKind("the N-th kernel leaves a wrong bit in its first output", True, "the number of the bit"),
        "oom": FaultKind("device memory ends: at VALUE bytes, or with the N-th allocation", False, "bytes"),
        "kill": FaultKind("the process dies at the N-th launch, its log torn", named=True),
    }
)

GRAMMAR: Final = f"write KIND[@NAME][#N][:VALUE]; KIND is one of {', '.join(KINDS)}; N counts from 1"

_MOST: Final[Mapping[str, int]] = MappingProxyType(
    {"a code": (1 << 32) - 1, "a factor": 1_000_000, "the number of the bit": (1 << 48) - 1, "bytes": (1 << 63) - 1}
)
"""The largest value by what it is. A larger factor would take virtual time beyond the 64 bits of a time stamp."""

_SPEC = re.compile(r"(?P<kind>[^@#:]*)(?:@(?P<name>.*?))?(?:#(?P<number>[^@#:]*))?(?::(?P<value>[^@#:/]*))?")


@dataclass(frozen=True, slots=True)
class FaultSpec:
    """One fault that shall happen. ``number`` None means the first call, or every one for a kind that lasts."""

    kind: str
    name: str | None = None
    number: int | None = None
    value: float | None = None

    @property
    def effective_value(self) -> float | None:
        """The value, or the kind's own."""
        return KINDS[self.kind].default if self.value is None else self.value

    @property
    def text(self) -> str:
        """The fault as it is written."""
        name = "" if self.name is None else f"@{self.name}"
        number = "" if self.number is None else f"#{self.number}"
        return f"{self.kind}{name}{number}{'' if self.value is None else f':{self.value}'}"

    @property
    def value_is_no_limit(self) -> bool:
        """Whether it happens at a call; the other faults are a size of the device, which is there all the time."""
        return self.kind != "oom" or self.value is None

    @property
    def code(self) -> int:
        """The value of a kind whose value is a code."""
        value = self.effective_value
        assert value is not None
        return int(value)


def parse_fault(text: str) -> FaultSpec:
    """Read ``KIND[@NAME][#N][:VALUE]``. Raises UsageError with the grammar for anything else."""
    found = _SPEC.fullmatch(text)
    if found is None:
        raise _wrong(text, "it has no such form")
    kind = found["kind"]
    if kind not in KINDS:
        raise _wrong(text, f"there is no kind {kind!r}")
    if kind == "oom" and found["number"] is not None and found["value"] is not None:
        raise _wrong(text, "memory ends at VALUE bytes or with the N-th allocation, not both")
    if found["name"] is not None:
        if not KINDS[kind].named:
            raise _wrong(text, f"{kind} counts calls of the driver, which knows no names")
        if not found["name"]:
            raise _wrong(text, "there is no name behind the @")
    return FaultSpec(kind, found["name"], _number(text, found["number"]), _value(text, kind, found["value"]))


def _number(text: str, digits: str | None) -> int | None:
    if digits is None:
        return None
    if not digits.isascii() or not digits.isdigit() or int(digits) == 0:
        raise _wrong(text, f"N is {digits!r}, not a number from 1")
    return int(digits)


def _value(text: str, kind: str, digits: str | None) -> float | None:
    if digits is None:
        return None
    word = KINDS[kind].value
    if word is None:
        raise _wrong(text, f"{kind} takes no value")
    try:
        value = float(digits) if word == "a factor" else int(digits, 0)
    except ValueError:
        raise _wrong(text, f"the value {digits!r} is not {word}") from None
    if not value >= 0 or (value == 0 and word != "the number of the bit"):
        raise _wrong(text, f"the value {digits} is not {word} above 0")
    if value > _MOST[word]:
        raise _wrong(text, f"the value {digits} is above {_MOST[word]}")
    return value


def _wrong(text: str, why: str) -> UsageError:
    return UsageError(f"--fault {text!r}: {why}", GRAMMAR)
