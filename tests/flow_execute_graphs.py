"""Execute graphs with an If or a While, as lowering writes them, around kernels that only note that they ran."""

from collections.abc import Iterable

from standin_kernels import Standins, bare_machine

from runtime.executors.endpoints import Cells
from runtime.executors.execution_data import GraphExecutor
from runtime.executors.graph_builder import GraphBuilder
from runtime.executors.options import ExecutorOption
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.naming import IdSource
from runtime.graph.value_holder import HolderFactory, ValueHolder
from runtime.kernels.machine import Machine
from runtime.subscribers.phase import GraphType


def if_graph(branches: int = 2) -> ExecuteGraph:
    """``Index -> If(Then_0, Then_1 …) -> After``."""
    made = HolderFactory(ExecuteGraph("Main_30"), IdSource())
    index = made.single("GenIndexForIf")
    owner = made.many("If", 1, index)[0]
    with made.frame(made.subgraph(owner.node, "CondGraph")):
        signal = made.many("SwitchNotify", branches + 1, made.feed(0, "InnerData"))
        signal[0].node.attrs["_request_watcher"] = True
        made.void("WatcherPlaceholder", signal[0])
        wait = made.void("WaitAnyone")
        for branch in range(1, branches + 1):
            _guard(made, signal[branch], wait, branch)
    for branch in range(branches):
        with made.frame(made.subgraph(owner.node, f"branch_{branch}")):
            made.void("InnerNetOutput", made.single(f"Then{branch}"))
    made.single("After", made.hold(owner.node, 0))
    return made.root


def while_graph() -> ExecuteGraph:
    """``First -> While(GenCondForWhile; Body) -> After``."""
    made = HolderFactory(ExecuteGraph("Main_30"), IdSource())
    owner = made.many("While", 1, made.single("First"))[0]
    with made.frame(made.subgraph(owner.node, "control_frame")):
        enter, wait = made.void("Enter"), made.void("WaitAnyone")
        made.order(enter, wait)
        condition = made.single("GenCondForWhile", made.feed(0, "InnerData"))
        made.order(wait, condition)
        signal = made.many("CondSwitchNotify", 3, condition)
        signal[0].node.attrs["_request_watcher"] = True
        made.void("WatcherPlaceholder", signal[0])
        made.order(made.void("BranchPivot", signal[1]), made.void("BranchDone"))
        made.void("Exit", signal[2])
    with made.frame(made.subgraph(owner.node, "body")):
        made.void("InnerNetOutput", made.single("Body", made.feed(0, "InnerData")))
    made.single("After", made.hold(owner.node, 0))
    return made.root


def _guard(made: HolderFactory, signal: ValueHolder, wait: ValueHolder, branch: int) -> None:
    pivot, done = made.void("BranchPivot", signal), made.void("BranchDone")
    pivot.node.attrs["branch"] = done.node.attrs["branch"] = branch
    made.order(pivot, done)
    made.order(done, wait)


class FlowRun:
    """A graph of these, built; ``run`` gives the types of the kernels that ran, without those that are empty."""

    def __init__(
        self, root: ExecuteGraph, option: ExecutorOption, decisions: Iterable[int], machine: Machine | None = None
    ) -> None:
        self.kernels = Standins(decisions)
        self.machine = machine or bare_machine()
        builder = GraphBuilder(root, self.machine, self.kernels, Cells(root))
        self.executor = GraphExecutor(builder.build(root, GraphType.MAIN, option))
        self._loop = self.executor.data.loop()

    def run(self) -> list[str]:
        """Execute once; it must succeed."""
        assert self._loop.plain() == 0
        return [name.partition("_")[0] for _, name in self.kernels.take()]
