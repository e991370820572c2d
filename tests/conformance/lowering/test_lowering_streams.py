"""Several streams, paragraph by paragraph: events, memory of other streams, and the stages around the operators."""

from collections.abc import Mapping

import pytest
from kernel_lines import home, lines, types

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, OpDesc, nd_desc
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.stream_assign import assign_events
from runtime.kernels.payloads import EventInfo
from runtime.lowering.graph_converter import MODEL_DESC, lower
from runtime.lowering.model_desc import ModelDesc


def two_streams() -> ComputeGraph:
    """Copies on stream 0, then on stream 1; the output is on stream 0."""
    g = GraphBuilder("m")
    first = g.op("Identity", g.data("x", (-1,)), name="first", engine=GE_LOCAL)
    second = g.op("Identity", first, name="second", engine=GE_LOCAL, stream=1)
    graph = g.output(second).build()
    assert assign_events(graph) == 2
    return graph


def one_stream() -> ComputeGraph:
    g = GraphBuilder("m")
    return g.output(g.op("Identity", g.data("x", (-1,)), name="first", engine=GE_LOCAL)).build()


def loose_ends() -> ComputeGraph:
    """Stream 1 starts with an operator that nothing feeds and ends with one that nobody reads; no events between."""
    graph = two_streams()
    desc = nd_desc((1,))
    start = graph.add(OpDesc("start", "Const", (), (desc,), GE_LOCAL, attrs={"value": b"\0\0\x80\x3f"}, stream_id=1))
    last = graph.add(OpDesc("last", "Identity", (desc,), (desc,), GE_LOCAL, stream_id=1))
    graph.connect(start, 0, last, 0)
    graph.nodes.sort(key=lambda node: node.type == "NetOutput")
    return graph


def const_of(root: ExecuteGraph, consumer: str, slot: int) -> object:
    """The payload of the Const on an input of the one kernel of a type."""
    (node,) = [node for node in root.all_nodes() if node.type == consumer]
    source = node.inputs[slot]
    assert source is not None
    return source[0].attrs["value"]


_SYNC = frozenset(
    {
        "CreateGertEvents",
        "SendEvents",
        "WaitEvents",
        "LastSendEvents",
        "LastWaitEvents",
        "AccessMemCrossStream",
        "NoOp",
        "CreateNotifies",
    }
)


@pytest.mark.parametrize(
    ("graph", "options"),
    [(one_stream(), LoweringOptions()), (two_streams(), LoweringOptions(single_stream=True))],
    ids=["a model on one stream", "a session that wants one stream"],
)
def test_nothing_is_synchronised_on_one_stream(graph: ComputeGraph, options: LoweringOptions) -> None:
    root = lower(graph, options)
    assert {node.type for node in root.all_nodes()} & _SYNC == set()
    assert const_of(root, "CreateL2Allocators", 0) == 1


def test_init_makes_all_events_of_a_model_once() -> None:
    root = lower(two_streams())
    assert [line for line in lines(home(root, "Init")) if "GertEvents" in line and "InnerNet" not in line] == [
        "CreateGertEvents <- Const"
    ]
    assert const_of(root, "CreateGertEvents", 0) == (EventInfo(0, 1), EventInfo(1, 0), EventInfo(1, 0))
    assert const_of(root, "CreateL2Allocators", 0) == 2


def test_events_are_numbered_model_first_sync_last_sync_clean_up() -> None:
    root = lower(loose_ends())
    assert const_of(root, "CreateGertEvents", 0) == (
        EventInfo(0, 1),
        EventInfo(1, 0),
        EventInfo(0, 1),
        EventInfo(1, 0),
        EventInfo(1, 0),
    )


def test_the_sender_sends_behind_its_kernels() -> None:
    main = home(lower(two_streams()), "Main")
    assert [line for line in lines(main, "first") if "Events" in line] == [
        "SendEvents <- SplitRtStreams.0, Const, InnerData[3], Data, SelectL2Allocator | MakeSureTensorAtDevice"
    ]


def test_the_receiver_waits_before_its_kernels_and_sends_behind_them() -> None:
    main = home(lower(two_streams()), "Main")
    assert [line for line in lines(main, "second") if "Events" in line or line.startswith("CopyD2D")] == [
        (
            "CopyD2D <- AccessMemCrossStream, AllocMemHbm, CalcTensorSizeFromShape, SplitRtStreams.1"
            " | MakeSureTensorAtDevice SendEvents WaitEvents"
        ),
        (
            "SendEvents <- SplitRtStreams.1, Const, InnerData[3], Data, SelectL2Allocator"
            " | CopyD2D MakeSureTensorAtDevice SendEvents"
        ),
        (
            "WaitEvents <- SplitRtStreams.1, Const, InnerData[3], Data, SelectL2Allocator"
            " | MakeSureTensorAtDevice SendEvents"
        ),
    ]


def test_the_outputs_of_the_model_wait_on_stream_0() -> None:
    main = home(lower(two_streams()), "Main")
    assert [line for line in lines(main, "NetOutput") if line.startswith(("Wait", "NetOutput", "Access"))] == [
        "AccessMemCrossStream <- AllocMemHbm, Const",
        "NetOutput <- OutputData | EnsureTensorAtOutMemory NoOp WaitEvents",
        "WaitEvents <- SplitRtStreams.0, Const, InnerData[3], Data, SelectL2Allocator | CopyD2D SendEvents WaitEvents",
    ]


def test_memory_of_another_stream_is_accessed_and_released_there() -> None:
    main = home(lower(two_streams()), "Main")
    assert [line for line in lines(main, "second") if line.startswith(("Access", "Free"))] == [
        "AccessMemCrossStream <- MakeSureTensorAtDevice, Const",
        "FreeMemory <- AccessMemCrossStream | CopyD2D",
        "FreeMemory <- AllocMemHbm | AccessMemCrossStream CopyD2D",
    ]


def test_memory_of_the_same_stream_is_read_as_it_is() -> None:
    g = GraphBuilder("m")
    first = g.op("Identity", g.data("x", (-1,)), name="first", engine=GE_LOCAL, stream=1)
    second = g.op("Identity", first, name="second", engine=GE_LOCAL, stream=1)
    graph = g.output(second).build()
    assign_events(graph)
    main = home(lower(graph), "Main")
    assert not [line for line in lines(main, "second") if line.startswith("Access")]


def test_the_number_of_the_stream_is_one_constant_for_all_addresses_of_an_operator() -> None:
    g = GraphBuilder("m")
    parts = [g.op("Identity", g.data(f"x{k}", (-1,)), name=f"part{k}", engine=GE_LOCAL, stream=1) for k in range(2)]
    graph = g.output(*parts).build()
    assign_events(graph)
    main = home(lower(graph), "Main")
    accesses = [node for node in main.nodes if node.type == "AccessMemCrossStream"]
    numbers = {source for node in accesses for source in node.inputs[1:]}
    assert len([node for node in accesses if lines_of(main, node.name, "NetOutput")]) == 2
    assert len({source for source in numbers if source and lines_of(main, source[0].name, "NetOutput")}) == 1


def lines_of(graph: ExecuteGraph, name: str, compute_node: str) -> bool:
    """Whether a kernel belongs to an operator."""
    (node,) = [node for node in graph.nodes if node.name == name]
    index = node.attrs["ComputeNodeIndex"]
    assert isinstance(index, int)
    return graph.root.compute_nodes[index].name == compute_node


def test_each_stream_has_its_own_allocator_on_main() -> None:
    root = lower(two_streams())
    selects = [node for node in home(root, "Main").nodes if node.type == "SelectL2Allocator"]
    numbers = [(source[0].attrs["value"], node.inputs[1]) for node in selects if (source := node.inputs[0])]
    assert [(number, stream[1]) for number, stream in numbers if stream is not None] == [(0, 0), (1, 1)]


def test_memory_goes_back_behind_everything_else() -> None:
    main = home(lower(two_streams()), "Main")
    assert [line for line in lines(main) if line.startswith(("Last", "NoOp"))] == [
        "LastSendEvents <- SplitRtStreams.1, Const, InnerData[3], Data, SelectL2Allocator | NoOp",
        "LastWaitEvents <- SplitRtStreams.0, Const, InnerData[3], Data, InnerData[2] | LastSendEvents NoOp",
        "NoOp | EnsureTensorAtOutMemory OutputData WaitEvents",
        "NoOp | LastWaitEvents",
    ]
    assert "PartitionedCall" not in types(main)


def test_the_noops_of_a_stage_are_named_after_its_call() -> None:
    main = home(lower(two_streams()), "Main")
    assert [node.name for node in main.nodes if node.type == "NoOp"] == [
        "PartitionedCall_51_pre_noop",
        "PartitionedCall_51_post_noop",
    ]


def test_a_later_stage_runs_behind_an_earlier_one() -> None:
    main = home(lower(loose_ends()), "Main")
    noops = {node.name: node for node in main.nodes if node.type == "NoOp"}
    calls = list(dict.fromkeys(name.removesuffix("_pre_noop").removesuffix("_post_noop") for name in noops))
    assert len(calls) == 3
    clean, last = calls[2], calls[1]
    assert noops[f"{last}_post_noop"] in [edge.source for edge in noops[f"{clean}_pre_noop"].in_control]


def test_a_stream_with_a_loose_end_is_joined_before_the_outputs() -> None:
    main = home(lower(loose_ends()), "Main")
    last = [line for line in lines(main) if line.startswith(("SendEvents", "WaitEvents")) and line.endswith("NoOp")]
    assert "SendEvents <- SplitRtStreams.1, Const, InnerData[3], Data, SelectL2Allocator | NoOp" in last


def test_a_stream_with_a_loose_start_begins_behind_stream_0() -> None:
    main = home(lower(loose_ends()), "Main")
    first = main.nodes[[node.name for node in main.nodes].index(_first_call(main) + "_post_noop")]
    waiting = {edge.target.type for edge in first.out_control}
    assert [edge.source.type for edge in first.in_control] == ["WaitEvents"]
    assert {"AllocMemHbm", "MakeSureTensorAtDevice"} <= waiting
    assert "NetOutput" not in waiting


def _first_call(main: ExecuteGraph) -> str:
    return next(node.name for node in main.nodes if node.name.endswith("_pre_noop")).removesuffix("_pre_noop")


def test_streams_tied_by_events_have_no_first_and_no_last_sync() -> None:
    main = home(lower(two_streams()), "Main")
    assert len([node for node in main.nodes if node.type == "SendEvents"]) == 2
    assert len([node for node in main.nodes if node.type == "WaitEvents"]) == 2


def test_notifies_are_made_on_main_when_the_model_has_some() -> None:
    graph = two_streams()
    graph.attrs["notify_num"] = 2
    root = lower(graph)
    (notifies,) = [node for node in home(root, "Main").nodes if node.type == "CreateNotifies"]
    feed = notifies.inputs[0]
    assert feed is not None
    assert feed[0].attrs["index"] == -4
    assert notifies.output_count == 2
    assert const_of(root, "CreateNotifies", 1) == 2


def test_a_model_without_notifies_makes_none() -> None:
    assert "CreateNotifies" not in types(home(lower(two_streams()), "Main"))


def test_attached_streams_come_behind_the_models_own() -> None:
    graph = two_streams()
    graph.attrs.update({"stream_num": 3, "_attached_stream_num": 1})
    root = lower(graph)
    (split,) = [node for node in home(root, "Main").nodes if node.type == "SplitRtStreams"]
    assert split.output_count == 3
    assert const_of(root, "CreateL2Allocators", 0) == 2


def test_a_model_with_more_streams_than_its_operators_use_cleans_all_of_them() -> None:
    graph = one_stream()
    graph.attrs["stream_num"] = 3
    main = home(lower(graph), "Main")
    assert len([node for node in main.nodes if node.type == "LastSendEvents"]) == 2


def test_the_description_counts_streams_events_and_notifies() -> None:
    graph = loose_ends()
    graph.attrs.update({"stream_num": 3, "_attached_stream_num": 1, "notify_num": 4})
    described = lower(graph).attrs[MODEL_DESC]
    assert isinstance(described, ModelDesc)
    counts = described.reusable_stream_num, described.reusable_event_num, described.reusable_notify_num
    assert (*counts, described.attached_stream_num) == (2, 5, 4, 1)


def test_stages_are_told_in_ges_order() -> None:
    g = GraphBuilder("m")
    (out,) = g.while_(
        [g.data("x", (-1,))],
        lambda b, i: [b.op("Size", i[0], engine=GE_LOCAL, outputs=[nd_desc(())])],
        lambda _, i: i,
    )
    seen: list[tuple[str, str]] = []
    lower(g.output(out).build(), see=lambda stage, graph: seen.append((stage, graph.name.rpartition("_")[0])))
    assert seen == [
        ("LowerWhile_CondGraph", "f_While"),
        ("LowerWhile_BodyGraph", "body_While"),
        ("Before_MultiStream_LoweringFirstLastEventSync", "Main"),
    ]


def test_the_stage_before_flattening_shows_the_calls() -> None:
    seen: dict[str, list[tuple[str, int]]] = {}

    def see(stage: str, graph: object) -> None:
        assert isinstance(graph, ExecuteGraph)
        seen[stage] = [(node.type, len(node.in_data)) for node in graph.nodes if node.type == "PartitionedCall"]

    lower(two_streams(), see=see)
    assert seen == {"Before_MultiStream_LoweringFirstLastEventSync": [("PartitionedCall", 6)]}


@pytest.mark.parametrize(
    ("attrs", "model", "message"),
    [
        ({"first": {"_send_event_ids": (0, 0)}}, {}, "Found duplicated send event id 0 on node first."),
        ({"second": {"_recv_event_ids": (0, 0)}}, {}, "Found duplicated receive event id 0 on node second."),
        ({}, {"event_num": 1}, "Found send event id 1 out of range 1."),
        ({"second": {"_send_event_ids": ()}}, {}, "Found event 1 no in pair."),
        ({}, {"event_num": 3}, "EvenId in nodes is not equal with event num 3 on model."),
        (
            {"first": {"_send_event_ids": "0"}},
            {},
            "attribute '_send_event_ids' of node first is not a list of event numbers",
        ),
        (
            {},
            {"stream_num": 1, "_attached_stream_num": 1},
            "Total stream num 1 is insufficient, static stream nums is 0, attached stream nums is 1.",
        ),
        ({}, {"stream_num": 2, "_attached_stream_num": 1}, "node second runs on stream 1, the model has 1"),
        ({}, {"stream_num": 65}, "graph 'm' has 65 streams, its memory can tell 64 apart"),
    ],
)
def test_streams_and_events_that_do_not_fit_are_refused(
    attrs: Mapping[str, Mapping[str, AttrValue]], model: Mapping[str, AttrValue], message: str
) -> None:
    graph = two_streams()
    graph.attrs.update(model)
    for name, changed in attrs.items():
        graph.node(name).op.attrs.update(changed)
    with pytest.raises(ModelError) as refused:
        lower(graph)
    assert refused.value.message == message


def test_a_stream_with_a_number_beyond_all_memory_is_refused_at_once() -> None:
    graph = two_streams()
    graph.node("second").op.stream_id = 10**9
    with pytest.raises(ModelError, match="has 1000000001 streams, its memory can tell 64 apart"):
        lower(graph)
