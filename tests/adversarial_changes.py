"""What can happen to a log between the machine and the person who reads it: each change takes lines and gives lines.

They work on any plog: what they need of a line (process, time, level) is found by the form of its beginning.
"""

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

Lines = list[str]
Change = Callable[[Lines, Random], Lines]

TIME: Final = re.compile(r"(\d{4}-\d\d)-(\d\d)-(\d\d)(:\d\d:\d\d\.\d{3}\.\d{3})")
PROCESS: Final = re.compile(r"^(\[\w+\] ?\w+\()(\d+)(,)")
HEAD: Final = re.compile(r"^\[\w+\] ?\w+\(\d+,[^)]*\):[\d:.-]+ ?")
LOUD: Final = "[ERROR]"


def moved(line: str, *, days: int = 0, hours: int = 0) -> str:
    """The line as it were written at another time; both wrap, as a clock's hands do."""

    def later(found: re.Match[str]) -> str:
        return f"{found[1]}-{(int(found[2]) - 1 + days) % 28 + 1:02}-{(int(found[3]) + hours) % 24:02}{found[4]}"

    return TIME.sub(later, line, count=1)


def of_process(line: str, before: str) -> str:
    """The line as another process's, whose number begins with ``before``."""
    return PROCESS.sub(rf"\g<1>{before}\g<2>\g<3>", line)


def woven(one: Sequence[str], other: Sequence[str], random: Random) -> Lines:
    """Two logs line by line into one file, each in its own order."""
    mixed, left, right = [], list(one)[::-1], list(other)[::-1]
    while left and right:
        mixed.append((left if random.random() < len(left) / (len(left) + len(right)) else right).pop())
    return mixed + left[::-1] + right[::-1]


def without_errors(lines: Lines) -> Lines:
    """The lines of a process that ran well until it was cut."""
    return [line for line in lines if not line.startswith(LOUD)]


def shuffled_threads(lines: Lines, random: Random) -> Lines:
    """Each line may reach the file up to 40 places late."""
    late = {number: number + random.randrange(40) for number in range(len(lines))}
    return [lines[number] for number in sorted(late, key=lambda number: (late[number], number))]


def all_shuffled(lines: Lines, random: Random) -> Lines:
    """Somebody sorted the file by anything but time."""
    return random.sample(lines, len(lines))


def clock_jumps(lines: Lines, random: Random) -> Lines:
    """The clock is set, back or forth, at one line."""
    at, hours = random.randrange(len(lines)), random.choice((-5, -1, 1, 9))
    return [*lines[:at], *(moved(line, hours=hours) for line in lines[at:])]


def clock_jumps_often(lines: Lines, random: Random) -> Lines:
    """A clock that is set again and again."""
    for _ in range(6):
        lines = clock_jumps(lines, random)
    return lines


def no_times(lines: Lines, _random: Random) -> Lines:
    """All times are the same: a tool masked them."""
    return [TIME.sub("2026-01-01-00:00:00.000.000", line) for line in lines]


def lost_middle(lines: Lines, random: Random) -> Lines:
    """A rotated file is gone: up to half of the log."""
    start = random.randrange(len(lines))
    return lines[:start] + lines[start + random.randrange(len(lines) // 2 + 1) :]


def lost_pieces(lines: Lines, random: Random) -> Lines:
    """Several rotated files are gone."""
    for _ in range(5):
        start = random.randrange(len(lines))
        lines = lines[:start] + lines[start + random.randrange(len(lines) // 8 + 1) :]
    return lines


def lost_head(lines: Lines, random: Random) -> Lines:
    """Only the end of the log was copied."""
    return lines[random.randrange(len(lines)) :]


def lost_lines(lines: Lines, random: Random) -> Lines:
    """Each line may be missing: a full buffer drops what comes."""
    return [line for line in lines if random.random() < 0.7]


def two_processes(lines: Lines, random: Random) -> Lines:
    """Another process, which runs well until it is cut, writes into the same file."""
    return woven(lines, [of_process(line, "7") for line in without_errors(lines)], random)


def mixed_levels(lines: Lines, random: Random) -> Lines:
    """Modules that are at another level say less: each INFO line may be missing."""
    return [line for line in lines if not line.startswith("[INFO]") or random.random() < 0.6]


def errors_only(lines: Lines, _random: Random) -> Lines:
    """Every module is at ERROR, as on most machines."""
    return [line for line in lines if line.startswith(LOUD)]


def no_trace(lines: Lines, _random: Random) -> Lines:
    """GE is at ERROR."""
    return [line for line in lines if "[KernelTrace]" not in line]


def no_runtime(lines: Lines, _random: Random) -> Lines:
    """RUNTIME is at ERROR."""
    return [line for line in lines if not line.startswith("[INFO] RUNTIME")]


def doubled_lines(lines: Lines, random: Random) -> Lines:
    """A collector that was started again sends lines twice."""
    return [line for line in lines for _ in range(1 + (random.random() < 0.3))]


def doubled_file(lines: Lines, _random: Random) -> Lines:
    """The same file, appended to itself."""
    return [*lines, *lines]


def cut_lines(lines: Lines, random: Random) -> Lines:
    """Lines that lost their ends."""
    return [line[: random.randrange(len(line) + 1)] if random.random() < 0.2 else line for line in lines]


def glued_lines(lines: Lines, random: Random) -> Lines:
    """Lines that lost their line ends."""
    joined: Lines = []
    for line in lines:
        if joined and random.random() < 0.1:
            joined[-1] += line
        else:
            joined.append(line)
    return joined


def rubbish(lines: Lines, random: Random) -> Lines:
    """Bytes of something else between the lines."""
    noise = ["\x00\x01\x1b[31m", "PK\x03\x04", "[ERROR] ", "[ERROR] RUNTIME(", "Traceback (most recent call last):", ""]
    return [text for line in lines for text in ((random.choice(noise), line) if random.random() < 0.1 else (line,))]


def two_days(lines: Lines, _random: Random) -> Lines:
    """The log of a good run of the day before stands in front, from a process that had the same number."""
    return [*(moved(line, days=-1) for line in without_errors(lines)), *lines]


def two_days_backwards(lines: Lines, _random: Random) -> Lines:
    """The log of the day before is glued behind."""
    return [*lines, *(moved(line, days=-1) for line in without_errors(lines))]


def _quote(lines: Lines, change: Callable[[str], str], random: Random) -> tuple[int, str, Lines]:
    told = [change(line) for line in lines if LOUD in line or "[KernelTrace]" in line]
    heads = [found[0] for line in lines if (found := HEAD.match(line)) and line.startswith("[INFO] ")]
    head = next(iter(heads), "[INFO] GE(1,x):2026-01-01-00:00:00.000.000 ")
    return random.randrange(len(lines)), f"{head}[user.cc:7]1 Print:", told


def quoted(change: Callable[[str], str]) -> Change:
    """Somebody prints lines of another log, which blame another operator, inside of messages."""

    def quoted(lines: Lines, random: Random) -> Lines:
        at, head, told = _quote(lines, change, random)
        return [*lines[:at], *(f'{head} the log of yesterday said "{line}"' for line in told), *lines[at:]]

    return quoted


def quoted_at_once(change: Callable[[str], str]) -> Change:
    """The message of a user begins with a whole line of another log."""

    def quoted_at_once(lines: Lines, random: Random) -> Lines:
        at, head, told = _quote(lines, change, random)
        return [*lines[:at], *(f"{head}{line}" for line in told), *lines[at:]]

    return quoted_at_once


def quoted_errors(change: Callable[[str], str]) -> Change:
    """Errors are quoted at level ERROR, before and after they are true."""

    def quoted_errors(lines: Lines, random: Random) -> Lines:
        at, head, told = _quote(lines, change, random)
        loud = head.replace("[INFO]", LOUD, 1)
        return [*lines[:at], *(f'{loud} the log of yesterday said "{line}"' for line in told), *lines[at:]]

    return quoted_errors


def quoted_and_untraced(change: Callable[[str], str]) -> Change:
    """The only KernelTrace lines are those of the quotes."""

    def quoted_and_untraced(lines: Lines, random: Random) -> Lines:
        told = quoted(change)(lines, random)
        return [line for line in told if "[KernelTrace]" not in line or "of yesterday" in line]

    return quoted_and_untraced


PLAIN: Final[tuple[Change, ...]] = (
    shuffled_threads,
    all_shuffled,
    clock_jumps,
    clock_jumps_often,
    no_times,
    lost_middle,
    lost_pieces,
    lost_head,
    lost_lines,
    two_processes,
    mixed_levels,
    errors_only,
    no_trace,
    no_runtime,
    doubled_lines,
    doubled_file,
    cut_lines,
    glued_lines,
    rubbish,
    two_days,
    two_days_backwards,
)
"""Changes that need to know nothing of the failure."""
