"""What an executor costs per kernel: loops against each other, against a bare loop, and against ONNX Runtime.

The sides take turns in one process and the median of the ratios counts, so a busy machine changes both.
"""

import gc
import tracemalloc
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter, perf_counter_ns
from typing import Any

import numpy as np
import pytest
from simulated_runs import empty_output, open_process
from standin_kernels import bare_machine

from getrace.events import Level
from runtime.api.host_tensors import to_array
from runtime.executors import loops, topological
from runtime.executors.execution_data import PlannedNode
from runtime.executors.loops import Plan
from runtime.executors.topological import Topology
from runtime.graph.builder import GraphBuilder
from runtime.kernels.context import Cell, KernelContext
from runtime.kernels.machine import Machine
from runtime.kernels.registry import RunFunc
from runtime.lowering.pipeline import lower_model
from runtime.subscribers.phase import GraphType
from runtime.subscribers.stamps import Stamps

TURNS = 25
EMPTY = 20_000
CHAIN = 1_000
WIDTH = 8
Sides = Mapping[str, Callable[[], object]]


def empty(_context: KernelContext) -> int:
    return 0


def add(context: KernelContext) -> int:
    first, second = context.inputs
    np.add(first.value, second.value, context.outputs[0].value)
    return 0


def bare(plan: Plan) -> int:
    for run, context in plan:
        status = run(context)
        if status:
            return status
    return 0


def plan_of(machine: Machine, run: RunFunc, cells: list[tuple[tuple[Cell, ...], tuple[Cell, ...]]]) -> Plan:
    contexts = (KernelContext(f"K_{at}", "K", *ends, None, machine) for at, ends in enumerate(cells))
    nodes = [PlannedNode(context.name, run, context, None) for context in contexts]
    return tuple((node.run, node.context) for node in nodes)


def add_chain(machine: Machine) -> Plan:
    one, value = Cell(np.ones(4, np.float32)), Cell(np.ones(4, np.float32))
    cells: list[tuple[tuple[Cell, ...], tuple[Cell, ...]]] = []
    for _ in range(CHAIN):
        output = Cell(np.empty(4, np.float32))
        cells.append(((value, one), (output,)))
        value = output
    return plan_of(machine, add, cells)


def in_a_row(count: int, *, priority: bool) -> Topology:
    """A topology in which each kernel waits for the one before."""
    watchers = (*([number + 1] for number in range(count - 1)), [])
    return Topology(watchers, (0, *[1] * (count - 1)), (0,), tuple(range(count)) if priority else None)


def in_lanes(count: int, *, priority: bool) -> Topology:
    """A topology of 8 chains side by side, so that 8 kernels are always ready; those of a row have one priority."""
    watchers = tuple([number + WIDTH] if number + WIDTH < count else [] for number in range(count))
    indegrees = (*[0] * WIDTH, *[1] * (count - WIDTH))
    return Topology(
        watchers,
        indegrees,
        tuple(range(WIDTH)),
        tuple(number // WIDTH for number in range(count)) if priority else None,
    )


def seconds(side: Callable[[], object]) -> float:
    start = perf_counter()
    side()
    return perf_counter() - start


def measured(sides: Sides, turns: int = TURNS) -> dict[str, list[float]]:
    for side in sides.values():
        side()
    times: dict[str, list[float]] = {name: [] for name in sides}
    gc.collect()
    for _ in range(turns):
        for name, side in sides.items():
            times[name].append(seconds(side))
    return times


def ratio(times: Mapping[str, list[float]], side: str, base: str) -> float:
    """The median of the ratios of the turns."""
    return median(a / b for a, b in zip(times[side], times[base], strict=True))


@pytest.mark.bench
@pytest.mark.parametrize(("topology", "heap_limit"), [(in_a_row, 18), (in_lanes, 18)])
def test_loops_over_empty_kernels(topology: Callable[..., Topology], heap_limit: int) -> None:
    plan = plan_of(bare_machine(), empty, [((), ())] * EMPTY)
    fifo, heap = topology(EMPTY, priority=False), topology(EMPTY, priority=True)
    times = measured(
        {
            "bare": lambda: bare(plan),
            "sequential": lambda: loops.run_plain(plan),
            "fifo": lambda: topological.run_plain(plan, fifo),
            "priority": lambda: topological.run_plain(plan, heap),
        }
    )
    one = median(times["sequential"]) / EMPTY * 1e9
    plain = ratio(times, "sequential", "bare")
    first, urgent = ratio(times, "fifo", "sequential"), ratio(times, "priority", "sequential")
    print(
        f"\n{topology.__name__}: a kernel {one:.0f} ns, sequential {plain:.2f} x bare, fifo {first:.1f} x, "
        f"priority {urgent:.1f} x sequential"
    )
    assert plain <= 1.3
    assert one <= 100
    assert first <= 6
    assert urgent <= heap_limit


@pytest.mark.bench
def test_loops_over_a_chain_of_adds() -> None:
    plan = add_chain(bare_machine())
    fifo, heap = in_a_row(CHAIN, priority=False), in_a_row(CHAIN, priority=True)
    stamps = Stamps(CHAIN, perf_counter_ns)
    times = measured(
        {
            "sequential": lambda: loops.run_plain(plan),
            "stamped": lambda: loops.run_stamped(plan, stamps),
            "fifo": lambda: topological.run_plain(plan, fifo),
            "priority": lambda: topological.run_plain(plan, heap),
        },
        turns=200,
    )
    shown = {side: ratio(times, side, "sequential") for side in times}
    one = median(times["sequential"]) / CHAIN * 1e9
    print(
        f"\na chain of Adds: {one:.0f} ns each; " + ", ".join(f"{side} {value:.2f} x" for side, value in shown.items())
    )
    assert shown["fifo"] <= 2
    assert shown["priority"] <= 2
    assert shown["stamped"] <= 2


def onnx_sessions(folder: Path) -> tuple[Any, Any]:
    """The chain in ONNX Runtime, single-threaded and unfused, without and with its profiler."""
    runtime, helper = import_module("onnxruntime"), import_module("onnx.helper")
    nodes = [helper.make_node("Add", [f"t{at}", "c"], [f"t{at + 1}"]) for at in range(CHAIN)]
    ends = [[helper.make_tensor_value_info(name, 1, [4])] for name in ("t0", f"t{CHAIN}")]
    graph = helper.make_graph(nodes, "chain", *ends, [helper.make_tensor("c", 1, [4], [1.0] * 4)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    sessions = []
    for profiled in (False, True):
        options = runtime.SessionOptions()
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        options.enable_profiling = profiled
        options.profile_file_prefix = str(folder / "profile")
        sessions.append(runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"]))
    return sessions[0], sessions[1]


@pytest.mark.bench
@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="ONNX Runtime is not installed")
def test_the_loop_against_onnx_runtime_on_a_chain_of_adds(tmp_path: Path) -> None:
    plan = add_chain(bare_machine())
    stamps = Stamps(CHAIN, perf_counter_ns)
    plain, profiled = onnx_sessions(tmp_path)
    fed = {"t0": np.ones(4, np.float32)}
    times = measured(
        {
            "sequential": lambda: loops.run_plain(plan),
            "stamped": lambda: loops.run_stamped(plan, stamps),
            "onnx": lambda: plain.run(None, fed),
            "profiled": lambda: profiled.run(None, fed),
        },
        turns=60,
    )
    against = ratio(times, "sequential", "onnx")
    print(f"\nour loop {against:.2f} x ONNX Runtime; timing costs us {ratio(times, 'stamped', 'sequential'):.2f} x, "
          f"it {ratio(times, 'profiled', 'onnx'):.1f} x")  # fmt: skip
    assert against <= 1.0
    assert plan[-1][1].output(0)[0] == CHAIN + 1


@pytest.mark.bench
def test_the_plain_loop_allocates_nothing_per_kernel() -> None:
    machine = bare_machine()
    peaks: list[int] = []
    for count in (1_000, 10_000):
        plan = plan_of(machine, empty, [((), ())] * count)
        loops.run_plain(plan)
        tracemalloc.start()
        loops.run_plain(plan)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    print(f"\npeaks of 1,000 and 10,000 kernels: {peaks} bytes")
    assert peaks[1] == peaks[0]


@pytest.mark.bench
def test_the_chain_lowered_and_run_from_end_to_end_is_stated() -> None:
    builder = GraphBuilder("chain")
    one, value = builder.data("one", (-1,)), builder.data("x", (-1,))
    for number in range(CHAIN):
        value = builder.op("Add", value, one, name=f"add_{number}")
    graph = builder.output(value).build()
    start = perf_counter()
    root = lower_model(graph).root
    lowering = perf_counter() - start
    process = open_process(level=Level.ERROR, lowered=root)
    ones = np.ones(4, np.float32)
    inputs, output = process.inputs(ones, ones), empty_output()
    assert process.executor.load(process.arg) == 0
    device = process.machine.device
    start, clock, busy = perf_counter(), device.clock.ns, device.device_time_ns
    assert process.executor.execute(process.arg, inputs, [output]) == 0
    launched, host_ns = perf_counter(), device.clock.ns - clock
    assert device.synchronize(process.arg.stream) == 0
    done = perf_counter()
    assert to_array(device, output).tolist() == [CHAIN + 1.0] * 4
    kernels = len(process.executor.model.graphs[GraphType.MAIN].data.nodes)
    print(
        f"\nlowered in {lowering:.2f} s to {kernels} kernels; here host {1e3 * (launched - start):.0f} ms, "
        f"device {1e3 * (done - launched):.0f} ms; simulated host {host_ns / 1e6:.1f} ms, "
        f"device {(device.device_time_ns - busy) / 1e6:.1f} ms"
    )
