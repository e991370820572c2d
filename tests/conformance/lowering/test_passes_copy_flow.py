"""CopyFlowLaunchFuse and AicpuHostInputsFuse (spec/lowering.md 7.3 and 7.5): which copies travel with a launch."""

import pytest
from small_graphs import SmallGraph, line, lines

from runtime.graph.execute_graph import FastNode
from runtime.lowering.passes.aicpu_host_inputs import AicpuHostInputsFuse
from runtime.lowering.passes.copy_flow import CopyFlowLaunchFuse
from runtime.lowering.passes.kernel_kinds import CORE_LAUNCHES

HEAD = ("stream", "bin", "dim", "ws", "shapes", "cfg", "io", "mode", "dfx", "args", "local")


class Launches(SmallGraph):
    """Main with a stream, an allocator and arguments that launches share."""

    def __init__(self) -> None:
        super().__init__()
        self.head = [self.kernel(name, "Value") for name in HEAD]
        self.l2 = self.kernel("l2", "SelectL2Allocator")

    def copied(self, name: str, type_name: str = "MakeSureTensorAtDevice") -> FastNode:
        source = [self.kernel(f"{name}_{part}", "Value") for part in ("td", "size", "shape", "dtype")]
        return self.kernel(name, type_name, self.head[0], self.l2, *source, ComputeNodeIndex=1)

    def launch(self, name: str, type_name: str, first: int, *addresses: FastNode) -> FastNode:
        fill = [self.head[slot % len(HEAD)] for slot in range(len(HEAD), first)]
        return self.kernel(name, type_name, *self.head, *fill, *addresses, outputs=0, ComputeNodeIndex=2)


FIRST = {
    "LaunchKernelWithHandle": 13,
    "LaunchKernelWithFlag": 11,
    "LaunchMixKernelWithHandle": 13,
    "LaunchMixKernelWithFlag": 11,
    "AtomicLaunchKernelWithHandle": 13,
    "AtomicLaunchKernelWithFlag": 12,
}


def test_every_launch_on_ai_core_has_a_first_address() -> None:
    assert FIRST.keys() == CORE_LAUNCHES


@pytest.mark.parametrize("type_name", sorted(FIRST))
@pytest.mark.parametrize("copy_type", ["MakeSureTensorAtDevice", "CopyH2D"])
def test_the_copies_of_a_launch_become_one_kernel(type_name: str, copy_type: str) -> None:
    graph = Launches()
    a, b = graph.copied("a", copy_type), graph.copied("b", copy_type)
    launch = graph.launch("go", type_name, FIRST[type_name], a, b)
    for copy in (a, b):
        graph.free(f"free_{copy.name}", copy, launch).attrs["ComputeNodeIndex"] = 1
    flow = "CopyFlowLaunch_To_go"
    assert graph.apply(CopyFlowLaunchFuse()) == (
        (flow, f"Const_{flow}_Num", f"Const_{flow}_Index", f"FreeMemory_{flow}0", f"FreeMemory_{flow}1"),
        ("free_a", "a", "free_b", "b"),
        ("go",),
        (),
    )
    tuples = "a_td.0, a_size.0, a_shape.0, a_dtype.0, b_td.0, b_size.0, b_shape.0, b_dtype.0"
    assert lines(graph.main)[-5:] == [
        f"{flow} CopyFlowLaunch(Const_{flow}_Num.0, Const_{flow}_Index.0, args.0, stream.0, l2.0, {tuples})",
        f"Const_{flow}_Num Const()",
        f"Const_{flow}_Index Const()",
        f"FreeMemory_{flow}0 FreeMemory({flow}.0) after go",
        f"FreeMemory_{flow}1 FreeMemory({flow}.1) after go",
    ]
    assert [line(launch).split(", ")[-2:]] == [[f"{flow}.0", f"{flow}.1)"]]
    values = {node.name: node.attrs.get("value") for node in graph.main.nodes if node.type == "Const"}
    assert values == {f"Const_{flow}_Num": 2, f"Const_{flow}_Index": ((0,), (1,))}
    indices = [node.attrs.get("ComputeNodeIndex") for node in graph.main.nodes[-5:]]
    assert indices == [2, None, None, 1, 1]


def test_one_copy_that_is_read_twice_has_one_output() -> None:
    graph = Launches()
    a = graph.copied("a")
    launch = graph.launch("go", "LaunchKernelWithFlag", 11, a, a)
    graph.apply(CopyFlowLaunchFuse())
    assert launch.inputs[11] == launch.inputs[12]
    (index,) = (node for node in graph.main.nodes if node.name.endswith("_Index"))
    assert index.attrs["value"] == ((0, 1),)


def test_launches_that_share_a_copy_have_one_each() -> None:
    graph = Launches()
    a = graph.copied("a")
    first = graph.launch("one", "LaunchKernelWithFlag", 11, a)
    second = graph.launch("two", "LaunchKernelWithHandle", 13, a)
    graph.free("free", a, first, second)
    graph.apply(CopyFlowLaunchFuse())
    frees = [line(node) for node in graph.main.nodes if node.type == "FreeMemory"]
    assert frees == [
        "FreeMemory_CopyFlowLaunch_To_one0 FreeMemory(CopyFlowLaunch_To_one.0) after one",
        "FreeMemory_CopyFlowLaunch_To_two0 FreeMemory(CopyFlowLaunch_To_two.0) after two",
    ]
    assert "a" not in {node.name for node in graph.main.nodes}
    assert second.inputs[13] is not None


def test_orders_of_a_copy_go_on_to_the_kernel_in_its_place() -> None:
    graph = Launches()
    sent = graph.kernel("sent", "SendEvents", outputs=0)
    a = graph.copied("a")
    graph.main.add_control_edge(sent, a)
    launch = graph.launch("go", "LaunchKernelWithFlag", 11, a)
    graph.main.add_control_edge(a, launch)
    later = graph.kernel("later", "WaitEvents", outputs=0, after=[a])
    graph.kernel("dfx_info", "TilingAppendDfxInfo", graph.head[9])
    graph.apply(CopyFlowLaunchFuse())
    (flow,) = (node for node in graph.main.nodes if node.type == "CopyFlowLaunch")
    assert [edge.source.name for edge in flow.in_control] == ["dfx_info", "sent"]
    assert not launch.in_control
    # What the copy waited for, too, runs before whoever waited for the copy.
    assert [edge.source.name for edge in later.in_control] == [
        "CopyFlowLaunch_To_go", "stream", "l2", "a_td", "a_size", "a_shape", "a_dtype", "sent",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "reader", ["BuildTensor", "IdentityAddr", "UpdateAicpuIoAddr", "If", "FreeBatchHbm", "EnsureTensorAtOutMemory"]
)
def test_a_copy_that_somebody_else_reads_stays(reader: str) -> None:
    graph = Launches()
    a = graph.copied("a")
    graph.launch("go", "LaunchKernelWithFlag", 11, a)
    graph.kernel("other", reader, a)
    assert graph.apply(CopyFlowLaunchFuse()) is None


@pytest.mark.parametrize("launch", ["AicpuLaunchTfKernel", "DavinciModelExecute", "ExecuteOpLaunch"])
def test_other_launches_have_no_room_for_inputs(launch: str) -> None:
    graph = Launches()
    graph.launch("go", launch, 11, graph.copied("a"))
    assert graph.apply(CopyFlowLaunchFuse()) is None


def test_memory_of_the_device_is_not_copied_with_a_launch() -> None:
    graph = Launches()
    graph.launch("go", "LaunchKernelWithFlag", 11, graph.kernel("a", "AllocMemHbm", graph.l2))
    assert graph.apply(CopyFlowLaunchFuse()) is None


def test_host_inputs_of_one_aicpu_operator_lie_in_its_arguments() -> None:
    graph = Launches()
    a, b = graph.copied("a"), graph.copied("b")
    update = graph.kernel("update", "UpdateAicpuIoAddr", graph.head[9], a, b)
    other = graph.kernel("other", "UpdateAicpuIoAddr", graph.head[9], a)
    free = graph.free("free", b, update)
    fused = "update_FuseHostInputs"
    assert graph.apply(AicpuHostInputsFuse()) == ((fused, f"Const_{fused}_Index"), ("b",), ("update", "free"), ())
    assert lines(graph.main)[-2:] == [
        f"{fused} AicpuFuseHost(args.0, Const_{fused}_Index.0, stream.0, l2.0, b_td.0, b_size.0, b_shape.0, b_dtype.0)",
        f"Const_{fused}_Index Const()",
    ]
    assert graph.main.nodes[-1].attrs["value"] == (1,)
    assert line(update) == f"update UpdateAicpuIoAddr(args.0, a.0, {fused}.0)"
    assert line(free) == f"free FreeMemory({fused}.0) after update"
    assert line(other) == "other UpdateAicpuIoAddr(args.0, a.0)"


@pytest.mark.parametrize("copy_type", ["CopyH2D", "AllocMemHbm"])
def test_what_is_no_checked_copy_of_the_host_stays_for_the_aicpu(copy_type: str) -> None:
    graph = Launches()
    graph.kernel("update", "UpdateAicpuIoAddr", graph.head[9], graph.copied("a", copy_type))
    assert graph.apply(AicpuHostInputsFuse()) is None
