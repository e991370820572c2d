"""The flow chart of GE's guide, walked with the lines of small logs; and the places that matching points at."""

import json
from pathlib import Path

import pytest

from getrace.analysis.rules import RuleBook, match, own_rules
from getrace.analysis.rules.guide import State, walk_guide
from getrace.cli import main
from getrace.replay import open_store

HEAD = "[{level}] GE(42,shop):2026-03-01-10:00:00.000.00{number} [shop.cc:7]43 {text}\n"


def log(folder: Path, *lines: tuple[str, str]) -> str:
    path = folder / "plog-42_20260301100000000.log"
    text = "".join(HEAD.format(level=level, number=number, text=said) for number, (level, said) in enumerate(lines, 1))
    path.write_text(text, encoding="utf-8")
    return str(path)


LOWERING = (
    ("INFO", "ReadInCompileResults:Read-in dynamic compiled graph orders"),
    ("ERROR", "Find: Failed to find the converter for node sum_up type SumUp"),
    ("ERROR", "LoweringNode: Failed to lowering node sum_up, reason Cannot find lowering func for node type:[SumUp]."),
    ("ERROR", "Load: Failed to lowering to execute graph"),
)


def test_the_walk_shows_the_steps_that_have_evidence(tmp_path: Path) -> None:
    store = open_store([log(tmp_path, *LOWERING)])
    walked = walk_guide(store, match(store, RuleBook(own_rules())), "lowering")
    assert [(each.branch.id, each.here) for each in walked] == [
        ("load", False),
        ("lowering", True),
        ("execute", False),
        ("memory", False),
    ]
    shown = {step.step.id: [(rule.id, place.line) for rule, place in step.evidence] for b in walked for step in b.steps}
    assert {name: lines for name, lines in shown.items() if lines} == {
        "C2": [("ge.load.read_in", 1), ("ge.load.to_execute_graph", 4)],
        "D2": [("ge.lowering.node", 3)],
        "D3": [("ge.lowering.converter", 2)],
    }


def test_silence_of_kernel_trace_is_no_evidence_without_kernel_trace(tmp_path: Path) -> None:
    store = open_store([log(tmp_path, *LOWERING[:1])])
    states = {s.step.id: s.state for b in walk_guide(store, match(store, RuleBook(own_rules()))) for s in b.steps}
    assert (states["E3"], states["F"], states["F1"], states["C2"]) == (
        State.UNKNOWN,
        State.UNKNOWN,
        State.NOT_SHOWN,
        State.NOT_SHOWN,
    )
    traced = open_store([log(tmp_path, ("INFO", "OnExecuteEvent:[KernelTrace][Tiling_sum_up_3]tiling key 1"))])
    states = {s.step.id: s.state for b in walk_guide(traced, match(traced, RuleBook(own_rules()))) for s in b.steps}
    assert (states["E3"], states["F"]) == (State.NOT_SHOWN, State.NOT_SHOWN)


def test_diagnose_prints_the_walk_in_text_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = log(tmp_path, *LOWERING)
    assert main(["diagnose", "--guide", "--lang", "en", path]) == 1
    text = capsys.readouterr().out
    assert "  D3  NodeConverterRegistry::FindRegisterData  (runtime/v2/lowering/graph_converter.cc): shown" in text
    assert "  E3  KernelTrace  (runtime/v2/subscriber/tracer/executor_tracer.cc): cannot tell" in text
    assert main(["diagnose", "--guide", "--json", "--lang", "zh", path]) == 1
    guide = json.loads(capsys.readouterr().out)["data"]["guide"]
    assert [(branch["branch"], branch["title"], branch["here"]) for branch in guide][:2] == [
        ("load", "加载失败", False),
        ("lowering", "Lowering 失败", True),
    ]
    assert [step["state"] for step in guide[1]["steps"]] == ["not_shown", "not_shown", "shown", "shown"]
    assert main(["diagnose", "--json", path]) == 1
    assert "guide" not in json.loads(capsys.readouterr().out)["data"]


def test_a_hit_in_the_middle_of_a_record_points_at_its_own_line(tmp_path: Path) -> None:
    path = tmp_path / "plog-42_20260301100000000.log"
    head = HEAD.format(level="INFO", number=1, text="Run: the shop prints")
    path.write_text(f"{head}two\n  E19999: Inner Error!\nfour\n", encoding="utf-8")
    store = open_store([str(path)])
    (hit,) = match(store, RuleBook(own_rules())).hits["mis.inner_error"]
    place = hit.place(store)
    assert (place.line, place.text, hit.row, hit.line) == (3, "  E19999: Inner Error!", 0, 2)


def test_a_line_of_another_module_that_quotes_a_message_fires_no_rule(tmp_path: Path) -> None:
    path = tmp_path / "plog-42_20260301100000000.log"
    path.write_text(
        "[ERROR] SHOP(42,shop):2026-03-01-10:00:00.000.001 [shop.cc:7]43 Say: they said Failed to load root model\n",
        encoding="utf-8",
    )
    assert match(open_store([str(path)]), RuleBook(own_rules())).counts == {}


def test_hits_are_counted_beyond_those_that_are_kept(tmp_path: Path) -> None:
    line = HEAD.format(level="ERROR", number=1, text="Load: Failed to load main graph")
    path = tmp_path / "plog-42_20260301100000000.log"
    path.write_text(line * 50, encoding="utf-8")
    found = match(open_store([str(path)]), RuleBook(own_rules()))
    assert (found.counts, len(found.hits["ge.load.main_graph"]), found.unread) == ({"ge.load.main_graph": 50}, 20, 0)
