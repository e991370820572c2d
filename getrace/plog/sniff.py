"""What a file is, when it is not a plog: so that the refusal names it.

Each entry is a pattern over the first lines and a sentence. Reading something else as a log would give answers about
nothing, so a file without a single record is refused.
"""

import re

_HEAD = 65536

# (pattern over the head, what it is, what to do)
_OTHERS: tuple[tuple[re.Pattern[bytes], str, str], ...] = (
    (re.compile(rb"\A(?:PICO|IMOD)"), "an offline model (OM)", "a model is run or drawn, not read as a log"),
    (re.compile(rb"\APK\x03\x04"), "a zip archive", "unpack it and give the folder"),
    (re.compile(rb"\A\x7fELF"), "a program or library", "give a plog-*.log file"),
    (re.compile(rb"\A\s*graph \{|\A\s*name: \"|\A(?:\s|#.*\n)*ir_version:"), "a graph dump", "use `getrace graph`"),
    (re.compile(rb"\A\s*[\[{]\s*\""), "a JSON document", "give a plog-*.log file"),
    (
        re.compile(rb"\A(?:\xef\xbb\xbf)?[\w ()%./-]+(?:,[\w ()%./-]*){3,}\r?\n"),
        "a table of a profiler (CSV)",
        "give a plog",
    ),
    (
        re.compile(rb"\A\[\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d+\] \[\w+\]", re.MULTILINE),
        "a log of the host's kernel driver",
        "it goes beside the plogs of the processes, give those",
    ),
    (
        re.compile(rb"^(?:E[A-Z]?\d{4,5}|EZ\d{4}|W\d{5})\b.{0,40}", re.MULTILINE),
        "the error text that CANN shows to the user",
        "the plog of the process (ascend/log/debug/plog) has the whole story",
    ),
    (re.compile(rb"Traceback \(most recent call last\)"), "a Python traceback", "give the plog of the process"),
)


def is_binary(head: bytes) -> bool:
    """Say whether bytes are not text: more than one NUL or control byte in a hundred."""
    odd = sum(head.count(bytes([code])) for code in (0, 1, 2, 3, 4, 5, 6, 14, 15, 16))
    return odd * 100 > len(head)


def what_else(data: bytes) -> tuple[str, str]:
    """Name what a file without any record is, and what to do: (what, hint)."""
    head = data[:_HEAD]
    for pattern, what, hint in _OTHERS:
        if pattern.search(head):
            return what, hint
    if is_binary(head):
        return "a binary file", "give a plog-*.log file"
    return "no plog: not one line begins with [LEVEL] MODULE(pid,name):time", "give a plog-*.log file or its folder"
