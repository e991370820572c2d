"""Random wait-for graphs: the planted root is found, alone and first, and planted circles are found whole."""

import random

from handmade_waits import WaitLog, hangs_of
from hypothesis import given, settings
from hypothesis import strategies as st

from getrace.analysis.hangs import graph

Edges = dict[int, list[int]]


@st.composite
def trees(draw: st.DrawFn) -> Edges:
    """Nodes 1 to n of which each waits for one or more smaller ones, named in any order; 0 waits for nobody."""
    size, seed = draw(st.integers(2, 40)), draw(st.integers(0, 1 << 32))
    dice = random.Random(seed)
    names = dice.sample(range(size), size)
    picks = {node: dice.sample(range(node), dice.randint(1, min(3, node))) for node in range(1, size)}
    order = dice.sample(sorted(picks), size - 1)
    return {names[node]: [names[other] for other in picks[node]] for node in order} | {names[0]: []}


@given(trees())
def test_the_only_node_that_waits_for_nobody_is_the_root(edges: Edges) -> None:
    (root,) = [node for node, waits in edges.items() if not waits]
    assert graph.roots(edges) == [root]
    assert graph.behind(edges, root) == set(edges) - {root}
    assert graph.cycles(edges) == []


@given(trees(), st.integers(1, 6))
def test_a_circle_at_the_end_of_all_waits_is_the_root_as_a_whole(edges: Edges, length: int) -> None:
    (root,) = [node for node, waits in edges.items() if not waits]
    ring = [root, *(100 + number for number in range(length))]
    closed = edges | {node: [ring[(at + 1) % len(ring)]] for at, node in enumerate(ring)}
    assert [set(found) for found in graph.cycles(closed)] == [set(ring)]
    assert set(graph.roots(closed)) == set(ring)


@given(trees(), st.integers(1, 6))
def test_a_circle_that_something_leads_out_of_is_no_root(edges: Edges, length: int) -> None:
    (root,) = [node for node, waits in edges.items() if not waits]
    ring = [100 + number for number in range(length + 1)]
    opened = edges | {node: [ring[(at + 1) % len(ring)]] for at, node in enumerate(ring)}
    opened[ring[0]] = [*opened[ring[0]], root]
    assert graph.roots(opened) == [root]
    assert [set(found) for found in graph.cycles(opened)] == [set(ring)]


def test_a_chain_longer_than_the_stack_of_python_is_walked() -> None:
    edges = {node: [node + 1] for node in range(20_000)}
    assert graph.roots(edges) == [20_000]
    assert graph.cycles(edges | {20_000: [0]}) == [tuple(range(20_001))]


@st.composite
def stuck_streams(draw: st.DrawFn) -> dict[int, int]:
    """Streams 1 to n of which each waits for an event of one smaller stream; stream 0 stands at a kernel."""
    size = draw(st.integers(2, 12))
    return {stream: draw(st.integers(0, stream - 1)) for stream in range(1, size)}


@settings(max_examples=40)
@given(stuck_streams(), st.data())
def test_the_stream_that_stands_at_a_kernel_is_the_root_of_all_waits(
    waits: dict[int, int], data: st.DataObject
) -> None:
    names = data.draw(st.permutations(range(len(waits) + 1)))
    log = WaitLog()
    log.launch(names[0], "LaunchKernelWithFlag_planted_0")
    for stream, other in waits.items():
        log.record(stream, names[other], f"SendEvents_n{other}_{stream}")
        log.wait(stream, names[stream], f"WaitEvents_n{stream}_{stream}")
    log.launch(60, "LaunchKernelWithFlag_elsewhere_0")
    log.done(60, 0)
    last = max(waits)
    log.sync(names[last])
    log.gave_up(names[last])
    hangs = hangs_of(log)
    (root,) = [hang for hang in hangs.streams if hang.root]
    assert (root.kernel, root.stream.rt) == ("LaunchKernelWithFlag_planted_0", 20 + names[0])
    assert hangs.root_of(370) == root
    for hang in hangs.streams:
        walked = hang
        while walked.on is not None:
            walked = hangs.streams[walked.on]
        assert walked is root
