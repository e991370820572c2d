"""Lines of every row, prefix and header, by a seed: what a log may hold, and the same with damage.

Faster than hypothesis by much, for tests that want a million lines.
"""

import random
from collections.abc import Iterator

from getrace.plog.row import GE, MARK, RUNTIME, TRACE
from getrace.plog.rows import ROWS

PREFIXES = (
    "[INFO] GE({pid},demo):{time}.130.{us:03d} ",
    "[INFO] GE({pid},demo):{time}.130.{us:03d} ",
    "[INFO] GE({pid},demo):{time}.130.{us:03d} ",
    "[INFO] RUNTIME({pid},demo):{time}.131.{us:03d} ",
    "[ERROR] RUNTIME({pid},demo):{time}.131.{us:03d} ",
    "[INFO] HCCL({pid},demo):{time}.131.{us:03d} ",
    "[WARNING] FE({pid},python3.11):{time}.131.{us:03d} ",
    "[EVENT] ASCENDCL({pid},):{time}.131.{us:03d} ",
    "[DEBUG] GE({pid},a)b):{time}.131.{us:03d} ",
    "[INFO] GE({pid},demo):{time}.130 ",
    "[INFO]HCCL({pid},demo):{time}.130.{us:03d}",
    "[INFO] GE({pid},demo): {time}.130.{us:03d} ",
    "{us}:[INFO] GE({pid},demo):{time}.130.{us:03d} ",
    "plog-{pid}.log:{us}:[INFO] GE({pid},demo):{time}.130.{us:03d} ",
    "(worker pid={pid}) [ERROR] GE({pid},demo):{time}.130.{us:03d} ",
    "[9] GE({pid},demo):{time}.130.{us:03d} ",
    "",
)
HEADERS = (
    "[a.cc:{us}]{tid} Func:",
    "[a.cc:{us}]{tid} Func: ",
    "[a.cc:1] {tid} Func: ",
    "[dir/long_name_of_a_file.cc:{us}]{tid} ge::Class::VeryLongFunctionName:",
    "[a.cc:1]{tid} Func: ErrorNo: 4294967295(failed) [EXEC][DEFAULT]",
    "[a.cc:1]{tid} Func:[EXEC][DEFAULT]",
    "[a.cc:1]{tid} [allocator_3] Func:",
    "[a.cc:1][TAG][Func][{tid}] ",
    "[a.cc:1][{pid}][{tid}]",
    "[a.cc:1] >>> (tid:{tid}) ",
    "[ascend][curpid: {pid}, {tid}][drv]",
    "[a.cc:1]",
    "",
)
NAMES = ("AllocMemHbm_add1_63", "InferShape_MatMul_{us}", "A_b[0]_1", "A_x]y_2", "NoOp", "", "é_1", "[")
SAMPLES = tuple((row, sample) for row in ROWS for sample in row.samples)
_USUAL = "[INFO] {module}({{pid}},demo):{{time}}.130.{{us:03d}} [a.cc:{{us}}]{{tid}} {speaker}Func:"
DAMAGE = (
    "",
    " ",
    "0",
    "00",
    "-",
    "x",
    "]",
    "[",
    ":",
    ")",
    "\x00",
    "\xe9",
    "9" * 20,
    ", ",
    "\r",
    "[KernelTrace]",
    ")" + ":",
)


def lines(seed: int) -> Iterator[bytes]:
    """Give lines without end, each with numbers of its own."""
    dice = random.Random(seed)
    while True:
        values = {
            "pid": dice.choice((4711, 4712, 99)),
            "tid": dice.choice((4711, 5, 123456)),
            "us": dice.randrange(1000),
            "time": f"2026-03-05-10:11:{dice.randrange(10, 75)}",
        }
        row, sample = dice.choice(SAMPLES)
        if dice.random() < 0.5:  # other numbers in the same words
            at = dice.randrange(len(sample) + 1)
            digits = sample[at:].lstrip("123456789")
            sample = sample[:at] + str(dice.randrange(10 ** dice.randrange(1, 12))) * (digits != sample[at:]) + digits
        if dice.random() < 0.6:  # as its row wants it
            tag = {TRACE: f"[KernelTrace][{dice.choice(NAMES)}]", MARK: "[KernelTrace]"}.get(row.scope, "")
            module = RUNTIME if row.scope == RUNTIME else GE
            front = _USUAL.format(module=module, speaker="[allocator_3] " * row.spoken) + tag
        else:
            tag = dice.choice(("", "[KernelTrace]", f"[KernelTrace][{dice.choice(NAMES)}]"))
            front = dice.choice(PREFIXES) + dice.choice(HEADERS) + tag
        front = front.format(**values)
        yield (front + sample.replace("\n", " ")).encode()


def damaged(seed: int) -> Iterator[bytes]:
    """Give the same lines with a piece cut out, put in, doubled or moved to another line."""
    dice = random.Random(seed)
    before = b""
    for line in lines(seed):
        start, end = sorted((dice.randrange(len(line) + 1), dice.randrange(len(line) + 1)))
        if dice.random() < 0.7:
            end = min(end, start + dice.randrange(4))
        piece = dice.choice((dice.choice(DAMAGE).encode("latin-1"), line[start:end] * 2, before[start:end]))
        before = line
        yield line[:start] + piece + line[end:]
