"""The part of regular expressions that a rule may use: read into items, so that what could run for ever is refused.

Python's engine goes back and tries again, and nothing can stop it while it does. So the time is bounded by what may be
written, not by a clock: see ``bounds``. This module only reads; it knows no meaning of an item.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

UNBOUNDED = 1 << 30
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_NAMED = re.compile(r"\?P<[A-Za-z_]\w*>")
_SETS = "dDwWsS"
_EDGES = "bB"
_LETTERS = {"n": "\n", "t": "\t", "r": "\r"}


_PIECE = re.compile(
    r"(?P<plain>[^\\\[().*+?{|^$]+)|(?P<escape>\\.)|(?P<set>\[\^?\]?(?:[^\]\\]|\\.)*\])|(?P<open>\()|(?P<close>\))"
    r"|(?P<count>[*+?]|\{\d+(?:,\d*)?\}|\{,\d+\})|(?P<other>.)",
    re.DOTALL,
)


class Sort(Enum):
    """What an item is."""

    CHAR = "character"
    SET = "set of characters"
    ANY = "any character"
    GROUP = "group"
    EDGE = "edge of a word"


@dataclass(slots=True)
class Item:
    """One piece of a pattern and how often it may come; ``source`` is its text, quantifier included.

    A group has ``branches``, one for each alternative; ``opening`` is what it begins with.
    """

    sort: Sort
    source: str
    char: str = ""
    atom: str = ""
    least: int = 1
    most: int = 1
    opening: str = ""
    branches: list[list["Item"]] = field(default_factory=list)

    @property
    def plain(self) -> bool:
        """Say whether it comes once, always."""
        return self.least == self.most == 1

    @property
    def unbounded(self) -> bool:
        """Say whether it may come without end."""
        return self.most == UNBOUNDED


class PatternError(ValueError):
    """A pattern that is not one, or may take too long. The text is a sentence without its subject.

    ``change`` says what to write instead.
    """

    def __init__(self, text: str, change: str) -> None:
        super().__init__(text)
        self.change = change


def read(pattern: str) -> list[list[Item]]:
    """Read a pattern into its alternatives. Raises PatternError for what rules may not use."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(
            f"is no regular expression: {error}", "write brackets that are meant as \\[ or \\("
        ) from error
    branches, at = _branches(pattern, 0, 0)
    if at != len(pattern):
        raise PatternError("has a bracket too many", "write a bracket that is meant as \\)")
    return branches


def fixed_parts(pattern: str) -> list[str]:
    """Give the runs of characters that stand in every match of a pattern, outside of groups.

    Reads a pattern that is known to be one, in a tenth of the time that ``read`` takes.
    """
    runs, depth = [""], 0
    for piece in _PIECE.finditer(pattern):
        kind, text = piece.lastgroup, piece[0]
        depth += (kind == "open") - (kind == "close")
        if depth:
            runs.append("")
        elif kind == "plain":
            runs[-1] += text
        elif kind == "escape" and not text[1].isalnum():
            runs[-1] += text[1]
        else:
            if kind == "count":
                runs[-1] = runs[-1][:-1]
            runs.append("")
    return [run for run in runs if run]


def walk(items: list[Item]) -> Iterator[Item]:
    """Give all items, those inside groups after their group."""
    for item in items:
        yield item
        for branch in item.branches:
            yield from walk(branch)


_DEEPEST = 4


def _branches(pattern: str, at: int, depth: int) -> tuple[list[list[Item]], int]:
    if depth > _DEEPEST:
        raise PatternError(f"has groups more than {_DEEPEST} deep", "write several patterns")
    branches: list[list[Item]] = [[]]
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            branches.append([])
            at += 1
            continue
        item, at = _item(pattern, at, depth)
        branches[-1].append(item)
    return branches, at


def _item(pattern: str, at: int, depth: int) -> tuple[Item, int]:
    char = pattern[at]
    if char == "(":
        item, end = _group(pattern, at, depth)
    elif char == "[":
        end = _class_end(pattern, at)
        item = Item(Sort.SET, "", atom=pattern[at:end])
    elif char == "\\":
        item, end = _escape(pattern[at + 1]), at + 2
    elif char in "^$":
        raise PatternError(f"uses {char}: a rule looks anywhere in a line", f"leave it out, or write \\{char}")
    else:
        end = at + 1
        item = Item(Sort.ANY, "", atom=".") if char == "." else Item(Sort.CHAR, "", char, re.escape(char))
    end = _quantify(item, pattern, end)
    item.source = pattern[at:end]
    return item, end


def _escape(char: str) -> Item:
    if char in _SETS:
        return Item(Sort.SET, "", atom="\\" + char)
    if char in _EDGES:
        return Item(Sort.EDGE, "", atom="\\" + char)
    if char in _LETTERS:
        return Item(Sort.CHAR, "", _LETTERS[char], "\\" + char)
    if char.isalnum():
        raise PatternError(f"uses \\{char}, which rules may not", "use \\d, \\w, \\s, \\b or a set such as [a-z]")
    return Item(Sort.CHAR, "", char, re.escape(char))


def _group(pattern: str, at: int, depth: int) -> tuple[Item, int]:
    named = _NAMED.match(pattern, at + 1)
    if named:
        opening = "(" + named[0]
    elif pattern.startswith("(?:", at):
        opening = "(?:"
    elif pattern.startswith("(?", at):
        raise PatternError(
            "uses a group other than (...), (?:...) and (?P<name>...)",
            "write [Oo]rder for both cases, and two patterns for a look-ahead",
        )
    else:
        opening = "("
    branches, end = _branches(pattern, at + len(opening), depth + 1)
    return Item(Sort.GROUP, "", opening=opening, branches=branches), end + 1


def _class_end(pattern: str, at: int) -> int:
    end = at + 1
    end += pattern.startswith("^", end)
    end += pattern.startswith("]", end)
    while pattern[end] != "]":
        end += 2 if pattern[end] == "\\" else 1
    return end + 1


def _quantify(item: Item, pattern: str, at: int) -> int:
    """Read the quantifier behind an item, if there is one, and give where it ends."""
    simple = {"*": (0, UNBOUNDED), "+": (1, UNBOUNDED), "?": (0, 1)}
    counted = _COUNT.match(pattern, at)
    if at < len(pattern) and pattern[at] in simple:
        item.least, item.most = simple[pattern[at]]
        at += 1
    elif counted and (counted[1] or counted[3]):
        item.least = int(counted[1] or 0)
        item.most = int(counted[3]) if counted[3] else UNBOUNDED if counted[2] else item.least
        at = counted.end()
    else:
        return at
    if item.sort is Sort.EDGE:
        raise PatternError("repeats the edge of a word", "write \\b once")
    if pattern.startswith("+", at):
        raise PatternError("uses a possessive quantifier", "leave out the second +")
    return at + pattern.startswith("?", at)
