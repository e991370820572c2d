"""Which end points of a graph share one value (spec/lowering.md 1.5, execution.md 2.1).

A producer's output, the inputs it feeds, the InnerData of a sub graph behind a parent's input and what the
InnerNetOutput of each sub graph hands to a parent's output are one value, and so is an output that refers to another.
The outputs are united in one table: a branch's producer has to meet the producers of the other branches, which no walk
from the one to the other finds.
"""

from getrace.errors import ModelError
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.kernels.context import Cell

EndPoint = tuple[FastNode, int]
"""A node and the index of one of its outputs."""


class Cells:
    """One cell per value; they are released in reverse order of creation."""

    def __init__(self, root: ExecuteGraph) -> None:
        self._cells: dict[EndPoint, Cell] = {}
        self._parents: dict[EndPoint, EndPoint] = {}
        self._unite_all(root)

    def of_output(self, node: FastNode, index: int) -> Cell:
        """Give the cell of an output."""
        end = self._value_of((node, index))
        cell = self._cells.get(end)
        if cell is None:
            cell = self._cells[end] = Cell()
        return cell

    def of_input(self, node: FastNode, index: int) -> Cell:
        """Give the cell of what feeds an input. Raises ModelError when nothing does."""
        return self.of_output(*_fed(node, index))

    def release(self) -> None:
        """End all values, the youngest first."""
        for cell in reversed(self._cells.values()):
            cell.release()

    def _unite_all(self, root: ExecuteGraph) -> None:
        nodes = list(root.all_nodes())
        by_name = {node.name: node for node in nodes}
        for node in nodes:
            for index, (name, output) in node.output_refs.items():
                self._unite((node, index), (by_name[name], output))
            if node.type == "InnerData":
                self._unite((node, 0), _outside(node))
            if node.type == "InnerNetOutput" and node.graph.parent_node is not None:
                owner = node.graph.parent_node
                for slot in range(len(node.in_data)):
                    self._unite((owner, slot), _fed(node, slot))

    def _unite(self, end: EndPoint, other: EndPoint) -> None:
        first, second = self._value_of(end), self._value_of(other)
        if first != second:
            self._parents[first] = second

    def _value_of(self, end: EndPoint) -> EndPoint:
        """Find the end point that stands for the value, and shorten the way to it."""
        found = end
        while (parent := self._parents.get(found)) is not None:
            found = parent
        while (parent := self._parents.get(end)) is not None:
            self._parents[end], end = found, parent
        return found


def _fed(node: FastNode, index: int) -> EndPoint:
    # Not through ``inputs``: it lists all of them, and the node that frees a model's memory has thousands.
    feeding = node.in_data[index]
    if feeding is None:
        raise ModelError(f"input {index} of node {node.name} is not connected")
    return feeding.source, feeding.source_output


def _outside(inner: FastNode) -> EndPoint:
    parent, number = inner.graph.parent_node, inner.attrs.get("index")
    if parent is None or not isinstance(number, int):
        raise ModelError(f"node {inner.name} stands for no input of a node above its graph")
    return _fed(parent, number)
