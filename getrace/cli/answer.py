"""What a verb gives back, and what it gets: the contract between the command line and its verbs.

A verb prints nothing. It returns an answer, so that text and JSON are made from the same facts, and so that a test can
look at both.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from getrace.cli.diagnostics import Diagnostics, ExitCode
from getrace.cli.layout import Paint

if TYPE_CHECKING:
    from getrace.store.store import Source, Store


Opener = Callable[[Sequence[str]], "Store"]
"""Opens paths as one store, or the selected records of them; raises InputError for what cannot be read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a verb: its exit code, its ``data`` in JSON, and its text, made only when it is printed."""

    code: ExitCode
    data: Mapping[str, Any]
    text: Callable[[Paint], Iterable[str]]
    sources: "Sequence[Source]" = ()
    warnings: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Tools:
    """What a verb may use: the opener of logs, the way to stderr, whether people sit at both ends, and the pace."""

    opener: Opener
    diagnostics: Diagnostics
    interactive: bool = False
    how_far: Callable[[], str] = str

    def open(self, paths: Sequence[str]) -> "Store":
        """Open logs; shows progress on a terminal."""
        with self.diagnostics.progress("reading", self.how_far):
            return self.opener(paths)


class Verb(Protocol):
    """A module of ``getrace.cli.verbs``. ``EXAMPLES`` are whole command lines, shown first in the help."""

    EXAMPLES: tuple[str, ...]

    def arguments(self, parser: ArgumentParser) -> None:
        """Declare the verb's own arguments."""

    def answer(self, options: Namespace, tools: Tools) -> Answer:
        """Do the work. Raises GetraceError with a sentence for everything the user can put right."""
