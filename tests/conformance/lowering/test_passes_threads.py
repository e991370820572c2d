"""SplitMixedLaunchMemory and RemoveLaunchFreeEdge (spec/lowering.md 7.6 and 7.7)."""

import pytest
from small_graphs import SmallGraph, line, lines

from runtime.graph.execute_graph import FastNode
from runtime.lowering.passes.launch_free_edge import RELATIONS, RemoveLaunchFreeEdge
from runtime.lowering.passes.split_launch_memory import SplitMixedLaunchMemory


def with_flow() -> tuple[SmallGraph, FastNode, FastNode]:
    graph = SmallGraph()
    feeds = [graph.kernel(name, "Value") for name in ("n", "index", "args", "stream", "l2", "td", "size", "sh", "dt")]
    before = graph.kernel("dfx", "TilingAppendDfxInfo")
    flow = graph.kernel("flow", "CopyFlowLaunch", *feeds, after=[before], ComputeNodeIndex=4)
    launch = graph.kernel("launch", "LaunchKernelWithHandle", flow, outputs=0)
    graph.kernel("later", "SendEvents", outputs=0, after=[flow])
    graph.free("free", flow, launch)
    return graph, flow, launch


def test_a_fused_copy_is_divided_into_sizes_memory_result_and_launch() -> None:
    graph, _, _ = with_flow()
    assert graph.apply(SplitMixedLaunchMemory()) == (
        ("flow_CalcAllocSizes", "flow_AllocCopyFlowHbm", "flow", "flow_LaunchCopyFlowH2D"),
        ("flow",),
        ("later", "launch", "free"),
        (),
    )
    assert lines(graph.main)[10:] == [
        "launch LaunchKernelWithHandle(flow.0) after flow_LaunchCopyFlowH2D",
        "later SendEvents() after flow_LaunchCopyFlowH2D",
        "free FreeMemory(flow.0) after launch",
        "flow_CalcAllocSizes CalcCopyFlowAllocSizes(n.0, args.0, td.0, size.0, sh.0, dt.0) after dfx",
        "flow_AllocCopyFlowHbm AllocCopyFlowHbm(l2.0, flow_CalcAllocSizes.0)",
        "flow PrepareCopyFlowResult(n.0, index.0, args.0, flow_AllocCopyFlowHbm.0, td.0, size.0, sh.0, dt.0)",
        (
            "flow_LaunchCopyFlowH2D LaunchCopyFlowH2D(n.0, stream.0, flow_AllocCopyFlowHbm.0, td.0, size.0, sh.0, dt.0)"
            " after flow"
        ),
    ]
    made = graph.main.nodes[-4:]
    assert [node.attrs["copy_flow_count"] for node in made] == [1, 1, 1, 1]
    assert [node.attrs.get("ComputeNodeIndex") for node in made] == [None, None, 4, 4]


@pytest.mark.parametrize("type_name", ["CopyH2D", "MakeSureTensorAtDevice"])
def test_a_copy_to_the_device_is_divided_for_each_output(type_name: str) -> None:
    graph = SmallGraph()
    names = ("stream", "l2", "td0", "size0", "sh0", "dt0", "td1", "size1", "sh1", "dt1")
    feeds = [graph.kernel(name, "Value") for name in names]
    copy = graph.kernel("copy", type_name, *feeds, outputs=2, ComputeNodeIndex=1)
    launch = graph.kernel("launch", "AicpuLaunchTfKernel", (copy, 1), outputs=0)
    reader = graph.kernel("reader", "BuildTensor", copy)
    graph.apply(SplitMixedLaunchMemory())
    assert lines(graph.main)[10:] == [
        "launch AicpuLaunchTfKernel(copy_Split_1_ShareH2DCopyResult.0) after copy_Split_1_LaunchH2DCopy",
        "reader BuildTensor(copy_Split_0_ShareH2DCopyResult.0)",
        *(
            text
            for k in "01"
            for text in (
                (
                    f"copy_Split_{k}_CalcDeviceCopySizes CalcDeviceCopySizes"
                    f"(td{k}.0, l2.0, dt{k}.0, sh{k}.0, stream.0, size{k}.0)"
                ),
                f"copy_Split_{k}_AllocMemHbm AllocMemHbm(l2.0, copy_Split_{k}_CalcDeviceCopySizes.0)",
                (
                    f"copy_Split_{k}_ShareH2DCopyResult ShareH2DCopyResult"
                    f"(copy_Split_{k}_AllocMemHbm.0, stream.0, td{k}.0, copy_Split_{k}_CalcDeviceCopySizes.1)"
                ),
                (
                    f"copy_Split_{k}_LaunchH2DCopy LaunchH2DCopy"
                    f"(copy_Split_{k}_AllocMemHbm.0, stream.0, td{k}.0, copy_Split_{k}_CalcDeviceCopySizes.1)"
                    f" after copy_Split_{k}_ShareH2DCopyResult"
                ),
            )
        ),
    ]
    assert not reader.in_control
    assert launch.inputs[0] is not None


def test_a_launch_that_reads_a_copy_through_a_reference_waits_and_is_waited_for() -> None:
    graph = SmallGraph()
    feeds = [graph.kernel(name, "Value") for name in ("stream", "l2", "td", "size", "sh", "dt")]
    copy = graph.kernel("copy", "MakeSureTensorAtDevice", *feeds)
    reference = graph.kernel("ref", "BuildRefTensor", copy)
    launch = graph.kernel("launch", "ExecuteOpLaunch", reference, outputs=0)
    free = graph.free("free", copy, reference)
    graph.apply(SplitMixedLaunchMemory())
    assert line(launch) == "launch ExecuteOpLaunch(ref.0) after copy_Split_0_LaunchH2DCopy"
    assert line(reference) == "ref BuildRefTensor(copy_Split_0_ShareH2DCopyResult.0)"
    assert line(free) == "free FreeMemory(copy_Split_0_ShareH2DCopyResult.0) after ref launch"


@pytest.mark.parametrize("type_name", ["AllocMemHbm", "LaunchKernelWithHandle", "MakeSureTensorAtHost", "CopyD2H"])
def test_kernels_of_one_kind_stay_whole(type_name: str) -> None:
    graph = SmallGraph()
    graph.kernel("node", type_name, graph.kernel("stream", "Value"))
    assert graph.apply(SplitMixedLaunchMemory()) is None


def test_memory_is_given_back_without_waiting_for_its_launch() -> None:
    graph = SmallGraph()
    first, second = graph.kernel("first", "AllocMemHbm"), graph.kernel("second", "AllocBatchHbm")
    launch = graph.kernel("launch", "LaunchKernelWithHandle", first, second, outputs=0)
    one = graph.free("one", first, launch)
    two = graph.free("two", second, launch, type_name="FreeBatchHbm")
    assert graph.apply(RemoveLaunchFreeEdge()) == (
        (),
        (),
        ("FreeMemoryHoldAddr_one", "FreeBatchHbmHoldAddr_two"),
        (),
    )
    assert line(one) == "FreeMemoryHoldAddr_one FreeMemoryHoldAddr(first.0) after second"
    assert line(two) == "FreeBatchHbmHoldAddr_two FreeBatchHbmHoldAddr(second.0) after first"
    assert graph.main.attrs[RELATIONS] == {(one, launch): None, (two, launch): None}
    assert [node.attrs.get("remove_launch_free_edge_alloc") for node in (first, second, launch)] == [1, 1, None]


@pytest.mark.parametrize(
    ("producer", "launch_type", "free_type"),
    [
        ("AllocMemHost", "LaunchKernelWithHandle", "FreeMemory"),
        ("AllocHostCpuOutputMemory", "LaunchKernelWithHandle", "FreeMemory"),
        ("AccessMemCrossStream", "LaunchKernelWithHandle", "FreeMemory"),
        ("InferShape", "LaunchKernelWithHandle", "FreeMemory"),
        ("CopyD2D", "LaunchKernelWithHandle", "FreeMemory"),
        ("AllocMemHbm", "InferShape", "FreeMemory"),
        ("AllocMemHbm", "EnsureTensorAtOutMemory", "FreeMemory"),
        ("BuildTensor", "LaunchKernelWithHandle", "FreeTensorMemory"),
    ],
)
def test_every_other_release_keeps_its_type_and_edges(producer: str, launch_type: str, free_type: str) -> None:
    graph = SmallGraph()
    made = graph.kernel("made", producer)
    launch = graph.kernel("launch", launch_type, made, outputs=0)
    free = graph.free("free", made, launch, type_name=free_type)
    assert graph.apply(RemoveLaunchFreeEdge()) is None
    assert line(free) == f"free {free_type}(made.0) after launch"
    assert RELATIONS not in graph.main.attrs
