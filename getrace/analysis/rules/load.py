r"""Rules from TOML: the table of the tool and the files of its users, with every field checked.

A file of rules is a list of ``[[rule]]``::

    [[rule]]
    id = "shop.queue_full"          # letters, digits, dots, dashes, underscores; unique
    modules = ["GE", "APP"]         # optional: whose records say it
    match = ["order queue full, depth (?P<depth>\d+)", { pattern = "queue is full", releases = "2024.." }]
    phase = "execute"
    severity = "error"              # error, warning, info
    role = "cause"                  # cause, effect, report, harmless, misleading, note
    cause = "The order queue is full."
    next = "Raise its depth."
    cause_zh = "..."                # the Chinese sentences; English stands in where a user's file has none
    next_zh = "..."
    leads_to = ["ge.execute.rt2_failed"]
    file = "queue.cc"
    source = ["case 12"]
    quiet = true                    # optional: looked for in INFO records too
    tells = "reason"                # optional: the line may be the cause of a failure that no record names
    family = "queue_full"           # what the cause is called then; the id where it is not given

``tells`` is how much a line explains: ``reason`` (it says why), ``fault`` (something failed), ``wait`` (a wait ran
out), ``code`` (a code was handed on), or ``takes_back`` (the line before it means nothing). The first line of the
greatest weight is the cause of its process, with low confidence. A wording may tell other than its rule:
``{ pattern = "...", tells = "code", family = "queue_code", phase = "sync" }``. Named groups ``op``, ``op_type``,
``kernel``, ``code``, ``device``, ``rank``, ``stream`` and ``task`` are facts of the cause.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from getrace.analysis.rules.grammar import PatternError
from getrace.analysis.rules.model import Role, Rule, Weight, Words
from getrace.analysis.rules.pattern import Pattern, compiled, trusted
from getrace.analysis.rules.telling import Telling, Told
from getrace.errors import InputError, InternalError, UsageError

TABLES = (
    "ge_load",
    "ge_lowering",
    "ge_execute",
    "runtime",
    "device",
    "memory",
    "ascendcl",
    "compile",
    "aicpu",
    "operators",
    "hccl",
    "driver",
    "misleading",
    "harmless",
)
"""The files of the tool's own table, in the order of their rules."""

PHASES = frozenset(
    (
        *("load", "compile", "lowering", "init", "infer_shape", "tiling", "alloc", "launch", "copy", "stream"),
        *("device", "sync", "communication", "execute", "free", "unload", "environment", "unknown"),
    )
)

LIMIT = 1000
"""Rules in one file of a user."""
FILE_LIMIT = 8 * 1024 * 1024
"""Bytes of such a file: it may be a pipe or a device that never ends."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_NEEDED = ("id", "match", "phase", "severity", "role", "cause", "next")
_ALLOWED = frozenset(
    {*_NEEDED, "modules", "cause_zh", "next_zh", "leads_to", "file", "source", "quiet", "tells", "family"}
)
_OF_A_WORDING = frozenset({"pattern", "releases", "tells", "family", "phase"})
_TELLINGS = {telling.name.lower(): telling for telling in Telling}


_Choice = TypeVar("_Choice", Weight, Role)
_Maker = Callable[[str, str], Pattern]


class _FaultError(ValueError):
    """A rule that cannot be taken; the text says why, ``change`` what to write instead where that is not plain."""

    def __init__(self, text: str, change: str = "") -> None:
        super().__init__(text)
        self.change = change


@cache
def own_rules() -> tuple[Rule, ...]:
    """Give the table of the tool. It is read once, when it is first asked for."""
    folder = files("getrace.analysis.rules") / "data"
    rules: list[Rule] = []
    for name in TABLES:
        text = (folder / f"{name}.toml").read_text(encoding="utf-8")
        rules += _rules(tomllib.loads(text), f"{name}.toml", rules, trusted)
    lost = _lost(rules)
    if lost:
        raise InternalError(f"the table of rules: {lost}")
    return tuple(rules)


def with_rules_of(paths: Sequence[str]) -> tuple[Rule, ...]:
    """Give the table of the tool and, behind it, the rules of some TOML files.

    Raises InputError for a file that cannot be read, UsageError for one with a rule that cannot be taken.
    """
    rules = list(own_rules())
    for path in paths:
        rules += user_rules(path, rules)
    lost = _lost(rules)
    if lost:
        raise UsageError(f"{', '.join(paths)}: {lost}", "leads_to names rules of the table or of your files")
    return tuple(rules)


def user_rules(path: str, known: Iterable[Rule] = ()) -> list[Rule]:
    """Read the rules of one file of a user; ``known`` are rules whose ids are taken."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(FILE_LIMIT + 1)
        if len(text) > FILE_LIMIT:
            raise UsageError(f"{path} is longer than {FILE_LIMIT} bytes", "split what is not needed")
        data = tomllib.loads(text.decode("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "give the path of a TOML file of rules") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is no TOML: {error}", "see `getrace diagnose --help` for a sample") from error
    if set(data) != {"rule"} or not isinstance(data["rule"], list):
        raise UsageError(f"{path} is no file of rules", "it holds [[rule]] tables and nothing else")
    if len(data["rule"]) > LIMIT:
        raise UsageError(f"{path} holds {len(data['rule'])} rules; {LIMIT} are allowed", "split what is not needed")
    try:
        return _rules(data, path, known, compiled)
    except _FaultError as error:
        hint = "nothing of the file was used; see `getrace diagnose --help` for a sample"
        raise UsageError(str(error), f"{error.change}; {hint}" if error.change else hint) from error


def _rules(data: Mapping[str, Any], place: str, known: Iterable[Rule], make: _Maker) -> list[Rule]:
    taken = {rule.id for rule in known}
    rules: list[Rule] = []
    for number, row in enumerate(data["rule"], 1):
        name = f"{place}: rule {number}"
        if not isinstance(row, dict):
            raise _FaultError(f"{name} is no table")
        if isinstance(row.get("id"), str):
            name += f" ({row['id'][:80]})"
        rule = _rule(row, name, make)
        if rule.id in taken:
            raise _FaultError(f"{name}: the id is taken", "give it another id")
        taken.add(rule.id)
        rules.append(rule)
    return rules


def _rule(row: Mapping[str, Any], name: str, make: _Maker) -> Rule:
    missing = [key for key in _NEEDED if key not in row]
    unknown = sorted(set(row) - _ALLOWED)
    if missing or unknown:
        what = [*(f"{key} is missing" for key in missing), *(f"{key} is no field" for key in unknown)]
        raise _FaultError(f"{name}: {', '.join(what)}")
    quiet = row.get("quiet", False)
    rule_id, phase = _text(row, "id", name), _text(row, "phase", name)
    if not _ID.fullmatch(rule_id):
        raise _FaultError(f"{name}: the id is not made of letters, digits, dots, dashes and underscores")
    _check_phase(phase, name)
    if not isinstance(quiet, bool):
        raise _FaultError(f"{name}: quiet is neither true nor false")
    return Rule(
        id=rule_id,
        modules=_texts(row, "modules", name),
        patterns=_patterns(row, name, make),
        phase=phase,
        weight=_word(Weight, row, "severity", name),
        role=_word(Role, row, "role", name),
        cause=_words(row, "cause", name),
        next_step=_words(row, "next", name),
        leads_to=_texts(row, "leads_to", name),
        file=_text(row, "file", name) if "file" in row else "",
        source=_texts(row, "source", name),
        quiet=quiet,
    )


def _check_phase(phase: object, name: str) -> None:
    if phase not in PHASES:
        raise _FaultError(f"{name}: phase is none of {', '.join(sorted(PHASES))}")


def _patterns(rule: Mapping[str, Any], name: str, make: _Maker) -> tuple[Pattern, ...]:
    value = rule["match"]
    rows = value if isinstance(value, list) else [value]
    if not rows:
        raise _FaultError(f"{name}: match is empty")
    return tuple(_pattern(row, rule, name, make) for row in rows)


def _pattern(row: object, rule: Mapping[str, Any], name: str, make: _Maker) -> Pattern:
    parts = {"pattern": row} if isinstance(row, str) else row
    if not isinstance(parts, dict) or not {"pattern"} <= set(parts) <= _OF_A_WORDING:
        raise _FaultError(f"{name}: a match is a text or a table of {', '.join(sorted(_OF_A_WORDING))}")
    text, releases = parts["pattern"], parts.get("releases", "")
    if not isinstance(text, str) or not isinstance(releases, str):
        raise _FaultError(f"{name}: pattern and releases are texts")
    try:
        return replace(make(text, releases), told=_told(parts, rule, name))
    except PatternError as error:
        raise _FaultError(f"{name}: pattern {text[:80]!r} {error}", error.change) from error


def _told(parts: Mapping[str, Any], rule: Mapping[str, Any], name: str) -> Told | None:
    """Read what a wording tells: its own words before those of its rule."""
    said = {"family": rule["id"], **rule, **parts}
    if "tells" not in said:
        return None
    if said["tells"] not in _TELLINGS:
        raise _FaultError(f"{name}: tells is none of {', '.join(_TELLINGS)}")
    family, phase = _text(said, "family", name), _text(said, "phase", name)
    _check_phase(phase, name)
    if not _ID.fullmatch(family):
        raise _FaultError(f"{name}: the family is not made of letters, digits, dots, dashes and underscores")
    return Told(_TELLINGS[said["tells"]], family, phase)


def _text(row: Mapping[str, Any], key: str, name: str) -> str:
    value = row[key]
    if not isinstance(value, str) or not value.strip():
        raise _FaultError(f"{name}: {key} is no text")
    return value


def _texts(row: Mapping[str, Any], key: str, name: str) -> tuple[str, ...]:
    value = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
        raise _FaultError(f"{name}: {key} is no list of texts")
    return tuple(value)


def _words(row: Mapping[str, Any], key: str, name: str) -> Words:
    en = _text(row, key, name)
    return Words(en, _text(row, f"{key}_zh", name) if f"{key}_zh" in row else en)


def _word(choices: type[_Choice], row: Mapping[str, Any], key: str, name: str) -> _Choice:
    try:
        return choices(row[key])
    except ValueError as error:
        raise _FaultError(f"{name}: {key} is none of {', '.join(choices)}") from error


def _lost(rules: Sequence[Rule]) -> str:
    """Say which rules lead to rules that are not there; "" when all are."""
    ids = {rule.id for rule in rules}
    return "; ".join(f"{rule.id} leads to {other}" for rule in rules for other in rule.leads_to if other not in ids)
