"""ConstantExpressionMotion (spec/lowering.md 7.2): what moves to Init, what stays, and how the two are joined."""

import pytest
from small_graphs import SmallGraph, line, lines

from runtime.graph.execute_graph import FastNode
from runtime.lowering.passes.constant_expressions import ConstantExpressionMotion
from runtime.lowering.passes.kernel_kinds import ALLOCATIONS


def tiling() -> tuple[SmallGraph, FastNode, FastNode]:
    graph = SmallGraph()
    platform = graph.from_init("platform_in", graph.add(graph.init, "platform", "GetPlatformInfo"))
    parse = graph.kernel("parse", "TilingParse", graph.kernel("json", "Const"), platform)
    tile = graph.kernel("tile", "CacheableTiling", graph.kernel("x", "Data", index=0), parse)
    return graph, parse, tile


def test_what_follows_from_constants_alone_is_computed_on_init() -> None:
    graph, _, _ = tiling()
    assert graph.apply(ConstantExpressionMotion()) == (
        ("CEM_NoOp_0", "CEM_Main_graph_InnerData_0"),
        ("platform_in",),
        ("parse", "tile", "exit", "Main"),
        ("json", "parse"),
    )
    assert lines(graph.init) == [
        "exit InnerNetOutput(platform.0, parse.0)",
        "platform GetPlatformInfo()",
        "json Const()",
        "parse TilingParse(json.0, platform.0) after CEM_NoOp_0",
        "CEM_NoOp_0 NoOp() after platform",
    ]
    assert lines(graph.main) == [
        "x Data()",
        "tile CacheableTiling(x.0, CEM_Main_graph_InnerData_0.0)",
        "CEM_Main_graph_InnerData_0 InnerData()",
    ]
    assert lines(graph.root)[-1] == "Main Main(Init.1)"


def test_a_second_run_finds_nothing_and_keeps_counting() -> None:
    graph, _, tile = tiling()
    motion = ConstantExpressionMotion()
    graph.apply(motion)
    assert graph.apply(motion, 2) is None
    graph.main.add_edge(graph.kernel("late", "Const"), 0, tile, 2)
    assert graph.apply(motion, 3) == (("CEM_Main_graph_InnerData_1",), (), ("tile", "exit", "Main"), ("late",))
    assert line(tile) == "tile CacheableTiling(x.0, CEM_Main_graph_InnerData_0.0, CEM_Main_graph_InnerData_1.0)"


def test_every_const_of_main_moves_even_one_nobody_reads() -> None:
    graph = SmallGraph()
    graph.kernel("unread", "Const")
    assert graph.apply(ConstantExpressionMotion()) == ((), (), (), ("unread",))
    assert lines(graph.main) == []


@pytest.mark.parametrize("type_name", sorted(ALLOCATIONS))
def test_memory_is_taken_in_every_step(type_name: str) -> None:
    graph = SmallGraph()
    alloc = graph.kernel("alloc", type_name, graph.kernel("size", "Const"))
    graph.apply(ConstantExpressionMotion())
    assert alloc.graph is graph.main


@pytest.mark.parametrize("end", ["NetOutput", "InnerNetOutput"])
def test_what_an_end_reads_stays_in_its_graph(end: str) -> None:
    graph = SmallGraph()
    shape = graph.kernel("shape", "InferShape", graph.kernel("c", "Const"))
    graph.kernel("end", end, shape, outputs=0)
    graph.apply(ConstantExpressionMotion())
    assert shape.graph is graph.main


def test_a_node_that_waits_for_a_kernel_of_the_step_stays() -> None:
    graph = SmallGraph()
    launch = graph.kernel("launch", "LaunchKernelWithHandle", graph.kernel("x", "Data", index=0), outputs=0)
    sums = graph.kernel("sums", "GetHostSummary", graph.kernel("c", "Const"), after=[launch])
    graph.apply(ConstantExpressionMotion())
    assert sums.graph is graph.main
    assert line(sums) == "sums GetHostSummary(CEM_Main_graph_InnerData_0.0) after launch"


def test_orders_between_moved_and_kept_nodes_are_lost() -> None:
    graph, parse, tile = tiling()
    graph.main.add_control_edge(parse, tile)
    graph.apply(ConstantExpressionMotion())
    assert line(tile) == "tile CacheableTiling(x.0, CEM_Main_graph_InnerData_0.0)"


def test_without_work_on_init_before_there_is_no_fence() -> None:
    graph = SmallGraph()
    moved = graph.kernel("built", "BuildTensor", graph.kernel("c", "Const"))
    graph.kernel("reader", "InferShape", graph.kernel("x", "Data", index=0), moved)
    graph.apply(ConstantExpressionMotion())
    assert lines(graph.init) == ["exit InnerNetOutput(built.0)", "c Const()", "built BuildTensor(c.0)"]


def test_a_moved_nodes_guarder_runs_on_deinit() -> None:
    graph = SmallGraph()
    made = graph.kernel("made", "CreateMemAssigner", graph.kernel("c", "Const"))
    launch = graph.kernel("launch", "LaunchKernelWithHandle", graph.kernel("x", "Data", index=0), made, outputs=0)
    graph.free("release", made, launch, type_name="FreeMemory")
    graph.apply(ConstantExpressionMotion())
    assert lines(graph.deinit) == [
        "release FreeMemory(CEM_DeInit_graph_InnerData_1.0)",
        "CEM_DeInit_graph_InnerData_1 InnerData()",
    ]
    assert lines(graph.root) == ["Init Init()", "DeInit DeInit(Init.0)", "Main Main(Init.0)"]


def with_allocators(stream_output: int, *, twin: bool) -> tuple[SmallGraph, FastNode]:
    graph = SmallGraph()
    vector = graph.add(graph.init, "vector", "CreateL2Allocators", outputs=2)
    if twin:
        graph.from_init("twin_in", graph.add(graph.init, "twin", "CreateInitL2Allocator", vector, vector, outputs=2))
    streams = graph.kernel("streams", "SplitRtStreams", graph.kernel("s", "Data", index=-1), outputs=2)
    l1 = graph.kernel("l1", "SelectL1Allocator")
    feeds = (graph.kernel("id", "Const"), (streams, stream_output), l1, graph.from_init("vector_in", vector))
    l2 = graph.kernel("l2", "SelectL2Allocator", *feeds)
    sink = graph.kernel("sink", "SinkWeightData", l2, graph.kernel("w", "Const"))
    graph.kernel("reader", "InferShape", graph.kernel("x", "Data", index=0), sink)
    graph.apply(ConstantExpressionMotion())
    assert l2.graph is graph.main
    return graph, sink


def test_the_allocator_of_stream_0_has_an_equal_on_init() -> None:
    graph, sink = with_allocators(0, twin=True)
    assert sink.graph is graph.init
    assert line(sink) == "sink SinkWeightData(twin.0, w.0) after CEM_NoOp_0"


@pytest.mark.parametrize(("stream_output", "twin"), [(1, True), (0, False)])
def test_without_an_equal_on_init_the_readers_of_an_allocator_stay(stream_output: int, *, twin: bool) -> None:
    graph, sink = with_allocators(stream_output, twin=twin)
    assert sink.graph is graph.main


def branching(owner: str, outputs: int = 1) -> tuple[SmallGraph, FastNode, FastNode]:
    graph = SmallGraph()
    node = graph.kernel("choice", owner, graph.kernel("cond", "GenIndexForIf"), outputs=outputs)
    frame = graph.branch(node, "frame")
    graph.add(frame, "notify", "SwitchNotify", graph.inner(frame, "f0", 0), graph.add(frame, "frame_const", "Const"))
    body = graph.branch(node, "body")
    inner = graph.add(body, "shape", "Shape", graph.add(body, "c", "Const"))
    graph.add(body, "end", "InnerNetOutput", inner, outputs=0)
    return graph, node, inner


@pytest.mark.parametrize("owner", ["If", "Case", "While"])
def test_constants_leave_branches_but_not_the_frame_that_decides(owner: str) -> None:
    graph, node, inner = branching(owner)
    assert graph.apply(ConstantExpressionMotion()) == (
        ("CEM_body_InnerData_0", "CEM_Main_graph_InnerData_1"),
        (),
        ("shape", "exit", "Main", "choice"),
        ("c",),
    )
    assert line(inner) == "shape Shape(CEM_body_InnerData_0.0)"
    assert line(node) == f"choice {owner}(cond.0, CEM_Main_graph_InnerData_1.0)"
    assert "frame_const Const()" in lines(node.subgraphs[0])


@pytest.mark.parametrize(("owner", "moves"), [("If", True), ("While", False)])
def test_a_loop_variable_is_no_constant_even_when_its_first_value_is(owner: str, *, moves: bool) -> None:
    graph = SmallGraph()
    start = graph.from_init("start", graph.add(graph.init, "value", "Const"))
    node = graph.kernel("choice", owner, start)
    frame, body = graph.branch(node, "frame"), graph.branch(node, "body")
    graph.add(frame, "notify", "SwitchNotify", graph.inner(frame, "f0", 0))
    step = graph.add(body, "step", "BuildTensor", graph.inner(body, "b0", 0))
    graph.add(body, "end", "Shape", step, graph.add(body, "other", "Data", index=0))
    graph.apply(ConstantExpressionMotion())
    assert (step.graph is graph.init) == moves


def test_inputs_that_no_branch_reads_any_more_are_dropped() -> None:
    graph, node, _ = branching("If")
    graph.main.add_edge(graph.kernel("unread", "InferShape"), 0, node, 1)
    graph.main.add_edge(graph.kernel("read", "InferShape"), 0, node, 2)
    body = node.subgraphs[1]
    reader = graph.add(body, "reader", "Shape", graph.inner(body, "b2", 2))
    graph.apply(ConstantExpressionMotion())
    assert line(node) == "choice If(cond.0, read.0, CEM_Main_graph_InnerData_1.0)"
    assert reader.inputs == [(body.inner_data[1], 0)]
