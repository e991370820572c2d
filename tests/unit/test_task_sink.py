"""Static models: a graph of known shapes planned and run as one task, against the same numbers from numpy."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from api_calls import calls
from simulated_runs import Array, floats

from getrace.errors import ModelError
from runtime.api.session.loaded_graph import SunkGraph, on_device
from runtime.api.static_model import load_static_model
from runtime.graph.builder import GE_LOCAL, GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.kernels.task_sink.davinci_model import DavinciModel
from runtime.kernels.task_sink.places import Area, Where
from runtime.kernels.task_sink.plan import is_static, plan_model
from runtime.ops.builtin import builtin_ops
from runtime.values import DType

AI_CPU = "aicpu_tf_kernel"


def run(graph: ComputeGraph, *arrays: Array, order: Sequence[str] = ()) -> list[list[float]]:
    """Load a static model, run it twice, unload it; the results are flat, both runs the same, and nothing is left."""
    there = calls()
    model, status = load_static_model(there.process, graph, order)
    assert model is not None, there.texts()
    sunk = SunkGraph(there.process, model)
    first, second = (sunk.run(arrays) for _ in range(2))
    assert (status, first.status, second.status) == (0, 0, 0)
    for one, other in zip(first.outputs, second.outputs, strict=True):
        np.testing.assert_array_equal(one, other)
    sunk.unload()
    assert there.process.device.hbm.used == 0
    return [output.reshape(-1).tolist() for output in first.outputs]


def const(graph: GraphBuilder, name: str, *values: float, dtype: DType = DType.FLOAT, scalar: bool = False) -> Output:
    array = np.array(values[0] if scalar else values, dtype.numpy)
    return graph.const(name, array.shape, array.tobytes(), dtype)


def test_operators_run_in_order_on_inputs_and_weights() -> None:
    graph = GraphBuilder("m")
    x = graph.data("x", (3,))
    total = graph.op("AddExample", x, const(graph, "c", 1, 2, 3), name="sum")
    assert run(graph.output(graph.op("Neg", total, name="neg"), total).build(), floats(1, 1, 1)) == [
        [-2.0, -3.0, -4.0],
        [2.0, 3.0, 4.0],
    ]


def test_one_task_is_the_whole_model() -> None:
    there, graph = calls(), GraphBuilder("m")
    x = graph.data("x", (3,))
    model, _ = load_static_model(there.process, graph.output(graph.op("Neg", graph.op("Relu", x))).build())
    assert model is not None
    with on_device(there.process.device, [floats(1, 2, 3), floats(0, 0, 0)]) as tensors:
        assert model.execute(0, tensors[:1], tensors[1:]) == 0
        last = there.process.device.stream(0).last_task
        assert last is not None
        assert last.task == 0


@pytest.mark.parametrize("count", [1, 2])
def test_an_output_that_is_an_input_a_constant_or_twice_the_same(count: int) -> None:
    graph = GraphBuilder("m")
    x, c = graph.data("x", (2,)), const(graph, "c", 7, 8)
    y = graph.op("Neg", x)
    assert run(graph.output(x, c, *[y] * count).build(), floats(1, 2)) == [
        [1.0, 2.0],
        [7.0, 8.0],
        *[[-1.0, -2.0]] * count,
    ]


def test_reshapes_and_copies_move_nothing() -> None:
    graph = GraphBuilder("m")
    x = graph.data("x", (2, 3))
    flat = graph.op("Reshape", x, outputs=(nd_desc((6,)),), engine=GE_LOCAL)
    same = graph.op("Identity", flat, engine=GE_LOCAL)
    model = graph.output(graph.op("Neg", same)).build()
    assert len(plan_model(model, builtin_ops()).steps) == 1
    assert run(model, floats(1, 2, 3, 4, 5, 6).reshape(2, 3)) == [[-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]]


@pytest.mark.parametrize(("kind", "dims", "value"), [("Shape", (2,), [2, 3]), ("Rank", (), [2]), ("Size", (), [6])])
def test_shapes_as_values_are_weights(kind: str, dims: tuple[int, ...], value: list[int]) -> None:
    graph = GraphBuilder("m")
    x = graph.data("x", (2, 3))
    asked = graph.op(kind, x, outputs=(nd_desc(dims, DType.INT32),), engine=GE_LOCAL)
    assert run(graph.output(asked).build(), np.zeros((2, 3), np.float32)) == [value]


def test_the_ai_cpu_computes_on_whole_arrays() -> None:
    graph = GraphBuilder("m")
    x = graph.data("x", (3,))
    assert run(graph.output(graph.op("Neg", x, engine=AI_CPU)).build(), floats(1, 2, 3)) == [[-1.0, -2.0, -3.0]]


def branches(value: float) -> ComputeGraph:
    """Negated when the condition holds, doubled when not."""
    graph = GraphBuilder("m")
    x = graph.data("x", (2,))
    condition = const(graph, "condition", value, scalar=True)

    def negated(inner: GraphBuilder, given: Sequence[Output]) -> Sequence[Output]:
        return [inner.op("Neg", given[0])]

    def doubled(inner: GraphBuilder, given: Sequence[Output]) -> Sequence[Output]:
        return [inner.op("Add", given[0], given[0])]

    [chosen] = graph.if_(condition, [x], negated, doubled)
    return graph.output(chosen).build()


@pytest.mark.parametrize(("value", "expected"), [(1.0, [-1.0, -2.0]), (0.0, [2.0, 4.0])])
def test_a_branch_is_chosen_on_the_device(value: float, expected: list[float]) -> None:
    assert run(branches(value), floats(1, 2)) == [expected]


@pytest.mark.parametrize(("index", "expected"), [(0, 10.0), (1, 20.0), (2, 30.0), (3, 30.0), (-1, 30.0)])
def test_a_case_without_its_branch_takes_the_last(index: int, expected: float) -> None:
    graph = GraphBuilder("m")
    x = graph.data("x", (1,))

    def adding(value: float) -> Callable[[GraphBuilder, Sequence[Output]], Sequence[Output]]:
        return lambda inner, given: [inner.op("Add", given[0], const(inner, "c", value))]

    at = const(graph, "at", index, dtype=DType.INT32, scalar=True)
    [chosen] = graph.case(at, [x], adding(10), adding(20), adding(30))
    assert run(graph.output(chosen).build(), floats(0)) == [[expected]]


def loop(limit: float) -> ComputeGraph:
    """Doubles x, and swaps two further values, while x is below a limit."""
    graph = GraphBuilder("m")
    values = [graph.data(name, (1,)) for name in ("x", "a", "b")]

    def below(inner: GraphBuilder, given: Sequence[Output]) -> Sequence[Output]:
        bound = const(inner, "limit", limit)
        return [inner.op("Less", given[0], bound, outputs=(nd_desc((1,), DType.BOOL),))]

    def body(inner: GraphBuilder, given: Sequence[Output]) -> Sequence[Output]:
        return [inner.op("Add", given[0], given[0]), given[2], given[1]]

    return graph.output(*graph.while_(values, below, body)).build()


@pytest.mark.parametrize(("limit", "expected"), [(1, [[1.0], [5.0], [6.0]]), (8, [[8.0], [6.0], [5.0]])])
def test_a_loop_goes_round_on_the_device(limit: float, expected: list[list[float]]) -> None:
    assert run(loop(limit), floats(1), floats(5), floats(6)) == expected


def test_a_graph_that_is_called_is_planned_in_place() -> None:
    inner = GraphBuilder("inner")
    y = inner.data("y", (2,))
    inner.output(inner.op("Neg", y))
    outer = GraphBuilder("outer")
    x = outer.data("x", (2,))
    called = outer.op("PartitionedCall", x, name="call", engine=GE_LOCAL)
    graph = outer.output(outer.op("Relu", called)).build()
    graph.add_subgraph(called.node, inner.build())
    assert run(graph, floats(-1, 2)) == [[1.0, 0.0]]


def test_tasks_give_the_order_as_far_as_inputs_allow() -> None:
    graph = GraphBuilder("m")
    x = graph.data("x", (1,))
    a, b = graph.op("Neg", x, name="a"), graph.op("Relu", x, name="b")
    model = graph.output(graph.op("Add", a, b, name="c")).build()
    plan = plan_model(model, builtin_ops(), ("c", "b", "a"))
    assert [step.op.name for step in plan.steps] == ["Relu", "Neg", "Add"]  # type: ignore[attr-defined]
    assert run(model, floats(2), order=("c", "b", "a")) == [[0.0]]


def test_results_are_computed_where_the_caller_wants_them() -> None:
    graph = GraphBuilder("m")
    x = graph.data("x", (1,))
    y = graph.op("Neg", x)
    plan = plan_model(graph.output(y, y).build(), builtin_ops())
    assert plan.redirected == {Where(Area.WORK, 0): Where(Area.OUTPUT, 0)}
    assert [type(step).__name__ for step in plan.steps] == ["CoreStep", "CopyStep"]


def variable() -> ComputeGraph:
    graph = GraphBuilder("m")
    return graph.output(graph.op("Variable", outputs=(nd_desc((1,)),), name="v", engine=GE_LOCAL)).build()


def unknown() -> ComputeGraph:
    graph = GraphBuilder("m")
    return graph.output(graph.op("Neg", graph.data("x", (-1,)))).build()


@pytest.mark.parametrize(
    ("graph", "text"),
    [
        (variable(), "node v is a Variable; an offline static model has none"),
        (unknown(), "output 0 of node x has the shape [-1], a static model knows all its shapes"),
    ],
)
def test_what_is_no_static_model_is_refused(graph: ComputeGraph, text: str) -> None:
    with pytest.raises(ModelError, match="^" + text.replace("[", r"\[")):
        plan_model(graph, builtin_ops())


def test_only_known_shapes_are_static() -> None:
    assert [is_static(graph) for graph in (variable(), unknown(), loop(1))] == [True, False, True]


def test_a_device_without_memory_gives_back_what_it_gave() -> None:
    there, graph = calls(profile="tiny"), GraphBuilder("m")
    x = graph.data("x", (1 << 30,))
    plan = plan_model(graph.output(graph.op("Neg", graph.op("Relu", x))).build(), builtin_ops())
    model = DavinciModel(there.process.machine, plan)
    assert (model.load(), model.is_loaded, there.process.device.hbm.used) == (4294967295, False, 0)
    assert there.texts()[0].startswith("[Alloc][Mem] the device has no 8589935616 bytes for the work memory of model m")


def test_a_loop_without_an_end_dies_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.kernels.task_sink.steps.MOST_ROUNDS", 3)
    there = calls()
    model, _ = load_static_model(there.process, loop(float("inf")))
    assert model is not None
    assert SunkGraph(there.process, model).run([floats(0)] * 3) == ([], 507015, False)
