"""The node types that GE's description lists for Init, Main and DeInit: where each one stands, or what says otherwise.

Where the description (its appendix of node types) and GE's dumps disagree, the dumps are right: a row then names the
paragraph of spec/lowering.md and the type that stands in its place.
"""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from one_operator import model_of
from source_tree import modules
from worked_example import FORMS

from getrace.dumps.snapshot import AttrValue
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.stream_assign import assign_events
from runtime.kernels.catalogue import catalogue
from runtime.lowering.graph_converter import lower
from runtime.lowering.pipeline import lower_model
from runtime.values import DType, Placement

FIXED = LoweringOptions(fixed_feature_memory={Placement.DEVICE_HBM: (0, 4096)})
"""Compiled graphs work in memory of the session."""
MODEL_STREAMS: dict[str, AttrValue] = {"stream_num": 2, "notify_num": 2}


def add() -> ComputeGraph:
    return FORMS["C"].model()


def weights() -> ComputeGraph:
    graph = GraphBuilder("weights")
    weight = graph.const("w", (4,), bytes(16))
    return graph.output(graph.op("AddExample", graph.data("x", (-1,)), weight, name="add")).build()


def streams() -> ComputeGraph:
    graph = GraphBuilder("streams")
    x = graph.data("x", (-1,))
    first = graph.op("Relu", x, name="first", stream=1)
    built = graph.output(graph.op("Neg", first, name="second")).build()
    assign_events(built)
    built.attrs.update(MODEL_STREAMS)
    return built


def shape() -> ComputeGraph:
    graph = GraphBuilder("shape")
    found = graph.op("Shape", graph.data("x", (-1,)), engine=GE_LOCAL, outputs=[nd_desc((1,), DType.INT64)])
    return graph.output(graph.op("Neg", found, name="neg")).build()


def reshape() -> ComputeGraph:
    graph = GraphBuilder("reshape")
    x, to = graph.data("x", (-1,)), graph.data("to", (1,), DType.INT64)
    return graph.output(graph.op("Reshape", x, to, engine=GE_LOCAL)).build()


def computed_reshape() -> ComputeGraph:
    graph = GraphBuilder("computed")
    x, to = graph.data("x", (-1,)), graph.data("to", (1,), DType.INT64)
    wanted = graph.op("Neg", to, name="neg")
    return graph.output(graph.op("Reshape", x, wanted, engine=GE_LOCAL)).build()


def blocking() -> ComputeGraph:
    return model_of("Add", "aicpu_tf_kernel", attrs={"_is_blocking_op": True})


def file_constant() -> ComputeGraph:
    graph = GraphBuilder("file")
    attrs: dict[str, AttrValue] = {"location": "weight.bin", "offset": 0, "length": 16}
    weight = graph.op("FileConstant", name="w", outputs=[nd_desc((4,))], engine=GE_LOCAL, attrs=attrs)
    return graph.output(graph.op("AddExample", graph.data("x", (-1,)), weight, name="add")).build()


def compiled() -> ComputeGraph:
    """A call of a graph that was compiled as a whole."""
    graph = GraphBuilder("outer")
    desc = nd_desc((2,))
    call = graph.op("PartitionedCall", graph.data("x", (2,)), name="call", outputs=[desc], engine=GE_LOCAL)
    built = graph.output(call).build()
    inner = GraphBuilder("inner")
    data = inner.data("data", (2,))
    data.node.op.attrs["_parent_node_index"] = 0
    below = inner.output(inner.op("Relu", data)).build()
    below.attrs.update({"_graph_unknown_flag": False, "memory_size": 1024})
    built.add_subgraph(call.node, below)
    return built


def third_class() -> ComputeGraph:
    return model_of("Add", "AIcoreEngine", attrs={"_unknown_shape_type": 3})


ROWS: list[tuple[str, str, Callable[[], ComputeGraph]]] = [
    ("Data", "Init", add),
    ("CreateL1Allocator", "Init", add),
    ("CreateL2Allocators", "Init", add),
    ("SelectL1Allocator", "Init", add),
    ("SinkWeightData", "Init", weights),
    ("SplitRtStreams", "Init", add),
    ("CreateGertEvents", "Init", streams),
    ("InnerNetOutput", "Init", add),
    ("InferShape", "Main", add),
    ("CacheableTiling", "Main", add),
    ("AllocMemHbm", "Main", add),
    ("AllocBatchHbm", "Main", add),
    ("LaunchKernelWithHandle", "Main", add),
    ("FreeMemory", "Main", add),
    ("FreeBatchHbm", "Main", add),
    ("SendEvents", "Main", streams),
    ("WaitEvents", "Main", streams),
    ("CreateNotifies", "Main", streams),
    ("CopyH2D", "Main", shape),
    ("CopyD2H", "Main", computed_reshape),
    ("BuildTensor", "Main", reshape),
    ("FreeMemHbm", "Main", third_class),
    ("FreeMemory", "DeInit", file_constant),
    ("DestroyEvent", "DeInit", blocking),
    ("DavinciModelFinalizer", "DeInit", compiled),
    ("FreeFixedFeatureMemory", "DeInit", compiled),
]

OTHERWISE = [
    ("AllocMemory", "Init", add, "12.23: registered, and nothing is lowered to it"),
    ("AllocMemory", "Main", add, "12.23: outputs take AllocMemHbm, workspaces AllocBatchHbm (2.5)"),
    ("CopyH2D", "Init", weights, "5.2: a weight is sunk by SinkWeightData"),
    ("CreateNotifies", "Init", streams, "2.2: notifies are made on Main"),
    ("Tiling", "Main", add, "10.4: tiling is CacheableTiling"),
    ("Data", "DeInit", file_constant, "1.2: DeInit holds InnerData and guarders"),
    ("InnerNetOutput", "DeInit", file_constant, "1.2: the frame of DeInit is popped without outputs"),
    ("FreeMemHbm", "DeInit", file_constant, "2.5: memory of an output is freed by FreeMemory"),
]


def types(root: ExecuteGraph, part: str) -> list[str]:
    """The types of a part; branches, which hang under Main, left out."""
    return [node.type for node in root.owned_by(part).nodes]


@pytest.mark.parametrize(("type_name", "part", "model"), ROWS, ids=[f"{row[0]} {row[1]}" for row in ROWS])
def test_a_type_stands_in_its_graph(type_name: str, part: str, model: Callable[[], ComputeGraph]) -> None:
    assert type_name in types(lower(model(), FIXED), part)


@pytest.mark.parametrize(
    ("type_name", "part", "model", "why"), OTHERWISE, ids=[f"{row[0]} {row[1]}" for row in OTHERWISE]
)
def test_a_type_of_the_description_does_not_stand_there(
    type_name: str, part: str, model: Callable[[], ComputeGraph], why: str
) -> None:
    for root in (lower(model()), lower_model(model()).root):
        assert type_name not in types(root, part), why


def test_no_kernel_destroys_a_stream() -> None:
    assert "DestroyStream" not in {entry.type for entry in catalogue()}
    sources = {name: module.path.read_text(encoding="utf-8") for name, module in modules().items()}
    named = [name for name, text in sources.items() if name.startswith("runtime.") and '"DestroyStream"' in text]
    assert named == []


@pytest.mark.real
@pytest.mark.long
def test_no_dump_of_ge_holds_a_kernel_that_destroys_a_stream(cases: Path) -> None:
    files = sorted((cases / "truth" / "dumps").glob("*/ge_proto_*_ExeGraphBeforeOptimize.txt.gz"))
    assert len(files) == 285
    assert [file.name for file in files if b"DestroyStream" in gzip.decompress(file.read_bytes())] == []
