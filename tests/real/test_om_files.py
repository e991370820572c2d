"""Real OM files: what is in them, held against spec/formats.md 1.14 and against protobuf's own parser."""

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from getrace.dumps.ge_proto_attrs import OP_FIELDS
from getrace.dumps.om_file import OmFile, parse_om, read_om
from getrace.dumps.om_graphs import read_model_def
from getrace.dumps.om_header import SIZE, read_header
from getrace.dumps.om_table import MOST_FLOW_ROWS, NARROW, WIDE, Part, read_block
from getrace.dumps.om_weights import first
from getrace.dumps.om_writer import write_om
from getrace.dumps.wire import Wire

pytestmark = pytest.mark.real

TWO_STREAMS = {"KERNEL": 24, "EVENT_RECORD": 1, "EVENT_WAIT": 1, "FUSION_START": 1, "FUSION_END": 1, "KERNEL_EX": 1}
ANENET = {"KERNEL": 152, "CMO": 188, "BARRIER": 67, "FUSION_START": 1, "FUSION_END": 1, "END_GRAPH": 1}

FILES: dict[str, list[tuple[str, dict[str, tuple[int, int]], int, int]]] = {
    "a3c_new.om": [("a3c_pong_model", {"a3c_pong_model_0": (25, 24)}, 15, 12)],
    "anenet.om": [("my_122_anenet", {"my_122_anenet_0": (547, 597)}, 410, 129)],
    "autoenc.om": [("hh_om", {"hh_om_0": (46, 52)}, 30, 26)],
    "dynamic_and_static_graph_without_unfold.om": [
        ("root", {"root": (6, 5), "sub_1": (4, 3), "sub_2": (4, 3)}, 1, 1),
        ("sub_1", {"sub_1": (4, 3)}, 1, 1),
        ("sub_2", {"sub_2": (4, 3)}, 1, 1),
    ],
    "flow_model.om": [("root_graph", {"root_graph": (3, 2)}, 0, 0)],
    "root_model.om": [("test_graph_cache", {"test_graph_cache": (3, 2)}, 0, 0)],
}
"""By file: its models with nodes and edges by graph, tasks and kernels."""


def counts(om: OmFile) -> list[tuple[str, dict[str, tuple[int, int]], int, int]]:
    return [
        (
            model.name,
            {name: (len(graph.nodes), len(graph.edges)) for name, graph in model.snapshot.graphs.items()},
            len(model.tasks),
            len(model.kernels),
        )
        for model in om.models
    ]


def partitions(path: Path) -> list[dict[int, bytes]]:
    """The payloads of a file, block by block."""
    content = memoryview(path.read_bytes())
    header = read_header(content, path.name)
    found, at = [], SIZE
    for _ in range(header.blocks):
        block = read_block(content, at, WIDE if header.is_wide else NARROW, MOST_FLOW_ROWS, path.name)
        found.append({part.part: bytes(part.content) for part in block.partitions})
        at = block.end
    return found


@pytest.mark.parametrize("name", FILES)
def test_models_graphs_tasks_and_kernels_are_those_of_the_specification(cases: Path, name: str) -> None:
    om = read_om(cases / "om" / name)
    assert counts(om) == FILES[name]
    assert om.warnings == ()


@pytest.mark.parametrize("name", FILES)
def test_protobuf_counts_the_same_and_names_the_same_inputs(cases: Path, name: str) -> None:
    pytest.importorskip("google.protobuf")
    from om_descriptors import parse

    path = cases / "om" / name
    for model, block in zip(read_om(path).models, partitions(path), strict=True):
        definition: Any = parse("ModelDef", block[Part.MODEL_DEF])
        tasks: Any = parse("ModelTaskDef", block.get(Part.TASK_INFO, b""))
        assert [(task.type, task.stream_id) for task in tasks.task] == [(t.type, t.stream_id) for t in model.tasks]
        assert [graph.name.decode() for graph in definition.graph] == list(model.snapshot.graphs)
        for graph, seen in zip(definition.graph, model.snapshot.graphs.values(), strict=True):
            assert [(op.name.decode(), op.type.decode(), op.id) for op in graph.op] == [
                (node.name, node.type, node.topo_id) for node in seen.nodes
            ]
            assert sum(text != b"" for op in graph.op for text in op.input) == len(seen.edges)
            assert [sorted({bytes(attr.key) for attr in op.attr}) == [] for op in graph.op] == [
                not [key for key in node.attrs if "_desc_" not in key and key not in OP_FIELDS] for node in seen.nodes
            ]
            assert [
                (list(desc.shape.dim), desc.size) for op in graph.op for desc in (*op.input_desc, *op.output_desc)
            ] == [
                (
                    list(as_tuple(node.attrs.get(f"{side}_desc_shape:{k}", ()))),
                    node.attrs.get(f"{side}_desc_size:{k}", 0),
                )
                for node in seen.nodes
                for side, count in (("input", node.inputs), ("output", node.outputs))
                for k in range(count)
            ]


@pytest.mark.parametrize("name", FILES)
def test_protobuf_sees_the_same_operators_edges_and_sub_graphs(cases: Path, name: str) -> None:
    """With messages that are declared apart from the reader's own table."""
    pytest.importorskip("google.protobuf")
    from ge_messages import graphs_in, graphs_of, parse_model

    path = cases / "om" / name
    for model, block in zip(read_om(path).models, partitions(path), strict=True):
        assert graphs_in(model.snapshot) == graphs_of(parse_model(block[Part.MODEL_DEF]))


def as_tuple(value: object) -> tuple[Any, ...]:
    assert isinstance(value, tuple)
    return value


@pytest.mark.parametrize("name", FILES)
def test_no_name_stays_coded(cases: Path, name: str) -> None:
    nodes = [node for m in read_om(cases / "om" / name).models for g in m.snapshot.graphs.values() for node in g.nodes]
    assert [key for node in nodes for key in node.attrs if "\0" in key] == []


def test_names_of_later_models_are_coded_twice(cases: Path) -> None:
    om = read_om(cases / "om" / "dynamic_and_static_graph_without_unfold.om")
    add = next(node for node in om.models[1].snapshot.graphs["sub_1"].nodes if node.name == "add")
    known = next(node for node in om.models[0].snapshot.graphs["root"].nodes if node.name == "known_op")
    assert add.attrs["_ge_attr_op_kernel_lib_name"] == "aicpu_ascend_kernel"
    assert known.attrs["_kernelname"] == "FakeKernelName"
    assert known.subgraphs == ("sub_1",)


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_survives_reading_writing_and_reading(cases: Path, name: str) -> None:
    om = read_om(cases / "om" / name)
    written = write_om(om)
    again = parse_om(memoryview(written), "again")
    assert again == om
    assert write_om(again) == written


def test_weights_are_slices_of_the_file_at_their_places(cases: Path) -> None:
    model = read_om(cases / "om" / "anenet.om").models[0]
    constants = [node for node in model.snapshot.graphs[model.snapshot.root].nodes if node.type == "Const"]
    descs = [first(first(node.attrs["value"], "t"), "desc") for node in constants]
    spans = [(int(str(first(desc, "data_offset"))), int(str(first(desc, "weight_size")))) for desc in descs]
    assert len(constants) == 393
    assert {first(first(node.attrs["value"], "t"), "data") for node in constants} == {()}
    assert min(spans) == (512, 32)
    assert min(size for _, size in spans) > 0
    assert [offset for offset, _ in spans if offset % 512] == []
    ordered = sorted(spans)
    assert [pair for pair in pairwise(ordered) if sum(pair[0]) > pair[1][0]] == []
    assert max(offset + size for offset, size in spans) == 2_202_632
    assert len(model.weights_data) == 2_203_648
    for node, (offset, size) in zip(constants, spans, strict=True):
        found = model.weights(node)
        assert found is not None
        assert found == model.weights_data[offset : offset + size]
    assert (
        model.weights(next(n for n in model.snapshot.graphs[model.snapshot.root].nodes if n.type == "Conv2D")) is None
    )


def test_weights_of_floats_are_numbers(cases: Path) -> None:
    """A wrong offset would read the middle of another constant, or of the padding between them."""
    model = read_om(cases / "om" / "anenet.om").models[0]
    nodes = [node for node in model.snapshot.graphs[model.snapshot.root].nodes if node.type == "Const"]
    halves = [node for node in nodes if node.attrs.get("output_desc_dtype:0") == "DT_FLOAT16"]
    assert len(halves) > 100
    for node in halves:
        weights = model.weights(node)
        assert weights is not None
        assert np.isfinite(np.frombuffer(weights, "<f2").astype(np.float64)).all(), node.name


def test_inputs_and_outputs_are_listed(cases: Path) -> None:
    model = read_om(cases / "om" / "anenet.om").models[0]
    assert [(t.name, t.size, t.format, t.dtype, t.dims) for t in model.inputs] == [
        ("input_image", 1572864, 0, 0, (1, 3, 256, 512))
    ]
    assert len(model.outputs) == 2


@pytest.mark.parametrize(("name", "wanted"), [("anenet.om", ANENET), ("autoenc.om", {**TWO_STREAMS, "END_GRAPH": 1})])
def test_tasks_have_the_types_of_the_specification(cases: Path, name: str, wanted: dict[str, int]) -> None:
    found: dict[str, int] = {}
    for task in read_om(cases / "om" / name).models[0].tasks:
        found[task.type_name] = found.get(task.type_name, 0) + 1
    assert found == wanted


@pytest.mark.parametrize("name", ["a3c_new.om", "anenet.om", "autoenc.om"])
def test_a_kernel_task_names_a_node_of_the_graph(cases: Path, name: str) -> None:
    model = read_om(cases / "om" / name).models[0]
    nodes = {node.topo_id: node for graph in model.snapshot.graphs.values() for node in graph.nodes}
    named = [task for task in model.tasks if task.type_name == "KERNEL"]
    assert [task for task in named if task.op_index not in nodes or not task.kernel] == []


def test_a_flow_model_holds_two_files(cases: Path) -> None:
    om = read_om(cases / "om" / "flow_model.om")
    assert [(sub.name, sub.type) for sub in om.submodels] == [("graph1", "NPU"), ("graph2", "HOST_CPU")]
    assert [len(counts(sub.om)) for sub in om.submodels if sub.om is not None] == [1, 1]


def test_a_model_of_a_megabyte_is_read_in_150_ms(cases: Path) -> None:
    pytest.importorskip("google.protobuf")
    from om_descriptors import parse

    content = partitions(cases / "om" / "anenet.om")[0][Part.MODEL_DEF]
    ours, theirs = [], []
    for _ in range(5):
        start = time.process_time()
        read_model_def(Wire(content, "anenet"), "")
        ours.append(time.process_time() - start)
        start = time.process_time()
        parse("ModelDef", content)
        theirs.append(time.process_time() - start)
    print(f"ours {min(ours) * 1e3:.0f} ms, protobuf {min(theirs) * 1e3:.0f} ms, ratio {min(ours) / min(theirs):.0f}")
    assert len(content) == 1_297_461
    assert min(ours) < 0.150
