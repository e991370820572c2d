"""TrustOutTensor and the pruner (spec/lowering.md 7.4 and 7.8): when a caller's shapes spare the inference."""

import pytest
from small_graphs import SmallGraph, line, lines

from runtime.graph.execute_graph import FastNode
from runtime.lowering.passes.trust_out_tensor import TrustOutTensor


class Inferred(SmallGraph):
    """Main infers the shape of its one output; ``made`` takes its memory."""

    def __init__(self, made_by: str, infer: str = "InferShape", shapes: int = 1) -> None:
        super().__init__()
        func = self.add(self.init, "func", "FindInferShapeFunc", self.add(self.init, "kind", "Const"))
        self.fence = self.add(self.init, "fence", "NoOp", outputs=0, after=[func])
        self.func_in = self.from_init("func_in", func)
        self.dtype_in = self.from_init("dtype_in", self.add(self.init, "dtype", "Const"))
        self.attr_in = self.from_init("attr_in", self.add(self.init, "attr", "Const"))
        x, self.l2 = self.kernel("x", "SplitDataTensor"), self.kernel("l2", "SelectL2Allocator")
        self.infer = self.kernel("infer", infer, x, self.func_in, outputs=shapes)
        self.size = self.kernel("size", "CalcTensorSizeFromShape", self.dtype_in, self.infer)
        self.out = self.kernel("out", "OutputData")
        split = made_by == "SplitTensorForOutputData"
        feeds = (self.out, self.l2, self.size) if split else (self.l2, self.size, self.out)
        self.made = self.kernel("made", made_by, *feeds, outputs=2 if split else 1)
        address = (self.made, 1) if split else (self.made, 0)
        self.launch = self.kernel("launch", "LaunchKernelWithHandle", address, self.infer, outputs=0)
        stream = self.kernel("stream", "SplitRtStreams")
        self.copy = self.kernel(
            "copy",
            "EnsureTensorAtOutMemory",
            *(self.infer, address, self.attr_in, stream, self.out),
            outputs=0,
            after=[self.launch],
        )
        self.end = self.kernel("NetOutput", "NetOutput", self.out, outputs=0, after=[self.copy])


@pytest.mark.parametrize("infer", ["InferShape", "CompatibleInferShape"])
def test_shapes_of_outputs_are_read_from_the_callers_tensors(infer: str) -> None:
    graph = Inferred("AllocModelOutTensor", infer)
    added, removed, rewired, moved = graph.apply(TrustOutTensor()) or ((), (), (), ())
    assert added == ("func_Replaced_NoOp",)
    assert removed == ("infer", "func", "func_in")
    assert set(rewired) == {"size", "launch", "copy", "exit", "fence"}
    assert moved == ()
    assert line(graph.size) == "size CalcTensorSizeFromShape(dtype_in.0, out.0)"
    assert line(graph.launch) == "launch LaunchKernelWithHandle(made.0, out.0)"
    assert line(graph.copy) == "copy EnsureTensorAtOutMemory(out.0, made.0, attr_in.0, stream.0, out.0) after launch"
    assert lines(graph.init) == [
        "exit InnerNetOutput(func_Replaced_NoOp.0, dtype.0, attr.0)",
        "kind Const()",
        "fence NoOp() after func_Replaced_NoOp",
        "dtype Const()",
        "attr Const()",
        "func_Replaced_NoOp NoOp()",
    ]


def test_with_the_callers_memory_there_is_nothing_to_make_sure_of() -> None:
    graph = Inferred("SplitTensorForOutputData")
    _, removed, _, _ = graph.apply(TrustOutTensor()) or ((), (), (), ())
    assert removed == ("infer", "func", "func_in", "copy", "attr", "attr_in", "size", "dtype", "dtype_in")
    assert line(graph.made) == "made SplitTensorForOutputData(out.0, l2.0) after out"
    assert sorted(edge.source.name for edge in graph.end.in_control) == ["launch", "made", "out", "stream"]
    names = [node.name for node in graph.init.nodes]
    assert names[-3:] == ["func_Replaced_NoOp", "attr_Replaced_NoOp", "dtype_Replaced_NoOp"]


def test_a_shape_that_is_no_output_must_be_inferred() -> None:
    graph = Inferred("AllocModelOutTensor", shapes=2)
    graph.kernel("other", "CalcTensorSizeFromShape", (graph.infer, 1))
    assert graph.apply(TrustOutTensor()) is None


def test_a_shape_that_a_later_kernel_writes_again_must_be_inferred() -> None:
    graph = Inferred("AllocModelOutTensor")
    told = graph.kernel("told", "AicpuHostExecFunc")
    told.output_refs[0] = ("infer", 0)
    assert graph.apply(TrustOutTensor()) is None


def test_a_second_shape_that_nobody_reads_does_not_matter() -> None:
    graph = Inferred("AllocModelOutTensor", shapes=2)
    assert graph.apply(TrustOutTensor()) is not None


@pytest.mark.parametrize("infer", ["SetOutputShape", "InferShapeRange", "IdentityShape"])
def test_shapes_that_are_not_inferred_are_not_trusted(infer: str) -> None:
    assert Inferred("AllocModelOutTensor", infer).apply(TrustOutTensor()) is None


def shared(reader_of: str) -> tuple[Inferred, FastNode]:
    graph = Inferred("AllocModelOutTensor")
    if reader_of == "Main":
        return graph, graph.kernel("second", "InferShape", graph.func_in)
    return graph, graph.add(graph.init, "second", "InferShape", next(n for n in graph.init.nodes if n.name == "func"))


@pytest.mark.parametrize("reader_of", ["Main", "Init"])
def test_what_somebody_else_reads_is_not_pruned(reader_of: str) -> None:
    graph, second = shared(reader_of)
    added, removed, _, _ = graph.apply(TrustOutTensor()) or ((), (), (), ())
    assert added == ()
    assert removed == (("infer",) if reader_of == "Main" else ("infer", "func_in"))
    assert second.inputs[0] is not None
