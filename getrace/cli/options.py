"""How arguments are declared and read: one parser class for all verbs, and the options that all of them have.

Long options may be written with ``-`` or ``_``. A wrong command line is a UsageError with a sentence, so that it ends
like every other error; argparse alone would print and exit by itself.
"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from typing import NoReturn

from getrace.cli.selecting import add_selection
from getrace.errors import UsageError


class Parser(ArgumentParser):
    """An ArgumentParser whose help begins with examples and whose errors are UsageErrors."""

    def __init__(self, verb: str, text: str, examples: Sequence[str]) -> None:
        super().__init__(
            prog=f"getrace {verb}",
            description=text,
            allow_abbrev=False,
            formatter_class=RawDescriptionHelpFormatter,
        )
        self._examples = examples

    def format_help(self) -> str:
        """Give the help text, examples first."""
        shown = "".join(f"  {line}\n" for line in self._examples)
        return f"Examples:\n{shown}\n{super().format_help()}"

    def error(self, message: str) -> NoReturn:
        """Turn argparse's complaint into an error with a sentence."""
        raise UsageError(f"{self.prog.removeprefix('getrace ')}: {message}", f"see `{self.prog} --help`")


def add_common(parser: ArgumentParser) -> None:
    """Declare the options that every verb has."""
    group = parser.add_argument_group("common options")
    group.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colour of the text")
    group.add_argument("--quiet", action="store_true", help="errors only on standard error")
    group.add_argument("--debug", action="store_true", help="tracebacks, and what getrace does, on standard error")


def add_paths(parser: ArgumentParser) -> None:
    """Declare the logs to read, and which of their records are wanted."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a plog, a folder, a glob, a packed log or an archive (.gz .zst .bz2 .xz .tar .zip), or - for standard "
        "input; several are merged by time",
    )
    add_selection(parser)


def add_language(parser: ArgumentParser) -> None:
    """Declare the language of findings."""
    parser.add_argument("--lang", choices=("en", "zh"), help="language of findings; default: that of the locale, or en")


def language(chosen: str | None, environment: Mapping[str, str]) -> str:
    """Give the language of findings: what was chosen, else the locale's (``LC_ALL``, ``LC_MESSAGES``, ``LANG``)."""
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
    return chosen or ("zh" if locale.lower().startswith("zh") else "en")


def dashed(arguments: Sequence[str]) -> list[str]:
    """Spell long options with ``-`` where the user wrote ``_``; values and all that follows ``--`` stay as they are."""
    spelled: list[str] = []
    for number, argument in enumerate(arguments):
        if argument == "--":
            return [*spelled, *arguments[number:]]
        name, equals, value = argument.partition("=")
        spelled.append(name.replace("_", "-") + equals + value if argument.startswith("--") else argument)
    return spelled
