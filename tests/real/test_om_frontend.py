"""Real offline models as compute graphs: nodes, engines, tasks, weights (spec/formats.md 1.14)."""

from pathlib import Path

import pytest

from getrace.cli import main
from getrace.dumps.om_file import read_om
from runtime.api.support import unimplemented
from runtime.frontend.om import compute_graph_of_om
from runtime.ops.builtin import builtin_ops

pytestmark = pytest.mark.real

NODES = {
    "a3c_new.om": 25,
    "anenet.om": 547,
    "autoenc.om": 46,
    "dynamic_and_static_graph_without_unfold.om": 14,
    "flow_model.om": 3,
    "root_model.om": 3,
}


@pytest.mark.parametrize("name", NODES)
def test_every_node_is_there(name: str, cases: Path) -> None:
    graph = compute_graph_of_om(read_om(cases / "om" / name))
    assert sum(len(each.nodes) for each in graph.all_graphs()) == NODES[name]
    assert all(node.op.engine for node in graph.all_nodes())


def test_constants_hold_their_weights_and_operators_their_tasks(cases: Path) -> None:
    graph = compute_graph_of_om(read_om(cases / "om" / "anenet.om"))
    constants = graph.of_type(["Const"])
    assert len(constants) == 393
    assert all(node.op.attrs["value"] for node in constants)
    assert {node.op.tasks for node in graph.of_type(["Conv2D"])} == {("KERNEL",)}
    assert sorted(unimplemented(graph, builtin_ops())) == [
        "AutomaticBufferFusionOp",
        "Conv2D",
        "Conv2DTransposeD",
        "MaxPoolV3",
        "ResizeBilinearV2",
        "TransData",
    ]


def test_an_old_model_gets_its_engines_and_numbers_of_inputs(cases: Path) -> None:
    graph = compute_graph_of_om(read_om(cases / "om" / "a3c_new.om"))
    [data] = graph.of_type(["Data"])
    assert (data.op.attrs["index"], data.op.engine) == (0, "DNN_VM_GE_LOCAL_OP_STORE")
    assert {node.op.engine for node in graph.of_type(["Conv2D", "MatMulV2"])} == {"AIcoreEngine"}


REFUSED = {
    "a3c_new.om": "no implementation of 3 operator types of a3c_pong_model_0: ArgMaxD (out_a); Conv2D (",
    "anenet.om": "no implementation of 6 operator types of my_122_anenet_0: AutomaticBufferFusionOp (",
    "autoenc.om": "no implementation of 5 operator types of hh_om_0: AtomicAddrClean (atomic_addr_clean-1_0); ",
    "dynamic_and_static_graph_without_unfold.om": (
        "node rank (Rank) makes one element, but the model says its output has the shape [2,2]"
    ),
    "flow_model.om": "no implementation of one operator type of root_graph: FakeOpNpu (fused_op1)",
    "root_model.om": "no implementation of one operator type of test_graph_cache: FakeOpNpu (fused_op1)",
}


@pytest.mark.parametrize("name", NODES)
def test_what_cannot_run_here_is_refused_with_its_nodes(
    name: str, cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(cases / "om" / name), "--no-tui"]) == 3
    assert REFUSED[name] in capsys.readouterr().err
