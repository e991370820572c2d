"""Compiled sub graphs of GE's own tests: what is said of their models on Load, against GE's log."""

import gzip
import re
from dataclasses import replace
from pathlib import Path

import pytest
from simulated_runs import open_process
from truth_facts import facts_of
from truth_lowering import lowerings
from truth_options import PASS_OPTIONS

from getrace.events.models import DavinciCreated, FixedMemory
from getrace.events.text import LogLine
from runtime.engines.builtin import builtin_converters
from runtime.lowering.pipeline import lower_model

CASE = "StaticCompiledGraphTest.MultiKnownSubgraph_ReuseStream_LoadSuccess"
"""Two compiled graphs behind each other; of GE's cases the one whose operators the simulated device has."""

SAID = re.compile(
    r"(Create new stream|create davinci model successfully)|(fixed_feature_memory hbm_addr \(nil\), hbm_size 0)"
    r"|davinci model init finish\. runtime_model_id: \d+, rt stream num: (\d+), list: \[\d+, \], weight_base: \d+"
)


def of_ge(log: Path) -> list[str]:
    """What GE said of its models, numbers and addresses left out."""
    with gzip.open(log, "rt", encoding="utf-8") as file:
        found = (SAID.search(line) for line in file)
        return [
            match[1] or ("no fixed memory" if match[2] else f"made on {match[3]} stream") for match in found if match
        ]


@pytest.mark.real
def test_two_compiled_graphs_are_made_as_ge_makes_them(cases: Path) -> None:
    lowering, *_ = lowerings(cases / "truth" / "dumps", CASE)
    facts = facts_of(CASE)
    options = replace(facts.options, **PASS_OPTIONS.get(CASE, {}))  # type: ignore[arg-type]
    converters = builtin_converters().extended(facts.converters)
    process = open_process(lowered=lower_model(lowering.model(facts), options, converters=converters).root)
    assert process.executor.load(process.arg) == 0
    said = []
    for event in process.recorder.events():
        if isinstance(event, FixedMemory):
            assert (event.hbm_addr, event.hbm_size, event.p2p_addr, event.p2p_size) == (0, 0, 0, 0)
            said.append("no fixed memory")
        elif isinstance(event, DavinciCreated):
            said.append(f"made on {event.streams} stream")
        elif isinstance(event, LogLine) and (match := SAID.match(event.text)):
            said.append(match[1])
    assert said == of_ge(cases / "truth" / "logs" / f"{CASE}.log.gz")
    assert said == ["no fixed memory", "Create new stream", "create davinci model successfully", "made on 1 stream"] * 2
    assert process.executor.unload() == 0
