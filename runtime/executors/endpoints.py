"""Which end points of a graph share one value (spec/lowering.md 1.5, execution.md 2.1).

A producer's output, the inputs it feeds, the InnerData of a sub graph behind a parent's input and the InnerNetOutput
behind a parent's output are one value, and so is an output that refers to another. The value is found by walking back
to the output that makes it.
"""

from collections.abc import Iterable

from getrace.errors import ModelError
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.kernels.context import Cell

EndPoint = tuple[FastNode, int]
"""A node and the index of one of its outputs."""


class Cells:
    """One cell per value; they are released in reverse order of creation."""

    def __init__(self, root: ExecuteGraph) -> None:
        self._cells: dict[EndPoint, Cell] = {}
        self._by_name = {node.name: node for node in root.all_nodes()}

    def of_output(self, node: FastNode, index: int) -> Cell:
        """Give the cell of an output."""
        end = self._origin((node, index))
        cell = self._cells.get(end)
        if cell is None:
            cell = self._cells[end] = Cell()
        return cell

    def of_input(self, node: FastNode, index: int) -> Cell:
        """Give the cell of what feeds an input. Raises ModelError when nothing does."""
        feeding = node.inputs[index]
        if feeding is None:
            raise ModelError(f"input {index} of node {node.name} is not connected")
        return self.of_output(*feeding)

    def release(self) -> None:
        """End all values, the youngest first."""
        for cell in reversed(self._cells.values()):
            cell.release()

    def _origin(self, end: EndPoint) -> EndPoint:
        seen: set[EndPoint] = set()
        while end not in seen:
            seen.add(end)
            before = self._step_back(end)
            if before is None:
                return end
            end = before
        raise ModelError(f"the values of node {end[0].name} refer to each other in a circle")

    def _step_back(self, end: EndPoint) -> EndPoint | None:
        node, index = end
        if index in node.output_refs:
            name, output = node.output_refs[index]
            return self._by_name[name], output
        if node.type == "InnerData":
            parent, number = node.graph.parent_node, node.attrs["index"]
            assert parent is not None
            assert isinstance(number, int)
            return _fed(parent, number)
        if node.subgraph_names:
            return _fed(_inner_output(node.subgraphs), index)
        return None


def _fed(node: FastNode, index: int) -> EndPoint:
    feeding = node.inputs[index]
    if feeding is None:
        raise ModelError(f"input {index} of node {node.name} is not connected")
    return feeding


def _inner_output(graphs: Iterable[ExecuteGraph]) -> FastNode:
    for graph in graphs:
        for node in graph.nodes:
            if node.type == "InnerNetOutput":
                return node
        raise ModelError(f"graph {graph.name} has no InnerNetOutput")
    raise ModelError("a node without sub graphs has no inner output")
