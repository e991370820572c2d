"""One whole run of AddExample: the values, the numbers, what tiling says, and that a seed decides everything."""

from pathlib import Path

import numpy as np
import pytest
from simulated_runs import add_model, careless_ops, empty_output, floats, open_process, run

from getrace.bus import Bus
from getrace.errors import ModelError
from getrace.events import Event, Level, Origin
from getrace.events.graphs import GraphEvent, GraphSeen
from getrace.events.launch import LaunchAddresses
from getrace.events.tiling import Tiling
from runtime.api.models import Model, load_model
from runtime.api.simulate import RunOptions, run_model
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.values import DType

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.mark.parametrize("dtype", [DType.FLOAT, DType.INT32])
@pytest.mark.parametrize("elements", [0, 1, 7, 63, 64, 65, 2048])
def test_the_output_is_the_sum_of_the_inputs(dtype: DType, elements: int) -> None:
    options = RunOptions(inputs=(f"x1={elements}", f"x2={elements}"))
    result, _ = run(add_model((-1,), dtype), options=options)
    x1, x2 = result.inputs.values()
    (y,) = result.outputs.values()
    assert result.status == 0
    assert y.dtype == dtype.numpy
    assert np.array_equal(y, x1 + x2)
    assert y.shape == (elements,)


STAGES = ["ComputeGraphBeforeLowering", "ExeGraphBeforeOptimize", "ExecuteGraphAfterSplit"]


def test_tiling_of_two_times_1024_says_what_the_guide_says() -> None:
    _, recorder = run(add_model((-1, -1)), options=RunOptions(inputs=("x1=2x1024", "x2=2x1024")))
    (tiling,) = [event for event in recorder.events() if isinstance(event, Tiling)]
    assert (tiling.key, tiling.block_dim, tiling.size) == (0, 8, 16)
    assert tiling.data == (2048).to_bytes(8, "little") + (8).to_bytes(8, "little")


def test_the_sample_runs_and_gives_everything_back() -> None:
    bus = Bus(now=lambda: 0)
    result = run_model(load_model("add_example", SAMPLES), RunOptions(steps=3), bus)
    assert (result.status, result.steps, result.leaked_bytes) == (0, 3, 0)
    assert result.nodes == {"init": 59, "main": 51, "deinit": 0}
    assert result.peak_bytes == 3 * 65536
    assert [snapshot.stage for snapshot in result.snapshots] == STAGES


def test_one_seed_gives_the_same_events_and_another_does_not() -> None:
    logs = [run(add_model(), options=RunOptions(seed=seed, steps=2))[1].heard for seed in (5, 5, 6)]
    assert logs[0] == logs[1]
    assert logs[0] != logs[2]
    assert [type(item.event) for item in logs[0]] == [type(item.event) for item in logs[2]]


def test_time_never_goes_back_and_begins_at_the_start_time() -> None:
    _, recorder = run(add_model(), options=RunOptions(start_time_ns=1_000_000, steps=2))
    times = [item.time_ns for item in recorder.heard]
    assert times == sorted(times)
    assert 1_000_000 < times[0] < 1_010_000


def test_above_info_a_run_prints_nothing_and_computes_the_same() -> None:
    loud, _ = run(add_model())
    silent, recorder = run(add_model(), level=Level.WARNING)
    assert recorder.heard == []
    assert np.array_equal(loud.outputs["output_0_add_0"], silent.outputs["output_0_add_0"])


def test_graphs_are_shown_at_any_level() -> None:
    seen: list[str] = []
    bus = Bus(now=lambda: 0, levels={"GE": Level.ERROR})

    def look(_time: int, _origin: Origin, _level: Level, _kernel: str | None, event: Event, /) -> None:
        assert isinstance(event, GraphEvent)
        seen.append(event.snapshot.stage if isinstance(event, GraphSeen) else event.kind)

    bus.subscribe(look)
    run_model(Model("test", add_model()), RunOptions(), bus)
    assert bus.failures == []
    assert seen == [*STAGES, *["pass_applied"] * 4]


def test_an_operator_runs_only_where_and_on_what_its_definition_says() -> None:
    with pytest.raises(ModelError) as caught:
        run(add_model(), options=RunOptions(profile="ascend310p"))
    assert caught.value.message == "operator AddExample of node add is not made for ascend310p"
    assert caught.value.hint == "it is made for: ascend910b"
    with pytest.raises(ModelError) as caught:
        run(add_model(dtype=DType.FLOAT16))
    assert caught.value.message == "operator AddExample of node add does not take (DT_FLOAT16, DT_FLOAT16)"
    assert caught.value.hint == "it takes (DT_FLOAT, DT_FLOAT) or (DT_INT32, DT_INT32)"


def test_memory_is_used_again_in_the_next_step() -> None:
    _, recorder = run(add_model(), options=RunOptions(steps=3))
    launches = [event.addresses for event in recorder.events() if isinstance(event, LaunchAddresses)]
    assert len(launches) == 3
    assert {frozenset(addresses or ()) for addresses in launches} == {frozenset(launches[0] or ())}


def test_inputs_of_two_shapes_are_refused_when_shapes_are_inferred() -> None:
    result, recorder = run(add_model(), options=RunOptions(inputs=("x1=9", "x2=8")))
    assert (result.status, result.steps, result.leaked_bytes) == (4294967295, 0, 0)
    assert [item.kernel for item in recorder.heard if item.level == Level.ERROR and item.kernel] == [
        "InferShape_add_125",
    ] * 3


def test_a_kernel_that_reads_too_far_dies_on_the_device_and_not_in_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("runtime.api.ge_process.builtin_ops", careless_ops)
    result, _ = run(add_model(), options=RunOptions(inputs=("x1=9", "x2=8")))
    assert (result.status, result.steps, result.leaked_bytes) == (507015, 0, 0)
    assert result.fault.startswith("add died on the device: ValueError")


def test_an_output_that_nobody_frees_counts_as_leaked_with_the_pages_of_its_pool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("runtime.api.simulate.free_output", lambda _tensor: None)
    result, _ = run(add_model())
    assert (result.status, result.peak_bytes, result.leaked_bytes) == (0, 65536, 65536)


def test_inf_and_nan_are_values_and_no_fault_of_the_device() -> None:
    process = open_process()
    assert process.executor.load(process.arg) == 0
    with np.errstate(all="raise"):
        status, value = process.step(floats(np.inf, 3e38, 1e-40), floats(-np.inf, 3e38, 0))
    assert status == 0
    assert value is not None
    assert np.array_equal(value, floats(np.nan, np.inf, 1e-40), equal_nan=True)


def test_constants_and_identity_run_too() -> None:
    graph = GraphBuilder("chain")
    x = graph.data("x", (-1,))
    weight = graph.const("w", (4,), floats(1, 2, 3, 4).tobytes())
    first = graph.op("AddExample", x, weight, name="first")
    copy = graph.op("Identity", first, name="copy", engine=GE_LOCAL)
    second = graph.op("AddExample", copy, first, name="second")
    result, _ = run(graph.output(second, copy).build(), options=RunOptions(inputs=("x=4",), steps=2))
    expected = result.inputs["x"] + floats(1, 2, 3, 4)
    assert (result.status, result.leaked_bytes) == (0, 0)
    assert np.array_equal(result.outputs["output_0_second_0"], 2 * expected)
    assert np.array_equal(result.outputs["output_1_copy_0"], expected)


def test_the_device_computes_when_it_comes_to_the_kernel_and_not_at_the_launch() -> None:
    process = open_process()
    assert process.executor.load(process.arg) == 0
    device = process.machine.device
    output = empty_output()
    assert process.executor.execute(process.arg, process.inputs(floats(1, 2), floats(10, 20)), [output]) == 0
    assert output.data is not None
    at_launch = device.hbm.read(output.data.addr, 8)
    assert device.synchronize(process.arg.stream) == 0
    after = device.hbm.read(output.data.addr, 8)
    assert (at_launch, after) == (bytes(8), floats(11, 22).tobytes())


@pytest.mark.parametrize("words", [("x1=7:int32", "x2=7:int32"), ("x1=():int32", "x2=():int32")])
def test_a_model_without_fixed_dimensions_takes_other_types_and_ranks(words: tuple[str, ...]) -> None:
    model = load_model("add_example", SAMPLES)
    result = run_model(model, RunOptions(inputs=words), Bus(now=lambda: 0))
    (y,) = result.outputs.values()
    x1, x2 = result.inputs.values()
    assert (result.status, y.dtype.name) == (0, "int32")
    assert np.array_equal(y, x1 + x2)
    assert model.graph.node("x1").op.outputs[0].dtype == DType.FLOAT


def test_a_type_that_the_operator_has_not_is_refused_before_the_run() -> None:
    with pytest.raises(ModelError, match=r"AddExample of node add does not take \(DT_FLOAT16, DT_FLOAT16\)"):
        run(add_model(), options=RunOptions(inputs=("x1=7:float16", "x2=7:float16")))
