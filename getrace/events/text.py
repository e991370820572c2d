"""Events that are text by nature: ordinary log lines, and trace lines that no row of the grammar claims."""

from dataclasses import dataclass

from getrace.events.base import Event


@dataclass(frozen=True, slots=True, repr=False)
class LogLine(Event):
    """An ordinary log record: who printed it, and what. ``code`` is GE's status of an ``ErrorNo`` form, else None."""

    module: str
    file: str
    line: int
    func: str
    text: str
    code: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Note(Event):
    """A KernelTrace message without a row: kept word for word. A user's own kernel may publish one."""

    text: str


@dataclass(frozen=True, slots=True, repr=False)
class Foreign(Event):
    """Text in front of the first record of a file: program output, a shell prompt, a foreign log."""

    text: str
