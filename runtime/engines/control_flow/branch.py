"""Branches: a node that owns one graph per branch and the graph that decides which of them runs.

It owns the kernels of the decision and what leaves a branch: who releases a value that was made inside, and which
value an output of the node shares. The operators If and Case use it, and converters that must decide at run time
(an empty output, a fall-back). If each of them ended branches itself, memory made in a branch would be freed in it.

Source: spec/lowering.md 4.12 (GE's ``bg::If``).
"""

from collections.abc import Callable, Sequence

from getrace.errors import ModelError
from runtime.engines.context import LoweringContext
from runtime.engines.control_flow.leaving import settle_guarders, settle_sources
from runtime.graph.execute_graph import FastNode
from runtime.graph.value_holder import HolderFactory, ValueHolder
from runtime.values import Placement

Build = Callable[[], Sequence[ValueHolder]]
"""Writes the kernels of a branch; what it gives leaves the branch."""

THEN, ELSE = "then_graph", "else_graph"


def if_else(context: LoweringContext, condition: ValueHolder, then: Build, else_: Build) -> list[ValueHolder]:
    """Run ``then`` when the number in ``condition`` is 0 and ``else_`` when it is 1; gives the outputs of the If node.

    What both branches release is released outside. Raises ModelError when one branch gives more than the other.
    """
    return select(context, "If", [condition], {THEN: then, ELSE: else_})


def select(
    context: LoweringContext, kind: str, inputs: Sequence[ValueHolder], branches: dict[str, Build]
) -> list[ValueHolder]:
    """Write a node of type ``kind`` whose input 0 is the number of the branch to run; gives its outputs.

    A branch that a value leaves with its guarder loses the guarder, and the output gets one of the same type.
    """
    holders = context.holders
    owner = holders.void(kind, *inputs).node
    _decide(holders, owner, len(branches))
    ends: list[FastNode] = []
    given: list[list[ValueHolder]] = []
    for number, (name, build) in enumerate(branches.items()):
        with holders.frame(holders.subgraph(owner, name)):
            given.append(list(build()))
            ends.append(holders.export(given[-1]))
        if len(given[-1]) != len(given[0]):
            raise ModelError(
                f"Failed to create branch graphs, {number} th({name}) outputs num are different with first"
                f"({next(iter(branches))}) {len(given[-1])}/{len(given[0])}",
                f"all branches of {owner.name} give the same outputs",
            )
    guarders = settle_guarders(owner, ends)
    settle_sources(owner, ends)
    return _outputs(holders, owner, given, guarders)


def _decide(holders: HolderFactory, owner: FastNode, branches: int) -> None:
    """Write graph 0: the notify that wakes one pivot, and the kernel that goes on when one branch is done."""
    with holders.frame(holders.subgraph(owner, "CondGraph")):
        notify = holders.many("SwitchNotify", branches + 1, holders.inner_data(0))
        notify[0].node.attrs["_request_watcher"] = True
        holders.void("WatcherPlaceholder", notify[0])
        wait = holders.void("WaitAnyone")
        for number in range(1, branches + 1):
            pivot = holders.void("BranchPivot", notify[number])
            done = holders.void("BranchDone")
            pivot.node.attrs["branch"] = done.node.attrs["branch"] = number
            holders.order(pivot, done)
            holders.order(done, wait)


def _outputs(
    holders: HolderFactory, owner: FastNode, given: Sequence[Sequence[ValueHolder]], guarders: dict[int, str]
) -> list[ValueHolder]:
    outputs = [holders.hold(owner, owner.graph.add_output(owner)) for _ in given[0]]
    for index, output in enumerate(outputs):
        places = {branch[index].placement for branch in given}
        output.placement = places.pop() if len(places) == 1 else Placement.END
        output.stream_id = given[0][index].stream_id
    for index, type_name in guarders.items():
        holders.guarder(type_name, outputs[index])
    return outputs
