"""The table of compute nodes that travels with a finished graph: one row for all that say the same.

It owns the last meaning of ``ComputeNodeIndex``. While a model is lowered the number counts compute nodes; afterwards
it is a row of this table, and nodes of several branches may share one (spec/lowering.md 9.5, 12.2).
"""

from collections.abc import Hashable, Iterable

from runtime.graph.compute_graph import ComputeNode, TensorDesc
from runtime.graph.execute_graph import ExecuteGraph

_WITHOUT_ATTRS = frozenset({"Const", "Constant"})
_LINKS = frozenset({"dst_index", "dst_name", "is_input_const", "src_index", "src_name"})
"""Attributes in which a compute graph repeats its own edges."""


def renumber_compute_nodes(root: ExecuteGraph) -> None:
    """Make a graph's compute nodes its table, and its ``ComputeNodeIndex`` attributes rows of it."""
    rows: dict[Hashable, int] = {}
    table: list[ComputeNode] = []
    row_of: list[int] = []
    for node in root.compute_nodes:
        row = rows.setdefault(_content(node), len(rows))
        if row == len(table):
            table.append(node)
        row_of.append(row)
    for graph in (root, *root.all_subgraphs):
        for kernel in graph.nodes:
            index = kernel.attrs.get("ComputeNodeIndex")
            if isinstance(index, int):
                kernel.attrs["ComputeNodeIndex"] = row_of[index]
    root.compute_nodes = table


def _content(node: ComputeNode) -> Hashable:
    """What GE writes of a compute node: its name and type, types and formats of its tensors, what its author set.

    Attributes that begin with an underscore are the compiler's.
    """
    attrs = () if node.type in _WITHOUT_ATTRS else _author_attrs(node)
    return node.name, node.type, _tensors(node.op.inputs), _tensors(node.op.outputs), attrs


def _tensors(descs: Iterable[TensorDesc]) -> Hashable:
    return tuple((desc.dtype, desc.format) for desc in descs)


def _author_attrs(node: ComputeNode) -> Hashable:
    attrs = ((key, value) for key, value in node.op.attrs.items() if not key.startswith("_") and key not in _LINKS)
    return tuple(sorted((key, repr(value)) for key, value in attrs))
