"""Logs in which something else looks like the failure: an earlier life, another device, another model, another failure.

Each gives the lines, and what is true of them besides the failure that the log is about.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from adversarial_changes import TIME, Lines, moved, of_process, without_errors, woven


@dataclass(frozen=True, slots=True)
class Truth:
    """What failed. An answer may leave fields out; those that it gives must be these. ``alike`` names the same task."""

    pid: int
    phase: str
    op: str | None
    kernel: str | None
    stream: int | None = None
    task: int | None = None


@dataclass(frozen=True, slots=True)
class FailedLog:
    """A log, its failure, and the operators in it."""

    lines: Lines
    truth: Truth
    operators: tuple[str, ...]

    @property
    def other(self) -> Callable[[str], str]:
        """A function that speaks of the next operator wherever a line speaks of one."""
        names = dict(zip(self.operators, [*self.operators[1:], self.operators[0]], strict=True))
        longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        word = re.compile(rf"(?<![A-Za-z0-9])({longest_first})(?=[_\]])")
        ends = re.compile(rf"(kernel_name=[0-9_]+_|op_name=)({'|'.join(map(re.escape, names))})(?=,)")
        return lambda line: ends.sub(lambda m: m[1] + names[m[2]], word.sub(lambda m: names[m[1]], line))


Double = Callable[[FailedLog, Random], tuple[Lines, list[Truth]]]
_TASK: Final = re.compile(r"flip_num=0, flip_task_id=(\d+)")
_FAULT_FLIP: Final = re.compile(r"flip_num=0")
_NUMBER: Final = re.compile(r"_(\d+)(?=\])")
_THREAD: Final = re.compile(r"(\[\w+\.\w+:\d+\] ?)(\d+)")


def _first(log: FailedLog, change: Callable[[str], str] = str) -> Lines:
    """The same run without its failure, an hour earlier."""
    return [moved(change(line), hours=-1) for line in without_errors(log.lines)]


def as_it_is(log: FailedLog, _random: Random) -> tuple[Lines, list[Truth]]:
    return log.lines, []


def earlier_life(log: FailedLog, _random: Random) -> tuple[Lines, list[Truth]]:
    """The process ran another graph before: its streams and tasks had the same numbers."""
    return [*_first(log, log.other), *log.lines], []


def earlier_flip(log: FailedLog, _random: Random) -> tuple[Lines, list[Truth]]:
    """The stream has gone through all numbers once: tasks have the low 16 bits of earlier ones."""
    first = [line for line in _first(log, log.other) if not _is_of_life(line)]
    again = [_TASK.sub(lambda m: f"flip_num=1, flip_task_id={65_536 + int(m[1])}", line) for line in log.lines]
    return [*first, *(_FAULT_FLIP.sub("flip_num=1", line) if "fault kernel" in line else line for line in again)], []


def other_device(log: FailedLog, random: Random) -> tuple[Lines, list[Truth]]:
    """The process works on a second device, where the streams and tasks have the same numbers."""

    def there(line: str) -> str:
        other = log.other(line).replace("device_id=0", "device_id=1").replace("device_id:0", "device_id:1")
        return _THREAD.sub(lambda m: f"{m[1]}7{m[2]}", other)

    return woven(log.lines, [there(line) for line in without_errors(log.lines)], random), []


def other_model(log: FailedLog, _random: Random) -> tuple[Lines, list[Truth]]:
    """A model that the process ran before has operators of the same names; its kernels have other numbers."""
    first = [_NUMBER.sub(lambda m: f"_{int(m[1]) + 5000}", line) for line in _first(log)]
    return [*first, *log.lines], []


def earlier_failure(log: FailedLog, _random: Random) -> tuple[Lines, list[Truth]]:
    """Another operator of the process failed an hour before, and the process went on."""
    before = [moved(log.other(line), hours=-1) for line in log.lines]
    good = [line for line in without_errors(log.lines) if not _is_of_life(line)]
    return [*before, *good, *log.lines], [_other_truth(log)]


def other_failure(log: FailedLog, random: Random) -> tuple[Lines, list[Truth]]:
    """Another process fails, too, in another operator, at the same time in the same file."""
    there = [of_process(log.other(line), "7") for line in log.lines]
    truth = _other_truth(log)
    return woven(log.lines, there, random), [replace(truth, pid=int(f"7{truth.pid}"))]


DOUBLES: Final[tuple[Double, ...]] = (
    as_it_is,
    earlier_life,
    earlier_flip,
    other_device,
    other_model,
    earlier_failure,
    other_failure,
)


def _other_truth(log: FailedLog) -> Truth:
    truth = log.truth
    kernel = None if truth.kernel is None else log.other(f"[{truth.kernel}]")[1:-1]
    op = None if truth.op is None else log.other(f"[_{truth.op}_]")[2:-2]
    return replace(truth, kernel=kernel, op=op)


def _is_of_life(line: str) -> bool:
    return re.search(r"[Cc]reate|[Dd]estroy|StreamSetup", line) is not None


def _hour(log: FailedLog) -> str:
    """The hour of the failure as its lines write it: an earlier run is of another one."""
    found = TIME.search(log.lines[0])
    assert found is not None
    return found[0][: len("2026-01-01-00:")]


Loss = Callable[[Lines, FailedLog, Random], Lines]


def nothing_lost(lines: Lines, _log: FailedLog, _random: Random) -> Lines:
    return lines


def untold_lives(lines: Lines, _log: FailedLog, _random: Random) -> Lines:
    """No line tells of a stream's birth or end."""
    return [line for line in lines if not _is_of_life(line)]


def lost_launch(lines: Lines, log: FailedLog, _random: Random) -> Lines:
    """The kernel that failed has no line of its own; before the last hour it may have."""
    kernel, hour = f"[{log.truth.kernel}]", _hour(log)
    return [line for line in lines if kernel not in line or hour not in line]


def lost_launches(lines: Lines, log: FailedLog, _random: Random) -> Lines:
    """No kernel of the last hour says which task it became."""
    hour = _hour(log)
    return [line for line in lines if "stream_id=" not in line.partition("[KernelTrace]")[2] or hour not in line]


def lost_names(lines: Lines, _log: FailedLog, _random: Random) -> Lines:
    """RUNTIME does not say which kernel failed."""
    return [line for line in lines if "kernel_name=" not in line]


LOSSES: Final[tuple[tuple[Loss, ...], ...]] = (
    (nothing_lost,),
    (untold_lives,),
    (lost_launch,),
    (lost_names,),
    (untold_lives, lost_launch),
    (untold_lives, lost_names),
    (lost_launch, lost_names),
    (untold_lives, lost_launch, lost_names),
    (untold_lives, lost_launches, lost_names),
)
