"""The table of rules: each fires on a line and not on one much like it, and says all it must in two languages."""

from collections import Counter
from pathlib import Path

import pytest
from rule_samples import Sample, rule_samples

from getrace.analysis.rules import Matches, Role, RuleBook, match, own_rules
from getrace.analysis.rules.guide import chart
from getrace.replay import open_store

# The guide's table of messages (seed 002 5.1): a line of each row, its rule, its phase, GE's file.
_API, _EXECUTOR, _CONVERTER = "api/api.cc", "core/model_v2_executor.cc", "lowering/model_converter.cc"
SEED_ROWS = [
    ("Failed to load root model", "ge.load.root_model", "load", _API),
    ("Failed to lowering to execute graph", "ge.load.to_execute_graph", "lowering", _API),
    ("Read-in dynamic compiled graph g", "ge.load.read_in", "load", _CONVERTER),
    ("Read-in static compiled graph g", "ge.load.read_in", "load", _CONVERTER),
    ("Root graph total stream_num 2", "ge.load.stream_total", "load", _CONVERTER),
    ("Failed to load init graph", "ge.load.init_graph", "load", _EXECUTOR),
    ("Failed to execute init graph", "ge.init.execute", "init", _EXECUTOR),
    ("Failed to load main graph", "ge.load.main_graph", "load", _EXECUTOR),
    ("Failed to execute model, you may need load model first", "ge.execute.not_loaded", "execute", _EXECUTOR),
    (
        "ErrorNo: 4294967295(failed)[KernelTrace][Tiling_a_1]x",
        "ge.kernel.failed",
        "execute",
        "subscriber/tracer/executor_tracer.cc",
    ),
]

# The guide's flow chart (seed 002 5.2): each step with a rule that it is the source of.
LEAVES = {
    "C": "ge.load.model_data",
    "C1": "ge.load.root_model",
    "C2": "ge.load.to_execute_graph",
    "D": "ge.lowering.inputs",
    "D1": "ge.lowering.graph",
    "D2": "ge.lowering.node",
    "D3": "ge.lowering.converter",
    "E": "ge.execute.not_loaded",
    "E1": "ge.load.init_graph",
    "E2": "ge.execute.input_num",
    "E3": "ge.kernel.failed",
    "F": "ge.alloc.malloc",
    "F1": "ge.alloc.expand",
    "F2": "ge.alloc.io_reuse",
}


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


@pytest.mark.parametrize(("text", "name", "phase", "file"), SEED_ROWS)
def test_every_row_of_the_guides_table_of_messages_is_a_rule(text: str, name: str, phase: str, file: str) -> None:
    (rule,) = (rule for rule in own_rules() if rule.id == name)
    assert any(pattern.search(text) is not None for pattern in rule.patterns)
    assert "seed 002 5.1" in rule.source
    assert (rule.phase, rule.file) == (phase, f"runtime/v2/{file}")
    assert rule.next_step.en


def test_no_other_rule_claims_a_row_of_the_guides_table() -> None:
    claimed = {rule.id for rule in own_rules() if "seed 002 5.1" in rule.source}
    assert claimed == {name for _, name, _, _ in SEED_ROWS}


def test_the_flow_chart_has_the_guides_steps_in_their_order() -> None:
    assert [step.id for branch in chart() for step in branch.steps] == list(LEAVES)


@pytest.mark.parametrize("leaf", LEAVES)
def test_every_step_of_the_guides_chart_is_a_rule_with_a_file_of_ge(leaf: str) -> None:
    (step,) = (step for branch in chart() for step in branch.steps if step.id == leaf)
    (rule,) = (rule for rule in own_rules() if rule.id == LEAVES[leaf])
    assert rule in step.rules
    assert f"seed 002 5.2 {leaf}" in rule.source
    assert rule.file.endswith(".cc")
    assert (bool(rule.phase), bool(rule.next_step.en), bool(rule.next_step.zh)) == (True, True, True)


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
