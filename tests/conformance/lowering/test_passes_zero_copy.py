"""ModelOutTensorZeroCopy (spec/lowering.md 7.1): where it applies and where it must not."""

import pytest
from small_graphs import SmallGraph, line, lines

from runtime.graph.execute_graph import FastNode
from runtime.lowering.passes.zero_copy import ModelOutTensorZeroCopy


class OneOutput(SmallGraph):
    """Main gives one tensor; ``made`` is the kernel its address comes from."""

    def __init__(self, made_by: str, *between: str) -> None:
        super().__init__()
        self.l2, self.size = self.kernel("l2", "SelectL2Allocator"), self.kernel("size", "CalcTensorSizeFromShape")
        self.made = address = self.kernel("made", made_by, self.l2, self.size)
        for step in between:
            address = self.kernel(step.lower(), step, address)
        self.launch = self.kernel("launch", "LaunchKernelWithHandle", self.made, outputs=0)
        self.end(address)
        self.free("free", self.made, self.launch, self.copy)

    def end(self, address: FastNode) -> None:
        self.out = self.kernel("out", "OutputData")
        shape, attr = self.kernel("shape", "InferShape"), self.kernel("attr", "BuildTensorAttr")
        stream = self.kernel("stream", "SplitRtStreams")
        self.copy = self.kernel(
            "copy", "EnsureTensorAtOutMemory", shape, address, attr, stream, self.out, outputs=0, after=[self.launch]
        )
        self.kernel("NetOutput", "NetOutput", self.out, outputs=0, after=[self.copy])


@pytest.mark.parametrize("made_by", ["AllocMemory", "AllocMemHbm", "AllocMemHost"])
@pytest.mark.parametrize("between", [(), ("IdentityAddr",)])
def test_what_takes_the_memory_of_an_output_takes_the_callers(made_by: str, between: tuple[str, ...]) -> None:
    graph = OneOutput(made_by, *between)
    assert graph.apply(ModelOutTensorZeroCopy()) == ((), (), ("made",), ())
    assert line(graph.made) == "made AllocModelOutTensor(l2.0, size.0, out.0)"
    address = "identityaddr.0" if between else "made.0"
    assert line(graph.copy) == (
        f"copy EnsureTensorAtOutMemory(shape.0, {address}, attr.0, stream.0, out.0) after launch"
    )
    assert graph.apply(ModelOutTensorZeroCopy()) is None


@pytest.mark.parametrize(
    ("made_by", "between"),
    [
        ("AllocMemHbm", ("AccessMemCrossStream",)),
        ("AllocMemHbm", ("IdentityAddr", "AccessMemCrossStream")),
        ("AllocMemHbm", ("BuildTensor",)),
        ("AllocBatchHbm", ()),
        ("SplitDataTensor", ()),
        ("MakeSureTensorAtDevice", ()),
    ],
)
def test_memory_that_goes_another_way_stays_as_it_is(made_by: str, between: tuple[str, ...]) -> None:
    graph = OneOutput(made_by, *between)
    before = lines(graph.main)
    assert graph.apply(ModelOutTensorZeroCopy()) is None
    assert lines(graph.main) == before


def test_a_caller_who_promises_memory_is_taken_at_his_word() -> None:
    graph = OneOutput("AllocMemHbm")
    assert graph.apply(ModelOutTensorZeroCopy(always=True)) == ((), ("free",), ("made", "launch", "copy"), ())
    assert line(graph.made) == "made SplitTensorForOutputData(out.0, l2.0, size.0)"
    assert line(graph.launch) == "launch LaunchKernelWithHandle(made.1)"
    assert line(graph.copy) == "copy EnsureTensorAtOutMemory(shape.0, made.1, attr.0, stream.0, out.0) after launch"
    assert [node.name for node in graph.main.nodes if node.type == "FreeMemory"] == []


def test_a_kernel_that_shares_the_memory_by_name_shares_the_callers() -> None:
    graph = OneOutput("AllocMemHost")
    computed = graph.kernel("computed", "AicpuHostExecFunc", outputs=2)
    computed.output_refs.update({0: ("shape", 0), 1: ("made", 0)})
    graph.apply(ModelOutTensorZeroCopy(always=True))
    assert computed.output_refs == {0: ("shape", 0), 1: ("made", 1)}


@pytest.mark.parametrize("owner", ["If", "Case"])
@pytest.mark.parametrize("always", [False, True])
def test_an_output_of_branches_is_taken_in_each_branch(owner: str, *, always: bool) -> None:
    graph = SmallGraph()
    l2, cond = graph.kernel("l2", "SelectL2Allocator"), graph.kernel("cond", "GenIndexForIf")
    choice = graph.kernel("choice", owner, cond, l2)
    graph.inner(graph.branch(choice, "frame"), "c0", 0)
    made = []
    for name in ("then", "else"):
        branch = graph.branch(choice, name)
        made.append(graph.add(branch, f"{name}_made", "AllocMemHbm", graph.inner(branch, f"{name}_l2", 1)))
        graph.add(branch, f"{name}_end", "InnerNetOutput", made[-1], outputs=0)
    out = graph.kernel("out", "OutputData")
    feeds = [graph.kernel(name, name) for name in ("Shape", "Attr", "Stream")]
    graph.kernel("copy", "EnsureTensorAtOutMemory", feeds[0], choice, feeds[1], feeds[2], out, outputs=0)
    assert graph.apply(ModelOutTensorZeroCopy(always=always)) == (
        ("OutputData_0_then_InnerData_0", "OutputData_0_else_InnerData_1"),
        (),
        ("choice", "then_made", "else_made"),
        (),
    )
    assert line(choice) == f"choice {owner}(cond.0, l2.0, out.0, out.0)"
    assert [line(node) for node in made] == [
        "then_made AllocModelOutTensor(then_l2.0, OutputData_0_then_InnerData_0.0)",
        "else_made AllocModelOutTensor(else_l2.0, OutputData_0_else_InnerData_1.0)",
    ]
    assert [branch.inner_data.keys() for branch in choice.subgraphs] == [{0}, {1, 2}, {1, 3}]


def test_without_outputs_there_is_nothing_to_do() -> None:
    assert SmallGraph().apply(ModelOutTensorZeroCopy()) is None
