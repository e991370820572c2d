"""The table of rules: each fires on a line and not on one much like it, and says all it must in two languages."""

from collections import Counter
from pathlib import Path

import pytest
from rule_samples import Sample, rule_samples

from getrace.analysis.rules import Matches, Role, RuleBook, match, own_rules
from getrace.analysis.rules.guide import chart
from getrace.replay import open_store

SEED_ROWS = {
    "Failed to load root model": "ge.load.root_model",
    "Failed to lowering to execute graph": "ge.load.to_execute_graph",
    "Read-in dynamic compiled graph g": "ge.load.read_in",
    "Root graph total stream_num 2": "ge.load.stream_total",
    "Failed to load init graph": "ge.load.init_graph",
    "Failed to execute init graph": "ge.init.execute",
    "Failed to load main graph": "ge.load.main_graph",
    "Failed to execute model, you may need load model first": "ge.execute.not_loaded",
    "ErrorNo: 4294967295(failed)[KernelTrace][Tiling_a_1]x": "ge.kernel.failed",
}

LEAVES = ["C", "C1", "C2", "D", "D1", "D2", "D3", "E", "E1", "E2", "E3", "F", "F1", "F2"]


def matches_of(text: str, folder: Path) -> Matches:
    log = folder / "plog-4242_20260301100000000.log"
    log.write_text(text, encoding="utf-8")
    return match(open_store([str(log)]), RuleBook(own_rules()))


@pytest.mark.parametrize("sample", rule_samples(), ids=lambda sample: sample.rule)
def test_a_rule_fires_on_its_line_and_not_on_one_much_like_it(sample: Sample, tmp_path: Path) -> None:
    found = matches_of(sample.log(sample.fires), tmp_path)
    assert [(hit.row + hit.line, found.counts[sample.rule]) for hit in found.hits[sample.rule]] == [(1, 1)]
    assert sample.rule not in matches_of(sample.log(sample.silent), tmp_path).hits


def test_every_rule_has_one_pair_of_lines() -> None:
    assert [sample.rule for sample in rule_samples()] == [rule.id for rule in own_rules()]


def test_there_are_rules_for_every_module_of_the_issue() -> None:
    named = Counter(module for rule in own_rules() for module in rule.modules)
    assert len(own_rules()) >= 120
    for module in ("GE", "RUNTIME", "ASCENDCL", "FE", "AICPU", "HCCL", "DRV", "OP", "TBE"):
        assert named[module] >= 4, module


def test_every_rule_speaks_english_and_chinese_and_names_its_source() -> None:
    for rule in own_rules():
        for words in (rule.cause, rule.next_step):
            assert words.en.isascii(), rule.id
            assert any("\u4e00" <= letter <= "\u9fff" for letter in words.zh), rule.id
        assert rule.source, rule.id
        assert all(source.split()[0] in {"formats", "case", "seed", "spec"} for source in rule.source), rule.id


def test_every_row_of_the_guides_table_of_messages_is_a_rule() -> None:
    rules = {rule.id: rule for rule in own_rules()}
    for text, name in SEED_ROWS.items():
        rule = rules[name]
        assert any(pattern.search(text) is not None for pattern in rule.patterns), text
        assert "seed 002 5.1" in rule.source
        assert rule.file.startswith("runtime/v2/")


def test_every_leaf_of_the_guides_chart_is_a_rule_with_a_file_of_ge() -> None:
    steps = [step for branch in chart() for step in branch.steps]
    assert [step.id for step in steps] == LEAVES
    for leaf in ("C1", "C2", "D1", "D2", "D3", "E", "E1", "E2", "E3", "F", "F1", "F2"):
        own = [rule for rule in own_rules() if f"seed 002 5.2 {leaf}" in rule.source]
        assert own, leaf
        (step,) = (step for step in steps if step.id == leaf)
        assert {rule.id for rule in own} & {rule.id for rule in step.rules}, leaf
        assert all(rule.file for rule in own)


def test_a_consequence_is_never_its_own_cause() -> None:
    leads = {rule.id: set(rule.leads_to) for rule in own_rules()}
    for name, first in leads.items():
        reached: set[str] = set()
        todo = set(first)
        while todo:
            reached |= todo
            todo = {other for each in todo for other in leads[each]} - reached
        assert name not in reached


def test_misleading_and_harmless_lines_are_rules_too() -> None:
    roles = Counter(rule.role for rule in own_rules())
    assert roles[Role.MISLEADING] >= 10
    assert roles[Role.HARMLESS] >= 12
