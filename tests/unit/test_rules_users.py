"""Rules of users: taken with the table, refused whole with a sentence when one row is wrong, never a traceback."""

import json
from pathlib import Path

import pytest

from getrace.analysis.rules import Language, RuleBook, match_text, own_rules, with_rules_of
from getrace.analysis.rules.load import user_rules
from getrace.cli import main
from getrace.cli.options import language
from getrace.errors import InputError, UsageError

GOOD = """
[[rule]]
id = "shop.queue"
modules = ["SHOP"]
match = ["order queue full, depth (?P<depth>\\\\d+)", { pattern = "queue is full", releases = "..2024" }]
phase = "execute"
severity = "error"
role = "cause"
cause = "The order queue is full."
next = "Raise its depth."
cause_zh = "订单队列已满。"
leads_to = ["ge.assert"]
"""

LOG = (
    "[ERROR] SHOP(42,shop):2026-03-01-10:00:00.000.001 [shop.cc:7]43 Put: order queue full, depth 8\n"
    "[ERROR] GE(42,shop):2026-03-01-10:00:00.000.002 [shop.cc:9]43 Run: Assert ((put()) == 0) failed\n"
)

BAD = [
    ('match = "order (a+)+"', "repeats a group without end"),
    ('match = "order ("', "is no regular expression"),
    ('match = ".*"', "names no 4 characters"),
    ("match = 7", "a match is a text"),
    ("match = []", "match is empty"),
    ('match = [{ pattern = "orders", since = "1" }]', "a match is a text"),
    ("match = [{ pattern = 7 }]", "pattern and releases are texts"),
    ('phase = "lunch"', "phase is none of"),
    ('severity = "fatal"', "severity is none of error, warning, info"),
    ('role = "boss"', "role is none of cause"),
    ('cause = ""', "cause is no text"),
    ("next = 7", "next is no text"),
    ('id = "ge.assert"', "the id is taken"),
    ('id = "no blanks"', "the id is not made of"),
    ('modules = "SHOP"', "modules is no list of texts"),
    ("quiet = 1", "quiet is neither true nor false"),
    ('leads_to = ["nowhere"]', "leads to nowhere"),
    ('colour = "red"', "colour is no field"),
    ('tells = "all"', "tells is none of takes_back, code, wait, fault, reason"),
    ('tells = "code"\nfamily = "no blanks"', "the family is not made of"),
    ('match = [{ pattern = "orders", tells = "code", phase = "lunch" }]', "phase is none of"),
]


def write(folder: Path, text: str) -> str:
    path = folder / "ours.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def changed(line: str) -> str:
    """The good rule with one of its lines replaced."""
    key = line.partition(" =")[0]
    return "\n".join([*(old for old in GOOD.splitlines() if not old.startswith(f"{key} =")), line])


def test_rules_of_a_user_stand_behind_the_table_and_english_stands_in_for_chinese(tmp_path: Path) -> None:
    rules = with_rules_of([write(tmp_path, GOOD)])
    assert len(rules) == len(own_rules()) + 1
    rule = rules[-1]
    assert [pattern.releases for pattern in rule.patterns] == ["", "..2024"]
    assert rule.cause.in_language(Language.ZH) == "订单队列已满。"
    assert rule.next_step.in_language(Language.ZH) == "Raise its depth."
    assert match_text(RuleBook(rules), "x\nthe queue is full") == [(2, rule, {})]


@pytest.mark.parametrize(("line", "why"), BAD)
def test_one_bad_row_refuses_the_file_with_a_sentence(line: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        with_rules_of([write(tmp_path, changed(line))])
    assert why in caught.value.message
    assert "ours.toml" in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("key", ["id", "match", "phase", "severity", "role", "cause", "next"])
def test_a_field_that_is_missing_is_named(key: str, tmp_path: Path) -> None:
    text = "\n".join(line for line in GOOD.splitlines() if not line.startswith(f"{key} ="))
    with pytest.raises(UsageError, match=f"{key} is missing"):
        with_rules_of([write(tmp_path, text)])


@pytest.mark.parametrize("text", ["", "rule = 7", "[[rules]]\nid = 'x'", "[[rule]", "rule = [7]", "a = 1\n" + GOOD])
def test_a_file_that_holds_something_else_is_wrong_usage(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        with_rules_of([write(tmp_path, text)])


def test_two_files_cannot_take_one_id_and_a_missing_file_cannot_be_read(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    with pytest.raises(UsageError, match="the id is taken"):
        with_rules_of([path, path])
    with pytest.raises(InputError, match="cannot be read"):
        with_rules_of([str(tmp_path / "none.toml")])


def test_diagnose_takes_rules_of_a_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "plog-42_20260301100000000.log"
    log.write_text(LOG, encoding="utf-8")
    command = ["diagnose", "--json", "--lang", "zh", "--rules", write(tmp_path, GOOD), str(log)]
    assert main(command) == 1
    found = {each["rule"]: each for each in json.loads(capsys.readouterr().out)["data"]["findings"]}
    own = found["shop.queue"]
    assert (own["message"], own["role"], own["phase"], own["count"]) == ("订单队列已满。", "cause", "execute", 1)
    assert [spot["line"] for spot in own["evidence"]] == [1]
    assert found["ge.assert"]["role"] == "effect"


TELLING = GOOD + 'tells = "reason"\nfamily = "queue_full"\n'


def test_a_rule_of_a_user_may_tell_the_cause_of_a_log_without_kernels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "plog-42_20260301100000000.log"
    log.write_text(LOG, encoding="utf-8")
    assert main(["diagnose", "--json", "--rules", write(tmp_path, TELLING), str(log)]) == 1
    failure = json.loads(capsys.readouterr().out)["data"]["failure"]
    assert failure["cause"] == {"what": "queue_full", "line": 1, "facts": {}}
    assert (failure["how"], failure["confidence"], failure["phase"]) == ("words", "low", "execute")
    assert main(["diagnose", "--json", "--rules", write(tmp_path, GOOD), str(log)]) == 1
    assert json.loads(capsys.readouterr().out)["data"]["failure"]["cause"] is None


def test_a_wording_may_tell_other_than_its_rule(tmp_path: Path) -> None:
    match = (
        """match = ["order queue full", { pattern = "queue code (?P<code>\\\\d+)", tells = "code", phase = "sync" }]"""
    )
    path = write(tmp_path, changed(match) + '\ntells = "fault"\n')
    rule = with_rules_of([path])[-1]
    told = [
        (pattern.told.telling.name, pattern.told.family, pattern.told.phase)
        for pattern in rule.patterns
        if pattern.told
    ]
    assert told == [("FAULT", "shop.queue", "execute"), ("CODE", "shop.queue", "sync")]


def test_the_help_shows_a_file_of_rules_that_can_be_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "--help"]) == 0
    shown = capsys.readouterr().out
    sample = shown[shown.rindex("[[rule]]") :]
    (rule,) = user_rules(write(tmp_path, sample))
    assert rule.id == "shop.queue_full"


def test_diagnose_refuses_a_catastrophic_pattern_before_it_reads_a_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, changed('match = "order (a+)+"'))
    assert main(["diagnose", "--rules", path, str(tmp_path / "no.log")]) == 2
    assert "repeats a group without end" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("chosen", "environment", "expected"),
    [
        (None, {}, "en"),
        (None, {"LANG": "zh_CN.UTF-8"}, "zh"),
        (None, {"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ("en", {"LANG": "zh_CN.UTF-8"}, "en"),
        ("zh", {}, "zh"),
    ],
)
def test_the_language_is_chosen_or_the_locales(chosen: str | None, environment: dict[str, str], expected: str) -> None:
    assert language(chosen, environment) == expected
