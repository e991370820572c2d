"""A model computed by numpy alone, node after node: what any executor has to give.

It shares no code with the operators of the runtime: each type is written out once more.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from runtime.graph.compute_graph import ComputeGraph, ComputeNode

Array = npt.NDArray[Any]
Attrs = Mapping[str, Any]
Compute = Callable[[Attrs, Sequence[Array]], Any]

COMPUTE: Final[Mapping[str, Compute]] = {
    "Relu": lambda _attrs, a: a[0] * (a[0] > 0),
    "Neg": lambda _attrs, a: -a[0],
    "Abs": lambda _attrs, a: np.where(a[0] < 0, -a[0], a[0]),
    "Sigmoid": lambda _attrs, a: 1 / (1 + np.exp(-a[0])),
    "Tanh": lambda _attrs, a: np.tanh(a[0]),
    "Add": lambda _attrs, a: a[0] + a[1],
    "Sub": lambda _attrs, a: a[0] - a[1],
    "Maximum": lambda _attrs, a: np.where(a[0] > a[1], a[0], a[1]),
    "Minimum": lambda _attrs, a: np.where(a[0] < a[1], a[0], a[1]),
    "Less": lambda _attrs, a: a[0] < a[1],
    "LessThan_5": lambda _attrs, a: a[0] < 5,
    "Add_1": lambda _attrs, a: a[0] + np.float32(1),
    "SelectV2": lambda _attrs, a: np.where(a[0], a[1], a[2]),
    "ReduceSumD": lambda attrs, a: a[0].sum(axis=attrs["axes"]),
    "NonZero": lambda _attrs, a: np.stack(np.nonzero(a[0]), axis=1),
    "Unique": lambda _attrs, a: np.array(list(dict.fromkeys(a[0].tolist())), a[0].dtype),
    "Unsqueeze": lambda _attrs, a: a[0][:, None],
    "Size": lambda _attrs, a: a[0].size,
    "Rank": lambda _attrs, a: a[0].ndim,
    "Cast": lambda _attrs, a: a[0],
}

Values = dict[tuple[ComputeNode, int], Array]


def evaluate(graph: ComputeGraph, inputs: Sequence[Array]) -> list[Array]:
    """Give the outputs of a model; nodes stand in an order in which they can be computed."""
    values: Values = {}
    for node in graph.nodes:
        if node.type == "Data":
            values[node, 0] = inputs[int(str(node.op.attrs.get("_parent_node_index", node.op.attrs["index"])))]
            continue
        arrays = [values[source] for source in node.inputs if source is not None]
        if node.type == "NetOutput":
            return arrays
        for index, array in enumerate(_outputs(node, arrays)):
            values[node, index] = array.astype(node.op.outputs[index].dtype.numpy)
    raise AssertionError(f"graph {graph.name} has no NetOutput")


def _outputs(node: ComputeNode, arrays: Sequence[Array]) -> list[Array]:
    if node.type == "If":
        then, otherwise = node.subgraphs
        return evaluate(then if arrays[0] else otherwise, arrays)
    if node.type == "Case":
        last = len(node.subgraphs) - 1
        return evaluate(node.subgraphs[int(arrays[0]) if 0 <= arrays[0] < last else last], arrays)
    if node.type == "While":
        cond, body = node.subgraphs
        while evaluate(cond, arrays)[0]:
            arrays = evaluate(body, arrays)
        return list(arrays)
    return [np.asarray(COMPUTE[node.type](node.op.attrs, arrays))]
