"""Random models give what numpy gives, in every executor, however they are lowered (tests/random_models.py)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_numpy import evaluate
from random_models import AICPU_CC, AICPU_TF, HOST_CPU, RandomModel, random_model
from simulated_runs import open_process

from getrace.events import Level
from runtime.engines.options import LoweringOptions
from runtime.executors.options import ExecutorKind, ExecutorOption
from runtime.graph.builder import AI_CORE, GE_LOCAL
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.verify import violations, violations_of_optimized
from runtime.lowering.graph_converter import lower
from runtime.lowering.pipeline import lower_model
from runtime.lowering.stages import FINAL

ENGINES = (AI_CORE, AICPU_TF, AICPU_CC, HOST_CPU)
KINDS = [None, ExecutorKind.TOPOLOGICAL, ExecutorKind.PRIORITY]

seeds = st.integers(0, 1 << 20)


PASSES = {
    "usual": LoweringOptions(),
    "dfx": LoweringOptions(args_exception_dump=True),
    "single operator": LoweringOptions(single_op_scene=True),
    "trusted shapes": LoweringOptions(trust_shape_on_out_tensor=True),
    "caller's memory": LoweringOptions(always_zero_copy=True),
    "both": LoweringOptions(trust_shape_on_out_tensor=True, always_zero_copy=True, single_op_scene=True),
}
"""Options of the passes that leave a graph for the executors there are."""
THREADS = LoweringOptions(max_runtime_core_number=3, trust_shape_on_out_tensor=True, single_op_scene=True)
"""All passes. What the last two leave needs the executor of several threads, whose allocator waits for launches."""


def check(
    model: RandomModel,
    kind: ExecutorKind | None = None,
    *,
    optimised: bool = True,
    options: LoweringOptions | None = None,
    steps: int = 2,
) -> None:
    """Lower a model, legal at each stage, and run it; the second step finds what the first has left behind.

    With ``options`` the caller gives the outputs' memory and shapes, which some of them promise.
    """
    wanted = evaluate(model.graph, model.inputs)
    root = lower_model(model.graph, options, see=legal).root if optimised else lower(model.graph)
    assert violations(root) == []
    given = wanted if options else None
    process = open_process(level=Level.ERROR, executor=ExecutorOption(kind), lowered=root)
    assert process.executor.load(process.arg) == 0
    for _ in range(steps):
        status, found = process.outputs(model.inputs, len(wanted), given)
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


@given(seed=seeds, operators=st.integers(1, 40), kind=st.sampled_from(KINDS), passes=st.sampled_from(sorted(PASSES)))
@settings(max_examples=20, deadline=None)
def test_models_give_what_numpy_gives_whatever_passes_they_went_through(
    seed: int, operators: int, kind: ExecutorKind | None, passes: str
) -> None:
    check(random_model(seed, operators, ENGINES, flow=True), kind, options=PASSES[passes])


@given(seed=seeds, operators=st.integers(1, 200))
@settings(max_examples=5, deadline=None)
def test_all_passes_together_leave_legal_graphs(seed: int, operators: int) -> None:
    seen: list[str] = []

    def look(stage: str, graph: ComputeGraph | ExecuteGraph) -> None:
        seen.append(stage)
        legal(stage, graph)

    lowered = lower_model(random_model(seed, operators, ENGINES, flow=True, empty=True).graph, THREADS, see=look)
    assert seen[-1] == FINAL
    assert violations_of_optimized(lowered.root) == []


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
