"""The topological loops: what runs when, after a failure, and who is told."""

from collections.abc import Callable

import pytest
from kernel_runs import Workbench

from getrace.errors import ModelError
from runtime.executors import topological
from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import ExecutionData, GraphExecutor, PlannedNode
from runtime.executors.graph_builder import GraphBuilder
from runtime.executors.options import ExecutorKind, ExecutorOption
from runtime.executors.queues import PriorityQueue
from runtime.executors.selection import select
from runtime.executors.topological import Topology
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.graph.naming import IdSource
from runtime.graph.value_holder import HolderFactory
from runtime.kernels.context import KernelContext
from runtime.kernels.registry import Kernel
from runtime.subscribers.phase import ExecNode, ExecutorEvent, GraphType

DIAMOND = Topology(([1, 2], [3], [3], []), (0, 1, 1, 2), (0,))


def nodes(ran: list[str], fails: Callable[[int], int]) -> list[PlannedNode]:
    bench = Workbench()

    def kernel(number: int) -> PlannedNode:
        def run(context: KernelContext) -> int:
            ran.append(context.name)
            return fails(number)

        return PlannedNode(f"n{number}", run, KernelContext(f"n{number}", "NoOp", (), (), None, bench.machine), None)

    return [kernel(number) for number in range(4)]


def both_ways(planned: list[PlannedNode], topology: Topology) -> list[int]:
    plan = [(node.run, node.context) for node in planned]
    told = topological.run_traced(planned, topology, GraphType.MAIN, lambda *_told: None)
    return [topological.run_plain(plan, topology), told]


def test_a_kernel_runs_when_all_it_waits_for_have_run() -> None:
    ran: list[str] = []
    assert both_ways(nodes(ran, lambda _number: 0), DIAMOND) == [0, 0]
    assert ran == ["n0", "n1", "n2", "n3"] * 2


def test_the_first_failure_ends_the_run_and_the_next_starts_clean() -> None:
    ran: list[str] = []
    statuses = iter([0, 0, 7, 0, 0, 0, 0])
    planned = nodes(ran, lambda _number: next(statuses))
    plan = [(node.run, node.context) for node in planned]
    assert topological.run_plain(plan, DIAMOND) == 7
    assert topological.run_plain(plan, DIAMOND) == 0
    assert ran == ["n0", "n1", "n2", "n0", "n1", "n2", "n3"]


def test_subscribers_hear_of_each_kernel_and_of_no_end_after_a_failure() -> None:
    heard: list[tuple[str, str, int]] = []

    def listen(_graph: GraphType, event: ExecutorEvent, node: ExecNode | None, status: int) -> None:
        heard.append((event.name, "" if node is None else node.name, status))

    planned = nodes([], lambda number: 5 if number == 1 else 0)
    data = ExecutionData("Main_30", GraphType.MAIN, tuple(planned), (), (), DIAMOND)
    assert data.topology is DIAMOND
    assert topological.run_traced(planned, DIAMOND, GraphType.MAIN, listen) == 5
    assert heard == [
        ("MODEL_START", "", 0),
        ("EXECUTE_START", "n0", 0),
        ("EXECUTE_END", "n0", 0),
        ("EXECUTE_START", "n1", 0),
        ("EXECUTE_END", "n1", 5),
    ]
    heard.clear()
    topological.run_traced(nodes([], lambda _number: 0), DIAMOND, GraphType.MAIN, listen, starts=False)
    ends = [("EXECUTE_END", f"n{number}", 0) for number in range(4)]
    assert heard == [("MODEL_START", "", 0), *ends, ("MODEL_END", "", 0)]


def test_a_closed_executor_runs_nothing() -> None:
    data = ExecutionData("Main_30", GraphType.MAIN, tuple(nodes([], lambda _number: 9)), (), (), DIAMOND)
    assert GraphExecutor(data).emptied().data.topology is None


@pytest.mark.parametrize(
    ("priorities", "order"),
    [
        ([3, 1, 2, 0], [3, 1, 2, 0]),
        ([29, 29, 29], [0, 2, 1]),
        ([29, 29, 29, 29], [0, 3, 2, 1]),
        ([5, 5, 1], [2, 0, 1]),
    ],
)
def test_the_most_urgent_runs_first_and_equals_leave_as_a_binary_heap_gives_them(
    priorities: list[int], order: list[int]
) -> None:
    queue = PriorityQueue(priorities, len(priorities))
    assert [queue.push(number) for number in range(len(priorities))] == [0] * len(priorities)
    assert [queue.pop() for _ in priorities] == order
    assert queue.pop() is None


def holders() -> HolderFactory:
    return HolderFactory(ExecuteGraph("Main_30"), IdSource())


def switch(made: HolderFactory, broken: str = "") -> FastNode:
    """An If with two branches of one kernel each, as bg::If builds it; ``broken`` leaves something out."""
    index = made.single("GenIndexForIf")
    owner = made.many("If", 1, index)[0].node
    with made.frame(made.subgraph(owner, "CondGraph")):
        inner = made.feed(0, "InnerData")
        signal = made.many("SwitchNotify", 3, inner)
        signal[0].node.attrs["_request_watcher"] = True
        made.void("WatcherPlaceholder", signal[0])
        wait = None if broken == "WaitAnyone" else made.void("WaitAnyone")
        for branch in (1, 2):
            pivot, done = made.void("BranchPivot", signal[branch]), made.void("BranchDone")
            if broken != "branch":
                pivot.node.attrs["branch"] = done.node.attrs["branch"] = branch
            made.order(pivot, done)
            if wait is not None:
                made.order(done, wait)
    for name in ("then_graph", "else_graph"):
        with made.frame(made.subgraph(owner, name)):
            value = made.single(f"Make_{name}")
            if broken != "InnerNetOutput":
                made.void("InnerNetOutput", value)
    return owner


def test_branches_share_the_value_of_the_output_of_their_owner() -> None:
    made = holders()
    owner = switch(made)
    cells = Cells(made.root)
    makers = [node for node in made.root.all_nodes() if node.type.startswith("Make_")]
    assert len(makers) == 2
    assert {id(cells.of_output(maker, 0)) for maker in makers} == {id(cells.of_output(owner, 0))}


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        ("WaitAnyone", "Key node WaitAnyone not found in cond graph of node If_2"),
        ("branch", "Failed to get attr 'branch' from node BranchDone_"),
        ("InnerNetOutput", "No InnerNetOutput node in subgraph 1 from node If_2"),
    ],
)
def test_control_flow_that_lacks_a_key_node_is_refused(broken: str, text: str) -> None:
    made = holders()
    owner = switch(made, broken)
    made.void("After", made.hold(owner, 0))
    bench = Workbench()
    kinds = {node.type for node in made.root.all_nodes()}
    for kind in sorted(kinds - {kernel.type for kernel in bench.kernels}):
        bench.kernels.add(Kernel(kind, lambda _context: 0))
    builder = GraphBuilder(made.root, bench.machine, bench.kernels, Cells(made.root))
    with pytest.raises(ModelError, match=text):
        builder.build(made.root, GraphType.MAIN, ExecutorOption())


def test_the_sequential_executor_refuses_control_flow() -> None:
    made = holders()
    switch(made)
    bench = Workbench()
    builder = GraphBuilder(made.root, bench.machine, bench.kernels, Cells(made.root))
    with pytest.raises(ModelError, match="node If_2 of graph Main_30 is control flow"):
        builder.build(made.root, GraphType.MAIN, ExecutorOption(ExecutorKind.SEQUENTIAL))


@pytest.mark.parametrize(
    ("launches", "control", "kind"),
    [
        (9, False, "sequential-executor"),
        (4, True, "general-topo-executor"),
        (5, True, "priority-topo-executor"),
    ],
)
def test_the_executor_follows_from_control_flow_and_the_number_of_launches(
    launches: int, control: bool, kind: str
) -> None:
    made = holders()
    if control:
        switch(made)
    for _ in range(launches):
        made.void("AicpuLaunchTfKernel")
    assert select(made.root.all_nodes()) == kind
