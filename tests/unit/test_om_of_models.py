"""The simulator's own models as OMs and back."""

import numpy as np
import pytest

from getrace.dumps.om_file import parse_om
from getrace.dumps.om_writer import write_om
from runtime.frontend.from_snapshot import compute_graph_of
from runtime.frontend.to_om import om_of
from runtime.graph.builder import GE_LOCAL, GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph
from runtime.graph.to_snapshot import snapshot_of_compute_graph

HALF = np.arange(6, dtype="<f4").tobytes()
ONE = np.ones(3, dtype="<f4").tobytes()


def model(rows: int) -> ComputeGraph:
    graph = GraphBuilder("two_adds")
    x = graph.data("x", (rows, 3))
    total = graph.op("Add", x, graph.const("half", (2, 3), HALF), name="first")
    return graph.output(graph.op("Add", total, graph.const("one", (3,), ONE), name="second")).build()


def parts(graph: ComputeGraph) -> dict[str, object]:
    """Nodes and edges of all graphs; a dynamic file marks its root graph with attributes of its own."""
    graphs = snapshot_of_compute_graph(graph, "").graphs
    return {name: (each.nodes, each.edges) for name, each in graphs.items()}


def with_folded() -> ComputeGraph:
    """A dynamic model that calls a static one."""
    inner = GraphBuilder("inner")
    y = inner.data("y", (3,))
    inner.output(inner.op("Add", y, inner.const("c", (3,), ONE), name="inner_add"))
    outer = GraphBuilder("outer")
    x = outer.data("x", (-1,))
    fixed = outer.data("fixed", (3,))
    desc = fixed.desc
    called = outer.op("PartitionedCall", fixed, name="call", outputs=(desc,), engine=GE_LOCAL)
    graph = outer.output(outer.op("Relu", x), called).build()
    graph.add_subgraph(called.node, inner.build())
    return graph


@pytest.mark.parametrize(
    ("rows", "kind"),
    [pytest.param(2, (0, 1, 2), id="static"), pytest.param(-1, (1, 1, 2), id="dynamic")],
)
def test_a_model_comes_back_from_its_file(rows: int, kind: tuple[int, int, int]) -> None:
    om = parse_om(memoryview(write_om(om_of(model(rows)))), "two_adds.om")
    assert (om.header.is_dynamic, len(om.models), len(om.models[0].tasks)) == kind
    again = compute_graph_of(om.models[0].with_weights())
    assert parts(again) == parts(model(rows))


def test_weights_lie_in_slots_of_512_bytes_and_not_at_0() -> None:
    om = parse_om(memoryview(write_om(om_of(model(2)))), "two_adds.om")
    only = om.models[0]
    found = {
        node.name: bytes(only.weights(node) or b"")
        for node in only.snapshot.graphs["two_adds"].nodes
        if node.type == "Const"
    }
    assert found == {"half": HALF, "one": ONE}
    assert len(only.weights_data) == 1024 + len(ONE)
    assert bytes(only.weights_data[512 : 512 + len(HALF)]) == HALF


def test_inputs_outputs_and_marks_of_a_dynamic_file() -> None:
    om = parse_om(memoryview(write_om(om_of(model(-1)))), "two_adds.om")
    only = om.models[0]
    assert [(t.name, t.size, t.dims) for t in only.inputs] == [("x", 0, (-1, 3))]
    assert [(t.name, t.size, t.dims) for t in only.outputs] == [("output_0_second_0", 0, (-1, 3))]
    assert only.snapshot.graphs["two_adds"].attrs["_graph_unknown_flag"] is True
    assert om.header.name.rstrip(b"\0") == b"two_adds"


def test_a_static_graph_below_a_dynamic_one_is_a_model_of_its_own() -> None:
    om = parse_om(memoryview(write_om(om_of(with_folded()))), "outer.om")
    assert [model.name for model in om.models] == ["outer", "inner"]
    assert list(om.models[0].snapshot.graphs) == ["outer", "inner"]
    assert [task.op_index for task in om.models[1].tasks] == [
        node.topo_id for node in om.models[1].snapshot.graphs["inner"].nodes if node.name == "inner_add"
    ]
    constant = next(node for node in om.models[1].snapshot.graphs["inner"].nodes if node.name == "c")
    assert bytes(om.models[1].weights(constant) or b"") == ONE


def test_a_branch_keeps_its_owner() -> None:
    graph = GraphBuilder("branches")
    condition = graph.data("condition", ())
    x = graph.data("x", (-1,))
    (chosen,) = graph.if_(
        condition, [x], lambda inner, values: [inner.op("Relu", *values)], lambda _, values: list[Output](values)
    )
    made = graph.output(chosen).build()
    om = parse_om(memoryview(write_om(om_of(made))), "branches.om")
    again = compute_graph_of(om.models[0].with_weights())
    assert parts(again) == parts(made)
