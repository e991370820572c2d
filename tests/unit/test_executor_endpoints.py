"""Values of an execute graph: the cell of an input is found in a time that does not depend on its neighbours."""

import pytest

from getrace.errors import ModelError
from runtime.executors.endpoints import Cells
from runtime.graph.execute_graph import ExecuteGraph, FastNode


def test_an_input_is_looked_up_without_listing_all_inputs_of_its_node(monkeypatch: pytest.MonkeyPatch) -> None:
    root = ExecuteGraph("ROOT")
    giver = root.add_node("giver", "Const", outputs=3)
    taker = root.add_node("taker", "FreeMemory", inputs=4)
    for slot in range(3):
        root.add_edge(giver, slot, taker, slot)
    cells = Cells(root)

    def listed(node: FastNode) -> list[tuple[FastNode, int] | None]:
        raise AssertionError(f"all inputs of {node.name} were listed")

    monkeypatch.setattr(FastNode, "inputs", property(listed))
    assert [cells.of_input(taker, slot) is cells.of_output(giver, slot) for slot in range(3)] == [True] * 3
    with pytest.raises(ModelError, match="input 3 of node taker is not connected"):
        cells.of_input(taker, 3)
