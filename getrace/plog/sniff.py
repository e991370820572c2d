"""What a file is, when it is not a plog: so that the refusal names it.

Each entry is a pattern over the first bytes and a sentence. Reading something else as a log would give answers about
nothing, so a file without a single record is refused; an archive is refused before its headers are taken for lines.
"""

import re

from getrace.dumps.sniff import sign_of

_HEAD = 65536
_GIVE_PLOG = "give a plog-*.log file or its folder"
_GIVE_PROCESS = "the plog of the process (ascend/log/debug/plog) has the whole story: give that"

_Entry = tuple[re.Pattern[bytes], str, str]

# (pattern over the head, what it is, what to do)
_ARCHIVES: tuple[_Entry, ...] = (
    (re.compile(rb"\APK\x03\x04"), "a zip archive inside another archive", "unpack the outer one first"),
    (re.compile(rb"\A.{257}ustar", re.DOTALL), "a tar archive inside another archive", "unpack the outer one first"),
    (
        re.compile(rb"\A(?:\x1f\x8b\x08|\x28\xb5\x2f\xfd|BZh[1-9]1AY&SY|\xfd7zXZ\x00)"),
        "packed data that was packed once more",
        "unpack it once",
    ),
    (
        re.compile(rb"\A(?:\x04\x22\x4d\x18|\x1f\x9d|\x5d\x00\x00[\x00-\xff]{2}\xff{8})"),
        "packed in a way that is not read (lz4, compress or lzma)",
        "unpack it, or pack it as .gz, .zst, .bz2 or .xz",
    ),
    (re.compile(rb"\A(?:7z\xbc\xaf|Rar!)"), "an archive of a kind that is not read", "unpack it and give the folder"),
)

_OTHERS: tuple[_Entry, ...] = (
    (re.compile(rb"\A\x7fELF"), "a program or library", _GIVE_PLOG),
    (re.compile(rb"\A(?:\xff\xfe|\xfe\xff)"), "a text in UTF-16", "convert it to UTF-8"),
    (re.compile(rb"\A\s*[\[{]\s*\""), "a JSON document", _GIVE_PLOG),
    (re.compile(rb"\A(?:\xef\xbb\xbf)?[\w ()%./-]+(?:,[\w ()%./-]*){3,}\r?\n"), "a table (CSV)", _GIVE_PLOG),
    (
        re.compile(rb"\A\[\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d+\] \[\w+\]", re.MULTILINE),
        "a log of the host's kernel driver",
        "it goes beside the plogs of the processes, give those",
    ),
    (
        re.compile(rb"^[\w./-]*[./]\w+:\[(?:DEBUG|INFO|WARNING|ERROR|EVENT)\] \w+\(\d+", re.MULTILINE),
        "what grep printed of several logs, with their names in front",
        "use `grep -h`, or give the logs themselves",
    ),
    (
        re.compile(rb"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\.\d{3} ", re.MULTILINE),
        "a trace of the operator compiler (FE)",
        _GIVE_PROCESS,
    ),
    (
        re.compile(
            rb"^(?:\([\w ]*pid=\d+\) |(?:ERROR|INFO|WARNING) \d\d-\d\d \d\d:\d\d:\d\d \[|\[rank\d+\]:)", re.MULTILINE
        ),
        "the console output of a Python program (vLLM, ray, torch)",
        _GIVE_PROCESS,
    ),
    (
        re.compile(
            rb"^(?:E[A-Z]?\d{4,5}|EZ\d{4}|W\d{5})\b|\bE[A-Z]?\d{4,5}: ?\[PID: ?\d+\]|ERR\d{5} |'errCode': '|CANN error"
            rb"|The extend info: errcode:|\[FUNC:\w+\]\[FILE:",
            re.MULTILINE,
        ),
        "the error text that CANN shows to the user",
        _GIVE_PROCESS,
    ),
    (
        re.compile(rb"Traceback \(most recent call last\)|^\w*Error: ", re.MULTILINE),
        "the error of a Python program",
        _GIVE_PROCESS,
    ),
    (
        re.compile(
            rb"^(?:\[(?:DEBUG|INFO|WARNING|ERROR|EVENT)\]|\d\d:\d\d:\d\d[.,]\d{3} |\[\w+ \d+ \d\d:\d\d:\d\d)",
            re.MULTILINE,
        ),
        "a log whose lines carry no module, process and time",
        _GIVE_PROCESS,
    ),
)

_GRAPHS = {
    "om": "give the plog of the process that ran it",
    "pico": "give the plog of a process that runs GE",
    "ge_onnx": "use `getrace graph`",
    "ge_readable": "use `getrace graph`",
    "ge_proto": "use `getrace graph`",
    "onnx_model": "use `getrace graph`",
}
"""What to do with files that hold a graph; other JSON documents and archives look like some of these."""

_PLOG: _Entry = (
    re.compile(rb"^\[(?:DEBUG|INFO|WARNING|ERROR|EVENT|TRACE|NULL)\] ?\w+\(-?\d+", re.MULTILINE),
    "a plog",
    "use `getrace diagnose`",
)

_ODD_PLOG: _Entry = (
    _PLOG[0],
    "a plog with numbers that no record can hold: a process of too many digits, or a time that no clock shows",
    "look at its first lines: were they changed by another program?",
)


def archive(data: bytes) -> tuple[str, str] | None:
    """Name an archive of files, whose headers and members would be read as one log: (what, hint)."""
    return _first(_ARCHIVES, data[:_HEAD])


def what_else(data: bytes) -> tuple[str, str]:
    """Name what a file without any record is, and what to do: (what, hint)."""
    no_plog = "no plog: not one line begins with [LEVEL] MODULE(pid,name):time"
    head = data[:_HEAD]
    return (
        _first(_ARCHIVES, head)
        or _graph(head)
        or _first((_ODD_PLOG, *_OTHERS), head)
        or _binary(head)
        or (no_plog, _GIVE_PLOG)
    )


def name_of(data: bytes) -> tuple[str, str] | None:
    """Name what the head of a file is, plogs too, and what to do with it: (what, hint), or None."""
    head = data[:_HEAD]
    return _first((*_ARCHIVES, _PLOG), head) or _graph(head) or _first(_OTHERS, head) or _binary(head)


def is_plog(data: bytes) -> bool:
    """Whether the head of a file has a record as GE writes it at the start of a line."""
    return _PLOG[0].search(data[:_HEAD]) is not None


def _graph(head: bytes) -> tuple[str, str] | None:
    """Name a file that holds a graph, as the readers of graphs know it."""
    sign = sign_of(head)
    return (sign.what, _GRAPHS[sign.word]) if sign is not None and sign.word in _GRAPHS else None


def _binary(head: bytes) -> tuple[str, str] | None:
    """Say whether bytes are not text: more than one NUL or control byte in a hundred."""
    odd = sum(head.count(bytes([code])) for code in (0, 1, 2, 3, 4, 5, 6, 14, 15, 16))
    return ("a binary file", _GIVE_PLOG) if odd * 100 > len(head) else None


def _first(entries: tuple[_Entry, ...], head: bytes) -> tuple[str, str] | None:
    return next(((what, hint) for pattern, what, hint in entries if pattern.search(head)), None)
