"""What becomes of a model when something goes wrong, by kind of fault and executor, as a table.

Four ends: a named error (the status and the line that shows it first), no error but more time, no error but wrong
numbers, a process that is gone. After every one but the last the model is unloaded with nothing left, and the same
process runs it again.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest
from simulated_runs import OpenProcess, open_process

from getrace.events import Event, Level
from getrace.events.text import LogLine
from getrace.plog.codec import spell
from getrace.plog.row import RT2_2026
from runtime.device.fault_plan import ProcessKilled
from runtime.device.fault_spec import KINDS
from runtime.executors.builder import build_executor
from runtime.executors.options import ExecutorKind, ExecutorOption, MultiThreadExecutorOption
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.stream_assign import assign_events
from runtime.kernels.families import builtin_kernels
from runtime.lowering.pipeline import lower_model

Array = npt.NDArray[np.float32]
FAILED, PARAM_INVALID, KILLED = 4294967295, 1343225857, -9
TIMED_OUT = 107020
AI_CPU: Final = "aicpu_ascend_kernel"
SHAPE = (4, 256)
STEPS = 2
EXECUTORS: Final[dict[str, ExecutorOption]] = {
    "sequential": ExecutorOption(ExecutorKind.SEQUENTIAL),
    "topological": ExecutorOption(ExecutorKind.TOPOLOGICAL),
    "priority": ExecutorOption(ExecutorKind.PRIORITY),
    "workers-in-turn": MultiThreadExecutorOption(thread_num=3, seed=5),
    "threads": MultiThreadExecutorOption(thread_num=3),
}


@dataclass(frozen=True, slots=True)
class End:
    """What comes of a run: the status that ends it, the step it ends at, words of the first error record.

    ``step`` -1 is Load. A status of 0 with ``equal`` False are wrong numbers, with ``slower`` True a longer run.
    """

    status: int = 0
    step: int = STEPS
    first: str = ""
    equal: bool = True
    slower: bool = False


TABLE: Final = {
    # The first allocation that fails is repeated, because pages in the pools could come free; here none do.
    "malloc#1": End(first="[Call][aclrtMallocWithCfg] failed"),
    "stream#2": End(PARAM_INVALID, -1, "driver error:resource alloc fail"),
    "event#1": End(PARAM_INVALID, -1, "driver error:no event resource"),
    "event#3": End(PARAM_INVALID, -1, "driver error:no event resource"),
    "notify#1": End(PARAM_INVALID, -1, "driver error:no notify resource"),
    "launch#1": End(FAILED, 0, "internal error"),
    "launch@second#2": End(FAILED, 1, "internal error"),
    "launch@LaunchKernelWithHandle#2:507899": End(FAILED, 0, "ErrCode=507899"),
    "copy#1": End(FAILED, 0, "internal error"),
    "copy#2": End(FAILED, 1, "internal error"),
    "aicore": End(507015, 0, "aicore exception"),
    "aicore@sum#2": End(507015, 1, "aicore exception"),
    "aicore@Relu:507035": End(507035, 0, "vector core exception"),
    "aicpu@Neg": End(507018, 0, "aicpu exception"),
    "timeout@sum": End(507014, 0, "aicore timeout"),
    "timeout@second": End(507017, 0, "aicpu timeout"),
    "lost-event#1": End(TIMED_OUT, 0, "stream sync timeout"),
    "lost-event#4": End(TIMED_OUT, 1, "stream sync timeout"),
    "slow@second:1000": End(slower=True),
    "slow@sum#2:1000": End(slower=True),
    "bitflip@first:30": End(equal=False),
    "bitflip@sum#2:7": End(equal=False),
    "oom": End(FAILED, 0, "[Call][aclrtMallocWithCfg] failed"),
    "oom:65536": End(FAILED, 0, "[Call][aclrtMallocWithCfg] failed"),
    "kill@second#2": End(KILLED, 1),
    "kill": End(KILLED, 0),
}


def model() -> ComputeGraph:
    """y = relu(x) + neg(x): stream 0 on the AI Cores, stream 1 on the AI CPU."""
    graph = GraphBuilder("faulty")
    x = graph.data("x", (-1, -1))
    first = graph.op("Relu", x, name="first")
    second = graph.op("Neg", x, name="second", engine=AI_CPU, stream=1)
    built = graph.output(graph.op("Add", first, second, name="sum")).build()
    assign_events(built)
    return built


def inputs(step: int) -> Array:
    return np.random.default_rng(step).standard_normal(SHAPE).astype(np.float32)


def expected(x: Array) -> Array:
    return np.maximum(x, 0) - x


def lowered() -> ExecuteGraph:
    """The model, with one notify that nobody uses: it is acquired at each Execute all the same."""
    root = lower_model(model()).root
    root.attrs["ModelDesc"] = replace(root.attrs["ModelDesc"], reusable_notify_num=1)  # type: ignore[type-var]
    return root


def run(process: OpenProcess) -> tuple[End, int]:
    """Load and execute; gives how it ended and how long the device was at work."""
    status = process.executor.load(process.arg)
    step, equal = -1, True
    if not status:
        for step in range(STEPS):
            x = inputs(step)
            status, values = process.outputs([x], 1)
            if status:
                break
            equal = equal and np.array_equal(values[0], expected(x))
        else:
            step = STEPS
    return End(status, step, equal=equal), process.machine.device.device_time_ns


def ended(kind: ExecutorOption, process: OpenProcess) -> End:
    """Run beside a process without a fault; gives the end without its words."""
    clean = open_process(executor=kind, lowered=lowered(), profile="tiny")
    end, time = run(process)
    _, usual = run(clean)
    return replace(end, slower=not end.status and time > 2 * usual)


def opened(fault: str, kind: ExecutorOption) -> OpenProcess:
    return open_process(executor=kind, lowered=lowered(), profile="tiny", faults=[fault])


def words(event: Event) -> str:
    return event.text if isinstance(event, LogLine) else spell(event, None, RT2_2026)[1]


def leave(process: OpenProcess) -> None:
    """Unload and destroy the executor, and hold that its device has nothing of it left."""
    device = process.machine.device
    device.abort()
    if process.executor.state:
        assert process.executor.unload() == 0
    process.executor.close()
    assert list(device.streams) == [0, process.arg.stream]


@pytest.mark.parametrize("name", EXECUTORS)
@pytest.mark.parametrize("fault", [fault for fault, end in TABLE.items() if end.status != KILLED])
def test_a_fault_ends_as_the_table_says_and_the_process_runs_on(fault: str, name: str) -> None:
    wanted, kind = TABLE[fault], EXECUTORS[name]
    process = opened(fault, kind)
    end = ended(kind, process)
    errors = [words(item.event) for item in process.recorder.heard if item.level == Level.ERROR]
    assert replace(end, first="") == replace(wanted, first="")
    assert bool(errors) == bool(wanted.first)
    assert wanted.first in "".join(errors[:1])
    assert process.machine.device.faults.unmet() == []
    leave(process)
    again(process, kind)


def again(process: OpenProcess, kind: ExecutorOption) -> None:
    """Run the model once more in the same process, without faults, and end the process with nothing left."""
    machine = process.machine
    machine.device.faults.clear()
    machine.device.hbm.capacity = machine.device.total_bytes
    process.executor = build_executor(lowered(), machine, builtin_kernels(), kind)
    end, _ = run(process)
    assert end == End()
    leave(process)
    assert machine.memory.finalize()
    assert (machine.device.hbm.used, machine.device.host.used) == (0, 0)


@pytest.mark.parametrize("name", EXECUTORS)
@pytest.mark.parametrize("fault", [fault for fault in TABLE if fault.startswith("kill")])
def test_a_killed_process_says_nothing_more(fault: str, name: str) -> None:
    process = opened(fault, EXECUTORS[name])
    with pytest.raises(ProcessKilled, match="killed at the launch of"):
        run(process)
    assert [item.event for item in process.recorder.heard if item.level == Level.ERROR] == []


def test_the_table_has_every_kind_of_fault() -> None:
    assert {fault.partition("@")[0].partition("#")[0].partition(":")[0] for fault in TABLE} == set(KINDS)
