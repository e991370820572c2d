"""The optimizer's turns (spec/lowering.md 7), and the worked example through all of them (10.2)."""

import pytest
from small_graphs import SmallGraph

from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.verify import violations_of_optimized
from runtime.lowering.passes.optimizer import MAX_TURNS, final_passes, optimize, repeated_passes
from runtime.lowering.pipeline import lower_model

USUAL = ["ModelOutTensorZeroCopy", "ConstantExpressionMotion", "CopyFlowLaunchFuse"]


@pytest.mark.parametrize(
    ("options", "repeated", "final"),
    [
        (LoweringOptions(), USUAL, []),
        (LoweringOptions(trust_shape_on_out_tensor=True), [*USUAL, "TrustOutTensor"], []),
        (LoweringOptions(single_op_scene=True), [*USUAL, "AicpuHostInputsFuse"], []),
        (LoweringOptions(max_runtime_core_number=2), USUAL, ["SplitMixedLaunchMemory", "RemoveLaunchFreeEdge"]),
        (LoweringOptions(max_runtime_core_number=2, dynamic_shape_multi_stream=True), USUAL, []),
    ],
)
def test_options_say_which_passes_run(options: LoweringOptions, repeated: list[str], final: list[str]) -> None:
    assert [each.name for each in repeated_passes(options)] == repeated
    assert [each.name for each in final_passes(options)] == final


def test_an_empty_graph_is_optimal() -> None:
    seen: list[str] = []
    assert optimize(SmallGraph().root, LoweringOptions(), lambda stage, _: seen.append(stage)) == ()
    assert seen == []


def test_a_pass_that_always_finds_something_ends_after_eleven_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    class Restless:
        name, stage = "Restless", "AfterRestless"

        def run(self, editor: object) -> None:
            editor.add(graph.main, f"node_{len(graph.main.nodes)}", "NoOp")  # type: ignore[attr-defined]

    graph = SmallGraph()
    monkeypatch.setattr("runtime.lowering.passes.optimizer.repeated_passes", lambda *_: [Restless()])
    done = optimize(graph.root, LoweringOptions())
    assert MAX_TURNS == 11
    assert [(each.turn, each.added) for each in done] == [(turn, (f"node_{turn - 1}",)) for turn in range(1, 12)]


def add_example() -> ComputeGraph:
    graph = GraphBuilder("g1")
    x1, x2 = graph.data("x1", (-1, -1)), graph.data("x2", (-1, -1))
    return graph.output(graph.op("AddExample", x1, x2, name="add")).build()


def test_the_worked_example_takes_two_turns_and_each_stage_is_seen() -> None:
    sizes: list[tuple[str, int, int]] = []

    def see(stage: str, graph: ComputeGraph | ExecuteGraph) -> None:
        if isinstance(graph, ExecuteGraph) and graph.name == "ROOT":
            sizes.append((stage, len(graph.owned_by("Init").nodes), len(graph.owned_by("Main").nodes)))

    lowered = lower_model(add_example(), see=see)
    assert [(each.name, each.turn) for each in lowered.passes] == [
        ("ModelOutTensorZeroCopy", 1),
        ("ConstantExpressionMotion", 1),
        ("CopyFlowLaunchFuse", 1),
        ("ConstantExpressionMotion", 2),
    ]
    assert sizes == [
        ("ExeGraphBeforeOptimize", 32, 61),
        ("AfterZeroCopy", 32, 61),
        ("AfterCEM", 57, 50),
        ("AfterCopyFlowLaunch", 57, 51),
        ("AfterCEM", 59, 51),
        ("ExecuteGraphAfterSplit", 59, 51),
    ]
    assert violations_of_optimized(lowered.root) == []
    assert [node.type for node in lowered.root.nodes] == ["Init", "Main", "DeInit"]
    assert [node.id for node in lowered.root.nodes] == [0, 60, 112]


def test_a_const_left_on_main_and_an_end_of_deinit_break_the_rules() -> None:
    graph = SmallGraph()
    graph.kernel("left", "Const")
    graph.add(graph.deinit, "end", "InnerNetOutput", outputs=0)
    assert [(each.rule, each.where) for each in violations_of_optimized(graph.root)][-2:] == [
        ("Main and the graphs below hold no Const", "left in Main_graph"),
        ("DeInit gives nothing", "end"),
    ]
