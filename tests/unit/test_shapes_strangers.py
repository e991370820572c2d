"""A dump of another model beside a log tells nothing of the log."""

import pytest
from compute_snapshots import graph, node, snapshot
from handmade import HandLog
from handmade_failures import launch

from getrace.analysis.shapes import shapes_of
from getrace.dumps.snapshot import GraphSnapshot
from getrace.events.markers import ModelEnd, ModelStart

OPEN, KNOWN = (-1, 4), (2, 4)


def _model(name: str, operator: str) -> GraphSnapshot:
    nodes = [node("x", "Data", [OPEN], [OPEN]), node(operator, "Relu", [OPEN], [OPEN])]
    return snapshot(graph(name, nodes, ("x", operator, 0)))


def _log(kernel: str | None, *graphs: GraphSnapshot) -> HandLog:
    log = HandLog()
    log.say(ModelStart())
    if kernel is not None:
        launch(log, kernel, 2, 6)
    log.say(ModelEnd())
    log.store().graphs.extend(graphs)
    return log


@pytest.mark.parametrize(
    ("kernel", "told", "unknown"),
    [
        ("LaunchKernelWithFlag_pay_4", ["shop"], ["whether graph bank is of this log"]),
        ("MakeSureTensorAtDevice_x_4", ["shop", "bank"], []),
        (None, ["shop", "bank"], []),
    ],
    ids=["launched", "only an input", "nothing"],
)
def test_only_dumps_whose_operators_the_log_launched_are_told(
    kernel: str | None, told: list[str], unknown: list[str]
) -> None:
    shapes = shapes_of(_log(kernel, _model("shop", "pay"), _model("bank", "count")).store())
    assert [kind.graph for kind in shapes.kinds] == told
    assert [reason.name for reason in shapes.dynamic] == ["x"] * len(told)
    assert [each.what for each in shapes.unknown if "graph" in each.what and "of this log" in each.what] == unknown
