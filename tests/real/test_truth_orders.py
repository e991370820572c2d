"""Every case of GE's that one thread runs: the kernels of each run and their order are those of the log.

The models are lowered here, too, so names are compared up to the numbers in them; whatever says the same name in one
log must say one name in the other. A run that failed in GE is compared up to the failure.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rebuilt_graphs import traced_runs
from standin_kernels import Standins, bare_machine
from truth_facts import facts_of
from truth_lowering import lowerings
from truth_options import PASS_OPTIONS

from runtime.engines.builtin import builtin_converters
from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import ExecutionData
from runtime.executors.graph_builder import GraphBuilder
from runtime.executors.options import ExecutorKind, ExecutorOption
from runtime.lowering.pipeline import lower_model
from runtime.subscribers.phase import GraphType

ONE_THREAD = {kind.value: kind for kind in ExecutorKind if kind is not ExecutorKind.MULTI_THREAD}

WHOLE_RUNS = 500
"""How many runs of the logs came to their end."""

Run = Sequence[str]
_NUMBER = re.compile(r"\d+")


def one_thread_cases(cases: Path) -> Iterator[tuple[str, ExecutorKind]]:
    """Cases of one model, without control flow, of which the index knows the executor of Main."""
    for line in (cases / "truth" / "index.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        case, _, executor = line.split("\t")[:3]
        if executor in ONE_THREAD and len(list(lowerings(cases / "truth" / "dumps", case))) == 1:
            yield case, ONE_THREAD[executor]


def own_runs(cases: Path, case: str, kind: ExecutorKind) -> tuple[Run, Run] | None:
    """The kernels of Init and of Main as this project lowers and runs them; None for a model with control flow."""
    (lowering,) = lowerings(cases / "truth" / "dumps", case)
    facts = facts_of(case)
    options = replace(facts.options, **PASS_OPTIONS.get(case, {}))  # type: ignore[arg-type]
    root = lower_model(lowering.model(facts), options, converters=builtin_converters().extended(facts.converters)).root
    kernels = Standins()
    builder = GraphBuilder(root, bare_machine(), kernels, Cells(root))

    def run(data: ExecutionData) -> Run:
        assert data.loop().plain() == 0
        return [name for _, name in kernels.take()]

    init = builder.build(root.owned_by("Init"), GraphType.INIT, ExecutorOption())
    main = builder.build(root.owned_by("Main"), GraphType.MAIN, ExecutorOption(kind))
    if main.topology is not None and main.topology.switches:
        return None
    return run(init), run(main)


def same(ours: Run, theirs: Run) -> bool:
    """Whether a run of GE's is a run of ours, or the beginning of it, up to numbers."""
    there: dict[str, str] = {}
    back: dict[str, str] = {}
    pairs = list(zip(ours, theirs, strict=False))
    alike = all(_NUMBER.sub("#", our) == _NUMBER.sub("#", their) for our, their in pairs)
    one_to_one = all(there.setdefault(o, t) == t and back.setdefault(t, o) == o for o, t in pairs)
    return len(theirs) <= len(ours) and alike and one_to_one


def is_different(own: tuple[Run, Run], runs: Sequence[Run]) -> bool:
    """Whether some run of a log is neither Init nor Main nor empty; a process may load several executors."""
    return not all(any(same(part, run) for part in own) for run in runs[:-1])


@pytest.mark.real
@pytest.mark.long
def test_one_thread_runs_the_kernels_of_each_log_in_its_order(cases: Path) -> None:
    found: Counter[str] = Counter()
    different: list[str] = []
    for case, kind in one_thread_cases(cases):
        own = own_runs(cases, case, kind)
        runs = traced_runs(cases, case)
        if own is None or not runs:
            found["left out"] += 1
        elif is_different(own, runs):
            different.append(case)
        else:
            found[kind] += 1
            found["whole runs"] += sum(any(len(run) == len(part) for part in own) for run in runs[:-1])
    print(f"\n{dict(found)}; different: {different}")
    assert different == []
    assert found[ExecutorKind.SEQUENTIAL] >= 182
    assert found["whole runs"] >= WHOLE_RUNS


def test_a_run_in_another_order_or_with_two_names_for_one_is_not_the_same() -> None:
    ours = ["Alloc_add_1", "Launch_add_2", "Free_add_3"]
    assert same(ours, ["Alloc_add_7", "Launch_add_8", "Free_add_9"])
    assert same(ours, ["Alloc_add_7"])
    assert not same(ours, ["Launch_add_8", "Alloc_add_7", "Free_add_9"])
    assert not same(ours, [*ours, "Free_add_4"])
    assert not same(["Alloc_add_1", "Alloc_add_1"], ["Alloc_add_1", "Alloc_add_2"])
