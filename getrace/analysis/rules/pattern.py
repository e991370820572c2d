"""A compiled pattern: fragments that must come one after the other in a line, each found without going back.

``.*`` between two fragments costs nothing, as the second is simply looked for behind the first; so three of them in
one pattern are no worse than one. What stands in a fragment is bounded by ``check``:

* what may come without end is a character or a set, and what comes behind it, if anything, is not in that set: there
  is one place where it can stop;
* the optional and alternative parts of a fragment allow ``CHOICES`` combinations at most, ``ENDLESS_CHOICES`` where
  such a repetition stands before another part; what one character decides is no choice;
* no group repeats without end, and no ``.`` repeats inside a group.

So a fragment costs at most length x length x ``ENDLESS_CHOICES`` steps, and lines are cut to ``LONGEST`` characters.
The literal that every match must hold is looked for first, which is what makes a table of hundreds of rules fast.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from getrace.analysis.rules.grammar import Item, PatternError, Sort, fixed_parts, read, walk
from getrace.analysis.rules.telling import Told

LONGEST = 2048
"""Characters of a line that rules look at; a line of GE has 1,022 at most (spec/kerneltrace.md 1.6)."""
CHOICES = 256
"""Combinations of optional and alternative parts in one fragment."""
ENDLESS_CHOICES = 16
"""The same where more stands behind a repetition without end: each combination may then run to the line's end."""
LITERAL = 4
"""Characters in a row that a pattern must name, so that lines without them are passed by quickly."""
SIZE = 400
"""Characters of a pattern."""

_FEWER = "write the optional parts as patterns of their own"
_NAMED_SET = "repeat one set of characters that ends before the next part, as in [^,]*, or write .* outside of groups"
_PROBES = "".join(map(chr, range(256))) + "\u7684\u2011"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of a rule. ``releases`` says whose wording it is ("" for all that are known).

    ``fixed`` are texts that every line of it holds, ``literal`` is the longest of them. ``told`` is what its lines tell
    of a failure, None when they tell nothing.
    """

    text: str
    literal: str
    fixed: tuple[str, ...]
    releases: str = ""
    told: Told | None = None

    def search(self, line: str) -> dict[str, str] | None:
        """Give what the named groups hold in a line, or None when the line does not match; reads ``LONGEST`` of it."""
        if self.literal not in line:
            return None
        at, found = 0, {}
        for fragment in _expressions(self.text):
            match = fragment.search(line, at, LONGEST)
            if match is None:
                return None
            at = match.end()
            found.update({name: value for name, value in match.groupdict().items() if value is not None})
        return found


def compiled(text: str, releases: str = "") -> Pattern:
    """Make a pattern. Raises PatternError with the reason why it is refused."""
    if len(text) > SIZE:
        raise PatternError(f"is longer than {SIZE} characters", "write several patterns, or .* for a part of it")
    branches = read(text)
    if len(branches) > 1:
        raise PatternError("has alternatives at its top", "write two patterns in match, or (?:one|other)")
    fragments = _fragments(branches[0])
    for fragment in fragments:
        _check(fragment)
    fixed = [run for fragment in fragments for run in _runs(fragment)]
    literal = max(fixed, key=len, default="")
    if len(literal.strip()) < LITERAL:
        raise PatternError(
            f"names no {LITERAL} characters in a row that every match must hold", "add a word that every such line has"
        )
    return Pattern(text, literal, tuple(dict.fromkeys(fixed)), releases)


def trusted(text: str, releases: str = "") -> Pattern:
    """Make a pattern of a wording of our own, of which the tests know that ``compiled`` takes it.

    A diagnosis of a small log would spend most of its time on checking hundreds of them.
    """
    fixed = fixed_parts(text)
    literal = max(fixed, key=len, default="")
    if len(literal.strip()) < LITERAL:
        return compiled(text, releases)
    return Pattern(text, literal, tuple(dict.fromkeys(fixed)), releases)


@cache
def _expressions(text: str) -> tuple[re.Pattern[str], ...]:
    """Give the expressions of a pattern's fragments; most rules never see a line that holds their literal."""
    fragments = _fragments(read(text)[0])
    return tuple(re.compile("".join(item.source for item in fragment)) for fragment in fragments)


def _fragments(items: list[Item]) -> list[list[Item]]:
    """Split at each repeated ``.`` of the top."""
    parts: list[list[Item]] = [[]]
    for item in items:
        if item.sort is Sort.ANY and item.unbounded:
            parts.append([])
        else:
            parts[-1].append(item)
    return [part for part in parts if part]


def _check(fragment: list[Item]) -> None:
    """Raise PatternError when a fragment could take long."""
    flat = _flat(fragment)
    choices = 1
    for number, item in enumerate(flat):
        if item.unbounded:
            _check_end(item, flat[number + 1 :])
        elif item.sort is Sort.GROUP:
            choices *= _choices_of(item)
        elif item.most > item.least and not _decided(item, flat[number + 1 :]):
            choices *= item.most - item.least + 1
    allowed = ENDLESS_CHOICES if any(item.unbounded for item in flat[:-1]) else CHOICES
    if choices > allowed:
        raise PatternError(f"allows more than {allowed} combinations of optional parts", _FEWER)


def _decided(item: Item, behind: list[Item]) -> bool:
    """Say whether one character tells where a repetition must stop: then it is no choice."""
    for after in behind:
        if after.sort is Sort.GROUP or _overlap(item.atom, after.atom):
            return False
        if after.least:
            break
    return True


def _flat(items: list[Item]) -> list[Item]:
    """Put the content of groups that only name a part where the group stands."""
    flat: list[Item] = []
    for item in items:
        if item.sort is Sort.GROUP and item.plain and len(item.branches) == 1:
            flat.extend(_flat(item.branches[0]))
        elif item.sort is not Sort.EDGE:
            flat.append(item)
    return flat


def _check_end(item: Item, behind: list[Item]) -> None:
    if item.sort is Sort.GROUP:
        raise PatternError(f"repeats a group without end: {item.source}", _NAMED_SET)
    if item.sort is Sort.ANY:
        raise PatternError("repeats . inside a group", _NAMED_SET)
    for after in behind:
        if any(_overlap(item.atom, first) for first in _firsts(after)):
            what = "what follows must begin with a character outside it"
            raise PatternError(f"has {item.source} before {after.source}: {what}", _NAMED_SET)
        if after.least:
            return


def _firsts(item: Item) -> list[str]:
    """Give the one-character expressions that an item can begin with. Raises PatternError when it may be empty."""
    if item.sort is not Sort.GROUP:
        return [item.atom]
    firsts: list[str] = []
    for branch in item.branches:
        flat = [inner for inner in branch if inner.sort is not Sort.EDGE]
        if not flat or not flat[0].least:
            raise PatternError(f"has a group that may be empty behind a repetition: {item.source}", _FEWER)
        firsts += _firsts(flat[0])
    return firsts


def _choices_of(group: Item) -> int:
    """Give how many ways an optional or alternative group has; what is inside must have a fixed form."""
    inner = [item for branch in group.branches for item in walk(branch)]
    if any(item.unbounded or item.sort is Sort.ANY for item in inner):
        raise PatternError(f"repeats without end inside an optional part: {group.source}", _FEWER)
    if group.most > 1:
        raise PatternError(f"repeats a group: {group.source}", "write the group as often as it may come")
    ways = len(group.branches) + (group.least == 0)
    for item in inner:
        ways *= max(len(item.branches), item.most - item.least + 1)
    return ways


@lru_cache(maxsize=1024)
def _overlap(one: str, other: str) -> bool:
    """Say whether two one-character expressions share a character."""
    first, second = re.compile(one), re.compile(other)
    return any(first.fullmatch(char) and second.fullmatch(char) for char in _PROBES + one + other)


def _runs(fragment: list[Item]) -> list[str]:
    """Give the runs of characters that every match holds."""
    runs = [""]
    for item in _flat(fragment):
        if item.sort is Sort.CHAR and item.plain:
            runs[-1] += item.char
        else:
            runs.append("")
    return [run for run in runs if run]
