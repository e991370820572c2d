"""Priorities of Main, rule by rule (spec/lowering.md 8.2)."""

import pytest
from small_graphs import SmallGraph

from runtime.graph.execute_graph import FastNode
from runtime.lowering.priority import UNSET, assign_priorities

PLACES = [2, 5, 7]


def priorities(graph: SmallGraph, *nodes: FastNode) -> list[object]:
    assign_priorities(graph.root, PLACES)
    return [node.attrs["priority"] for node in nodes]


@pytest.mark.parametrize(
    ("type_name", "priority"),
    [
        ("LaunchKernelWithHandle", 59),
        ("AtomicLaunchKernelWithFlag", 54),
        ("AicpuLaunchTfKernel", 59),
        ("LaunchCmoTask", 59),
        ("ExecuteOpFunc", 59),
        ("CopyD2D", 59),
        ("InferShape", UNSET),
        ("AllocMemHbm", UNSET),
    ],
)
def test_a_target_has_the_place_of_its_operator(type_name: str, priority: int) -> None:
    graph = SmallGraph()
    assert priorities(graph, graph.kernel("node", type_name, ComputeNodeIndex=1)) == [priority]


def test_what_a_target_needs_has_its_priority_and_the_earliest_target_wins() -> None:
    graph = SmallGraph()
    shared, own = graph.kernel("shared", "SelectL2Allocator"), graph.kernel("own", "Const")
    order = graph.kernel("order", "NoOp")
    late = graph.kernel("late", "LaunchKernelWithHandle", shared, own, after=[order], ComputeNodeIndex=2)
    early = graph.kernel("early", "LaunchKernelWithHandle", shared, ComputeNodeIndex=0)
    assert priorities(graph, shared, own, order, late, early) == [29, 79, 79, 79, 29]


def test_a_launch_of_no_operator_goes_on_counting() -> None:
    graph = SmallGraph()
    first = graph.kernel("first", "LaunchKernelWithHandle", ComputeNodeIndex=1)
    second, third = graph.kernel("second", "CopyD2D"), graph.kernel("third", "CopyD2D")
    assert priorities(graph, first, second, third) == [59, 60, 61]


def test_memory_is_given_back_right_behind_the_last_that_used_it() -> None:
    graph = SmallGraph()
    alloc = graph.kernel("alloc", "AllocMemHbm")
    first = graph.kernel("first", "LaunchKernelWithHandle", alloc, ComputeNodeIndex=0)
    last = graph.kernel("last", "LaunchKernelWithHandle", alloc, ComputeNodeIndex=2)
    check = graph.kernel("check", "EnsureTensorAtOutMemory", alloc, after=[last])
    free = graph.free("free", alloc, first, check)
    unread = graph.kernel("unread", "InferShape")
    assert priorities(graph, alloc, free, check, unread) == [29, 79, 79, UNSET]


def test_events_are_sent_one_later_than_what_they_tell_of_even_if_a_launch_waits_for_them() -> None:
    graph = SmallGraph()
    first = graph.kernel("first", "LaunchKernelWithHandle", ComputeNodeIndex=0)
    send = graph.kernel("send", "SendEvents", outputs=0, after=[first])
    second = graph.kernel("second", "LaunchKernelWithHandle", after=[send], ComputeNodeIndex=1)
    assert priorities(graph, first, send, second) == [29, 30, 59]


def test_the_choice_of_a_branch_is_as_early_and_its_end_as_late_as_anything_inside() -> None:
    graph = SmallGraph()
    choice = graph.kernel("choice", "If", graph.kernel("cond", "GenIndexForIf"), ComputeNodeIndex=0)
    frame = graph.branch(choice, "frame")
    notify = graph.add(frame, "notify", "SwitchNotify", graph.inner(frame, "f0", 0))
    pivot = graph.add(frame, "pivot", "BranchPivot", notify, outputs=0)
    done = graph.add(frame, "done", "BranchDone", outputs=0, after=[pivot])
    wait = graph.add(frame, "wait", "WaitAnyone", outputs=0, after=[done])
    body = graph.branch(choice, "body")
    launch = graph.add(body, "launch", "LaunchKernelWithHandle", ComputeNodeIndex=2)
    left = graph.add(body, "left", "IdentityShape")
    assert priorities(graph, choice, notify, pivot, done, wait, launch, left) == [29, 29, 29, 79, 79, 79, 29]


def test_init_has_no_priorities() -> None:
    graph = SmallGraph()
    graph.kernel("launch", "LaunchKernelWithHandle", ComputeNodeIndex=0)
    assign_priorities(graph.root, PLACES)
    assert "priority" not in graph.exit.attrs
