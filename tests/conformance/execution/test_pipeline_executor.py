"""The pipeline executor: spec/execution.md 3.9 and scenario MX-47 of 8.2."""

from collections.abc import Sequence

import numpy as np
import pytest
from session_models import error_texts, line_texts
from simulated_runs import Array, Recorder, failing, floats, on_device
from staged_models import doubled, stage, summed, two_stages, with_foreign_node

from getrace.bus import Bus
from getrace.errors import ModelError
from runtime.api.ge_process import GeProcess, start_process
from runtime.api.host_tensors import free_output, to_array, to_tensor
from runtime.api.hybrid.executor import Executed, HybridModelRtV2Executor
from runtime.api.hybrid.factory import create_executor, has_stages
from runtime.api.hybrid.model import HybridModel
from runtime.api.hybrid.pipeline import RtV2PipelineExecutor
from runtime.api.hybrid.stage_graph import Feed, Product, plan_stages
from runtime.executors.rt_session import RtSession
from runtime.graph.builder import GE_LOCAL, GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.graph.to_snapshot import snapshot_of
from runtime.kernels.registry import KernelRegistry
from runtime.kernels.status import Status
from runtime.values import Shape, StorageShape, Tensor

PARAM_INVALID, FAILED = 1343225857, 4294967295


def started(kernels: KernelRegistry | None = None) -> tuple[Recorder, GeProcess]:
    recorder, bus = Recorder(), Bus(now=int)
    bus.subscribe(recorder)
    process = start_process(bus)
    if kernels is not None:
        process.kernels = kernels
    return recorder, process


def loaded(process: GeProcess, graph: ComputeGraph, iterations: int = 1) -> HybridModelRtV2Executor:
    hybrid = HybridModelRtV2Executor(process, HybridModel(graph, 5, iterations=iterations))
    assert hybrid.init() == 0
    assert isinstance(hybrid.executor, RtV2PipelineExecutor)
    assert hybrid.load() == 0
    return hybrid


def run(process: GeProcess, hybrid: HybridModelRtV2Executor, *arrays: Array, count: int = 2) -> list[list[float]] | int:
    outputs = [Tensor(StorageShape(Shape(), Shape())) for _ in range(count)]
    result = hybrid.execute([to_tensor(process.device, array) for array in arrays], outputs)
    values = [to_array(process.device, output).tolist() for output in outputs] if not result.status else result.status
    for output in outputs:
        free_output(output)
    return values


def end(process: GeProcess, hybrid: HybridModelRtV2Executor) -> None:
    assert hybrid.unload() == 0
    hybrid.close()
    assert process.close() == 0
    assert process.device.hbm.used == 0


def test_each_stage_runs_on_a_stream_of_its_own_and_hands_its_product_on() -> None:
    recorder, process = started()
    hybrid = loaded(process, two_stages())
    for factor in (1, 10):
        assert run(process, hybrid, floats(factor, 2 * factor)) == [
            [3.0 * factor, 6.0 * factor],
            [2.0 * factor, 4.0 * factor],
        ]
    assert isinstance(hybrid.executor, RtV2PipelineExecutor)
    streams = {each.arg.stream for each in hybrid.executor.stages}
    assert len(streams) == 2
    assert hybrid.executor.stages[0].arg.stream == hybrid.stream
    assert "Load daemon stage state second" in line_texts(recorder)
    end(process, hybrid)


@pytest.mark.parametrize("iterations", [1, 2, 5])
def test_a_stage_may_be_ahead_by_one_product_and_no_more(iterations: int) -> None:
    _, process = started()
    hybrid = loaded(process, two_stages(), iterations)
    assert run(process, hybrid, floats(1, 2)) == [[3.0, 6.0], [2.0, 4.0]]
    assert isinstance(hybrid.executor, RtV2PipelineExecutor)
    assert [each.done for each in hybrid.executor.stages] == [iterations, iterations]
    assert [each.taken for each in hybrid.executor.stages] == [iterations, iterations]
    end(process, hybrid)


def diamond() -> ComputeGraph:
    """Two stages read what a third one made, a fourth adds them: (x + x) + (x + x) twice, and summed."""
    graph = GraphBuilder("diamond")
    x = graph.data("x", (-1,))
    first = stage(graph, "first", [x], doubled("a"))
    left = stage(graph, "left", [first], doubled("b"))
    right = stage(graph, "right", [first, x], summed("c"))
    return graph.output(stage(graph, "last", [left, right], summed("d"))).build()


@pytest.mark.parametrize("iterations", [1, 4])
def test_a_product_may_have_several_consumers(iterations: int) -> None:
    _, process = started()
    hybrid = loaded(process, diamond(), iterations)
    for _ in range(3):
        assert run(process, hybrid, floats(1, 2), count=1) == [[7.0, 14.0]]
    end(process, hybrid)


def three_in_a_row() -> ComputeGraph:
    """8 * x through three stages."""
    graph = GraphBuilder("row")
    value = graph.data("x", (-1,))
    for number in range(3):
        value = stage(graph, f"stage_{number}", [value], doubled(f"double_{number}"))
    return graph.output(value).build()


@pytest.mark.parametrize("iterations", [1, 7])
def test_the_stage_in_the_middle_gives_back_what_it_borrowed(iterations: int) -> None:
    _, process = started()
    hybrid = loaded(process, three_in_a_row(), iterations)
    for _ in range(2):
        assert run(process, hybrid, floats(1, 2), count=1) == [[8.0, 16.0]]
    end(process, hybrid)


def test_outputs_go_into_memory_that_the_caller_gave() -> None:
    _, process = started()
    hybrid = loaded(process, diamond())
    like = floats(0, 0)
    output = on_device(process.device, like)
    address = output.data.addr if output.data is not None else 0
    assert hybrid.execute([to_tensor(process.device, floats(1, 2))], [output]) == Executed(0)
    assert output.data is not None
    assert output.data.addr == address
    np.testing.assert_array_equal(to_array(process.device, output), [7.0, 14.0])
    process.device.hbm.free(address)
    end(process, hybrid)


@pytest.mark.parametrize(("call", "stages"), [(0, "first"), (1, "second")])
def test_a_stage_that_fails_fails_the_call_and_the_next_call_works(call: int, stages: str) -> None:
    recorder, process = started(failing("LaunchKernelWithHandle", FAILED, calls=(call,)))
    hybrid = loaded(process, two_stages())
    assert run(process, hybrid, floats(1, 2)) == PARAM_INVALID
    texts = error_texts(recorder)
    assert f"Pipeline failed as stage {stages} status error" in texts
    if stages == "first":
        assert "Stage second input stage first status error" in texts
    assert texts[-1] == "Failed to execute rt v2 model for graph staged, model_id 5."
    assert run(process, hybrid, floats(1, 2)) == [[3.0, 6.0], [2.0, 4.0]]
    end(process, hybrid)


def test_the_first_stage_s_load_is_not_looked_at_and_shows_when_it_runs() -> None:
    recorder, process = started(failing("SplitRtStreams", FAILED))
    hybrid = HybridModelRtV2Executor(process, HybridModel(two_stages(), 5))
    assert hybrid.init() == 0
    assert hybrid.load() == 0
    assert run(process, hybrid, floats(1, 2)) == PARAM_INVALID
    assert "Failed to execute model, you may need load model first" in error_texts(recorder)
    assert hybrid.unload() == PARAM_INVALID
    hybrid.close()


def test_another_stage_s_load_is_looked_at() -> None:
    recorder, process = started(failing("CreateL1Allocator", FAILED, calls=(1,)))
    hybrid = HybridModelRtV2Executor(process, HybridModel(two_stages(), 5))
    assert hybrid.init() == 0
    assert hybrid.load() == PARAM_INVALID
    assert error_texts(recorder)[-1] == "Failed load rt v2 model for graph staged"
    hybrid.close()


def raising(context: object) -> int:
    raise RuntimeError(f"{type(context).__name__} cannot be run")


def test_what_a_stage_s_thread_dies_of_is_raised_in_the_caller() -> None:
    _, process = started()
    hybrid = loaded(process, two_stages())
    assert isinstance(hybrid.executor, RtV2PipelineExecutor)
    main = hybrid.executor.stages[1].executor
    main.execute = raising  # type: ignore[method-assign,assignment]
    with pytest.raises(TypeError):
        run(process, hybrid, floats(1, 2))


def test_MX_47_an_operator_beside_the_stages_stops_the_build() -> None:
    recorder, process = started()
    hybrid = HybridModelRtV2Executor(process, HybridModel(with_foreign_node(), 5))
    assert hybrid.init() == FAILED
    assert error_texts(recorder) == [
        "Failed create rt2 executor for model foreign",
        "Found non-stage node stray AddExample in stage graph foreign",
    ]


def test_the_factory_takes_the_pipeline_for_stages_and_the_simple_executor_for_the_rest() -> None:
    _, process = started()
    graph = GraphBuilder("plain")
    plain = graph.output(graph.op("AddExample", graph.data("x", (-1,)), graph.data("y", (-1,)))).build()
    assert has_stages(HybridModel(two_stages()))
    assert not has_stages(HybridModel(plain))
    made = [create_executor(process, HybridModel(model), RtSession()) for model in (two_stages(), plain)]
    assert [type(each).__name__ for each in made] == ["RtV2PipelineExecutor", "RtV2SimpleExecutor"]


def test_stages_are_models_of_their_own_and_the_model_stays_as_it_is() -> None:
    graph = two_stages()
    before = repr(snapshot_of(graph, "before"))
    first, second = plan_stages(graph)
    assert repr(snapshot_of(graph, "before")) == before
    assert [first.graph.name, second.graph.name] == ["Stage_first", "Stage_second"]
    assert first.inputs == [Feed(0)]
    assert second.inputs == [Product("first", 0), Feed(0)]
    assert (first.producers, second.producers) == ([], ["first"])
    assert (first.fetched, second.fetched) == ({0: [1]}, {0: [0]})


def without_outputs(inner: Sequence[str]) -> ComputeGraph:
    """A stage that makes something, and one without data outputs whose graph holds these types."""
    graph = GraphBuilder("m")
    x = graph.data("x", (-1,))
    made = stage(graph, "made", [x], doubled("a"))
    below = GraphBuilder("idle_graph")
    value: Output = below.data("d", (-1,))
    for index, type_name in enumerate(inner):
        value = below.op(type_name, value, name=f"n{index}", engine=GE_LOCAL, outputs=[nd_desc((-1,))])
    idle = graph.op("PartitionedCall", x, name="idle", engine=GE_LOCAL, outputs=[nd_desc((-1,))])
    idle.node.op.attrs["_stage_level"] = 1
    idle.node.graph.add_subgraph(idle.node, below.output(value).build())
    return graph.output(made).build()


def test_a_stage_that_makes_nothing_is_left_out() -> None:
    assert [plan.name for plan in plan_stages(without_outputs([]))] == ["made"]
    assert [plan.name for plan in plan_stages(without_outputs(["Identity"]))] == ["made", "idle"]


def test_an_order_between_stages_makes_one_wait_for_the_other() -> None:
    graph = two_stages()
    other = without_outputs(["Identity"])
    nodes = {node.name: node for node in other.nodes}
    other.order(nodes["made"], nodes["idle"])
    assert [plan.producers for plan in plan_stages(other)] == [[], ["made"]]
    assert [plan.producers for plan in plan_stages(graph)] == [[], ["first"]]


def test_an_output_that_no_stage_makes_is_refused() -> None:
    graph = GraphBuilder("m")
    x = graph.data("x", (-1,))
    with pytest.raises(ModelError, match="output 1 of the model is made by no stage"):
        plan_stages(graph.output(stage(graph, "a", [x], doubled("b")), x).build())


def test_the_end_of_a_sequence_in_a_stage_is_a_failure_of_the_pipeline() -> None:
    _, process = started(failing("LaunchKernelWithHandle", Status.END_OF_SEQUENCE))
    hybrid = loaded(process, two_stages())
    assert run(process, hybrid, floats(1, 2)) == PARAM_INVALID
