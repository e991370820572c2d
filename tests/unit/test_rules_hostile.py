"""A table of rules made to hurt: what could run for ever is refused with file, rule and change; the rest is bounded.

The patterns combine what is dear in regular expressions; nothing here was tuned to what is refused.
"""

import itertools
import time
from pathlib import Path

import pytest

from getrace.analysis.rules import RuleBook, own_rules, with_rules_of
from getrace.analysis.rules.grammar import PatternError
from getrace.analysis.rules.matching import match_lines
from getrace.analysis.rules.pattern import LONGEST, Pattern, compiled
from getrace.cli import main
from getrace.errors import UsageError

# What repeats, how often, and what stands between two of them.
ATOMS = ("a", r"\w", r"\d", "[ab]", "[^,]", ".", "(?:a|ab)", "(a)", "(?:a|b|)", r"(?:\w\d?)")
OFTEN = ("+", "*", "{1,}", "{1,16}", "{0,200}", "?", "{2}")
BETWEEN = ("", "b", ",", r"\b")

# Each begins with the words that every pattern names, as a line without them is not searched at all; what must stand
# before or behind them is missing, so that every way through the rest is tried.
LINES = tuple(
    ": order: " + piece * (LONGEST // len(piece)) for piece in ("a", "ab", "7a", "a,", "aaab", "b,a", "77", " a")
)

RULE = """[[rule]]
id = "{id}"
match = {match}
phase = "execute"
severity = "error"
role = "cause"
cause = "c"
next = "n"
"""

BOUND = 1.0
"""Seconds of processor time for one pattern on one line of the greatest length, with much to spare."""


def hostile() -> list[str]:
    made = []
    for (one, often), (other, again), between in itertools.product(
        itertools.product(ATOMS, OFTEN), itertools.product(ATOMS[:6], OFTEN[:5]), BETWEEN
    ):
        made += [f"{one}{often}{between}{other}{again}: order:", f"order: ({one}{often}){between}{other}{again}x"]
    return made


def taken_or_none(text: str) -> Pattern | None:
    try:
        return compiled(text)
    except PatternError:
        return None


def test_no_pattern_that_is_taken_takes_long_on_a_line_made_to_hurt() -> None:
    taken, refused, worst = 0, 0, (0.0, "")
    for text in hostile()[::41]:
        pattern = taken_or_none(text)
        if pattern is None:
            refused += 1
            continue
        taken += 1
        for line in LINES:
            start = time.process_time()
            pattern.search(line)
            worst = max(worst, (time.process_time() - start, text))
    assert (taken > 50, refused > 50) == (True, True), (taken, refused)
    assert worst[0] < BOUND, worst


@pytest.mark.parametrize(
    "text", ["(a+)+: order", "(a|aa)+: order", r"(\w+\s?)+: order", "(.*)*: order", "([^,]*,)*: order"]
)
def test_the_sentence_names_the_file_the_rule_the_pattern_and_the_change(text: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(RULE.format(id="shop.good", match="'all is well'") + RULE.format(id="shop.bad", match=f"'{text}'"))
    with pytest.raises(UsageError) as caught:
        with_rules_of([str(path)])
    assert caught.value.message.startswith(f"{path}: rule 2 (shop.bad): pattern {text!r} ")
    assert caught.value.hint
    assert caught.value.hint.endswith("nothing of the file was used; see `getrace diagnose --help` for a sample")
    assert not caught.value.hint.startswith("nothing")


def test_a_rule_that_hurts_on_every_line_is_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getrace.analysis.rules.book.SPENT", 0.05)
    rules, text = tmp_path / "ours.toml", tmp_path / "out.txt"
    slow = r"'[ab]{1,4}[ab]{1,4}\w+: order'"
    rules.write_text(RULE.format(id="shop.slow", match=slow) + RULE.format(id="shop.good", match="'aaaa'"))
    text.write_text(f": order {'a' * LONGEST}\n" * 50)
    book = RuleBook(with_rules_of([str(rules)])[len(own_rules()) :])
    found = match_lines(book, text.read_text().split("\n"))
    assert found.slow == {"shop.slow"}
    assert found.counts == {"shop.good": 50}
    assert main(["diagnose", "--text", "--rules", str(rules), str(text)]) == 3
    assert "rule shop.slow took too long" in capsys.readouterr().err


def test_a_table_of_a_thousand_rules_is_read_and_one_more_is_not(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    rows = [RULE.format(id=f"shop.r{number}", match=f"'order {number} is late'") for number in range(1001)]
    path.write_text("\n".join(rows[:1000]))
    assert len(with_rules_of([str(path)])) == len(own_rules()) + 1000
    path.write_text("\n".join(rows))
    with pytest.raises(UsageError, match="holds 1001 rules; 1000 are allowed"):
        with_rules_of([str(path)])
