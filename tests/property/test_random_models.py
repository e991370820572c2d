"""Random models give what numpy gives, in every executor, however they are lowered (tests/random_models.py)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_numpy import evaluate
from random_models import AICPU_CC, AICPU_TF, HOST_CPU, RandomModel, random_model
from simulated_runs import open_process

from getrace.events import Level
from runtime.executors.selection import ExecutorKind
from runtime.graph.builder import AI_CORE, GE_LOCAL
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.verify import violations
from runtime.lowering.graph_converter import lower
from runtime.lowering.pipeline import lower_model

ENGINES = (AI_CORE, AICPU_TF, AICPU_CC, HOST_CPU)
KINDS = [None, ExecutorKind.TOPOLOGICAL, ExecutorKind.PRIORITY]

seeds = st.integers(0, 1 << 20)


def check(model: RandomModel, kind: ExecutorKind | None = None, *, optimised: bool = True, steps: int = 2) -> None:
    """Lower a model, legal at each stage, and run it; the second step finds what the first has left behind."""
    wanted = evaluate(model.graph, model.inputs)
    root = lower_model(model.graph, see=legal).root if optimised else lower(model.graph)
    process = open_process(level=Level.ERROR, executor=kind, lowered=root)
    assert process.executor.load(process.arg) == 0
    for _ in range(steps):
        status, found = process.outputs(model.inputs, len(wanted))
        assert status == 0
        for value, expected in zip(found, wanted, strict=True):
            np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)
    assert process.executor.unload() == 0
    assert process.recorder.events() == []


def legal(_stage: str, graph: ComputeGraph | ExecuteGraph) -> None:
    """Look at whole execute graphs; a branch alone has no Init."""
    if isinstance(graph, ExecuteGraph) and graph.parent_node is None:
        assert violations(graph) == []


@given(seed=seeds, operators=st.integers(1, 60), kind=st.sampled_from(KINDS), optimised=st.booleans())
@settings(max_examples=20, deadline=None)
def test_straight_models_give_what_numpy_gives(
    seed: int, operators: int, kind: ExecutorKind | None, optimised: bool
) -> None:
    check(random_model(seed, operators, ENGINES), kind, optimised=optimised)


@given(seed=seeds, operators=st.integers(8, 60), kind=st.sampled_from(KINDS), optimised=st.booleans())
@settings(max_examples=20, deadline=None)
def test_models_with_branches_and_loops_give_what_numpy_gives(
    seed: int, operators: int, kind: ExecutorKind | None, optimised: bool
) -> None:
    check(random_model(seed, operators, ENGINES, flow=True), kind, optimised=optimised)


@given(seed=seeds, operators=st.integers(1, 30), optimised=st.booleans())
@settings(max_examples=10, deadline=None)
def test_models_whose_tensors_may_be_empty_give_what_numpy_gives(seed: int, operators: int, optimised: bool) -> None:
    check(random_model(seed, operators, ENGINES, flow=True, empty=True), optimised=optimised)


@pytest.mark.parametrize("seed", range(2))
def test_models_of_200_operators_give_what_numpy_gives(seed: int) -> None:
    check(random_model(seed, 200, ENGINES, flow=True))


def test_random_models_hold_what_they_are_made_for() -> None:
    models = [random_model(seed, 60, ENGINES, flow=True) for seed in range(20)]
    types = {node.type for model in models for node in model.graph.all_nodes()}
    assert {"If", "Case", "While", "ReduceSumD", "SelectV2", "Unsqueeze", "Size", "NonZero", "Unique"} <= types
    assert {node.op.engine for model in models for node in model.graph.all_nodes()} == {*ENGINES, GE_LOCAL}
    depth = max(_depth(model) for model in models)
    assert depth == 2
    assert random_model(7, 40, flow=True).graph.nodes[-1].op == random_model(7, 40, flow=True).graph.nodes[-1].op


def _depth(model: RandomModel) -> int:
    found = 0
    for graph in model.graph.all_graphs():
        level, node = 0, graph.parent_node
        while node is not None:
            level, node = level + 1, node.graph.parent_node
        found = max(found, level)
    return found
