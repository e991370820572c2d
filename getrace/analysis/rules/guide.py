"""The flow chart of the debugging guide (seed 002 5.2), walked with the evidence of one log.

Each step is a place in GE to look at. It is *shown* when a rule of the step speaks of a problem, *not shown* when none
does, and *unknown* when the lines that would show it are missing from the log: silence is no evidence then.
"""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from getrace.analysis.places import Place
from getrace.analysis.rules.load import own_rules
from getrace.analysis.rules.matching import Matches
from getrace.analysis.rules.model import Role, Rule, Words
from getrace.analysis.switches import GE_SWITCH
from getrace.store.columns import none_of
from getrace.store.store import Store

_TELLING = (Role.CAUSE, Role.EFFECT, Role.REPORT, Role.MISLEADING)
"""Roles of lines that show a problem; a note only tells what the step did."""


class State(StrEnum):
    """What a log says of a step."""

    SHOWN = "shown"
    NOT_SHOWN = "not_shown"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Step:
    """A place to check: what, in which file of GE, and the rules whose lines are evidence."""

    id: str
    check: str
    file: str
    rules: tuple[Rule, ...]
    needs_trace: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """A kind of problem and its steps in order; ``phases`` of a failure lead here."""

    id: str
    title: Words
    phases: frozenset[str]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Walked:
    """A step with what the log says. ``missing`` is the switch that would show it, "" when nothing is missing.

    ``evidence`` pairs each rule that fired with its first line.
    """

    step: Step
    state: State
    evidence: tuple[tuple[Rule, Place], ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True)
class WalkedBranch:
    """A branch with its steps; ``here`` says that the evidence leads into it."""

    branch: Branch
    here: bool
    steps: tuple[Walked, ...]


@cache
def chart() -> tuple[Branch, ...]:
    """Give the flow chart. It is read once, when it is first asked for."""
    text = (files("getrace.analysis.rules") / "data" / "guide.toml").read_text(encoding="utf-8")
    by_id = {rule.id: rule for rule in own_rules()}
    return tuple(
        Branch(
            row["id"],
            Words(row["title"], row["title_zh"]),
            frozenset(row["phases"]),
            tuple(
                Step(
                    step["id"],
                    step["check"],
                    step["file"],
                    tuple(by_id[name] for name in step["rules"]),
                    step.get("needs") == "kernel_trace",
                )
                for step in row["step"]
            ),
        )
        for row in tomllib.loads(text)["branch"]
    )


def walk_guide(store: Store, matches: Matches, phase: str | None = None) -> tuple[WalkedBranch, ...]:
    """Walk the chart. ``phase`` is that of the failure that was found, None when none was.

    A branch is *here* when the failure's phase belongs to it, or, without a failure, when one of its steps is shown.
    """
    traced = bool((store.column("kernel") != none_of("kernel")).any())
    walked = []
    for branch in chart():
        steps = tuple(_walk_step(store, matches, step, traced) for step in branch.steps)
        here = phase in branch.phases if phase is not None else any(step.state is State.SHOWN for step in steps)
        walked.append(WalkedBranch(branch, here, steps))
    return tuple(walked)


def _walk_step(store: Store, matches: Matches, step: Step, traced: bool) -> Walked:
    hits = [matches.hits[rule.id][0] for rule in step.rules if rule.id in matches.hits]
    hits.sort(key=lambda hit: (hit.row, hit.line))
    evidence = tuple((hit.rule, hit.place(store)) for hit in hits)
    if any(rule.role in _TELLING for rule, _ in evidence):
        return Walked(step, State.SHOWN, evidence)
    if step.needs_trace and not traced:
        return Walked(step, State.UNKNOWN, evidence, GE_SWITCH)
    return Walked(step, State.NOT_SHOWN, evidence)
