"""The body of a record: what stands in front of the message, in both directions.

A record is ``[LEVEL] MODULE(pid,process):time body`` (spec/kerneltrace.md 1.1); what stands in the body in front of the
message is a habit of each module (1.3). Layouts are templates like the messages, so an envelope that was read is
written back to the letter.
"""

from dataclasses import dataclass
from functools import cache

from getrace.plog.prefix import Prefix
from getrace.plog.template import Template


@dataclass(frozen=True, slots=True)
class Record:
    """A record with its body in parts; ``text`` is the message, the rest is None or "" where the layout has none."""

    prefix: Prefix
    layout: str
    text: str
    file: str = ""
    src_line: int = 0
    tid: int | None = None
    func: str = ""
    allocator: str | None = None
    code: int | None = None
    reason: str = ""
    tags: str = ""


# Body layouts in the order they are tried, with the modules that have them ("" = any module).
LAYOUTS: dict[str, tuple[str, str]] = {
    "ge-error": (
        "GE",
        ("[{file:path}:{src_line:u}]{tid:u} {func:func}: ErrorNo: {code:u}({reason:reason}){tags:tags}{text:text}"),
    ),
    "allocator-error": (
        "GE",
        (
            "[{file:path}:{src_line:u}]{tid:u} [{allocator:allocator}] {func:func}: "
            "ErrorNo: {code:u}({reason:reason}){text:text}"
        ),
    ),
    "allocator": ("GE", "[{file:path}:{src_line:u}]{tid:u} [{allocator:allocator}] {func:func}:{text:text}"),
    "status": ("", "[status:{tags:name}] [{file:path}:{src_line:u}]{tid:u} {func:func}:{text:text}"),
    "runtime": ("RUNTIME ASCENDCL", "[{file:path}:{src_line:u}] {tid:u} {func:func}: {text:text}"),
    "plain": ("", "[{file:path}:{src_line:u}]{tid:u} {func:func}:{tags:tags}{text:text}"),
    "no-colon": ("", "[{file:path}:{src_line:u}]{tid:u} {func:name} {text:text}"),
    "no-function": ("GE", "[{file:path}:{src_line:u}]{tid:u} {text:text}"),
    "func-tid": ("", "[{file:path}:{src_line:u}][{func:type}][tid:{tid:u}]{text:text}"),
    "tag-func-tid-label": ("", "[{file:path}:{src_line:u}][{tags:type}][{func:type}][tid:{tid:u}]{text:text}"),
    "spaced-func-tid": ("", "[{file:path}:{src_line:u}][{tags:type}] [{func:type}] [tid:{tid:u}]{text:text}"),
    "tag-tid-func": ("", "[{file:path}:{src_line:u}][{tags:type}]{tid:u} {func:func}:{text:text}"),
    "tag-func-tid": ("", "[{file:path}:{src_line:u}][{tags:type}][{func:type}][{tid:u}]{text:text}"),
    "pid-tid": ("HCCL", "[{file:path}:{src_line:u}][{pid:u}][{tid:u}]{text:text}"),
    "tid-bracket": ("HCCL", "[{file:path}:{src_line:u}] [{tid:u}]{text:text}"),
    "driver": ("DRV", "[ascend][curpid: {pid:u}, {tid:u}]{text:text}"),
    "profiling": ("", "[{file:path}:{src_line:u}] >>> (tid:{tid:u}){text:text}"),
    "tag-tid": ("", "[{file:path}:{src_line:u}][{tags:type}][Tid:{tid:u}]{text:text}"),
    "place": ("", "[{file:path}:{src_line:u}]{text:text}"),
}


@cache
def _layout(name: str) -> Template:
    return Template(LAYOUTS[name][1])


@cache
def _layouts_of(module: str) -> tuple[str, ...]:
    return tuple(name for name, (modules, _) in LAYOUTS.items() if not modules or module in modules.split())


def read_body(prefix: Prefix, body: str) -> Record:
    """Split a body by the first layout of its module that fits; a body without a layout is all text."""
    for name in _layouts_of(prefix.module):
        values = _layout(name).match(body)
        if values is not None:
            values.pop("pid", None)
            return Record(prefix, name, **values)
    return Record(prefix, "", body)


def spell_body(record: Record, text: str) -> str:
    """Write a body with another message text in the record's layout."""
    if not record.layout:
        return text
    return _layout(record.layout).spell(
        {
            "file": record.file,
            "src_line": record.src_line,
            "tid": record.tid,
            "func": record.func,
            "allocator": record.allocator,
            "code": record.code,
            "reason": record.reason,
            "tags": record.tags,
            "pid": record.prefix.pid,
            "text": text,
        }
    )
