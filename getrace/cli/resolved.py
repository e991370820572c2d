"""What the verbs say of kernels and the graphs beside a log: the JSON of ``getrace.analysis.resolution``."""

from collections import Counter
from typing import TYPE_CHECKING

from getrace.analysis.resolution import NodeAt, Tensor, resolve_store, tensors
from getrace.cli.envelope import Json, clean
from getrace.printable import printable

if TYPE_CHECKING:
    from getrace.store.store import Store


def resolution_json(store: "Store") -> Json | None:
    """Say of each operator of the log which node it is; None without any graph beside the log."""
    if not store.graphs:
        return None
    found = resolve_store(store)
    kernels = Counter(each.op for each in found)
    first = {each.op: each for each in reversed(found) if each.op}
    return {
        "graphs": [{"file": clean(graph.source), "stage": clean(graph.stage)} for graph in store.graphs],
        "kernels": len(found),
        "resolved": sum(each.at is not None for each in found),
        "of_no_operator": sum(not each.op and each.at is None for each in found),
        "operators": [
            {
                "op": clean(op),
                "kernels": kernels[op],
                "how": None if each.how is None else str(each.how),
                "node": None if each.at is None else node_json(each.at),
                "reason": each.reason or None,
            }
            for op, each in sorted(first.items())
        ],
        "unresolved": [
            {"kernel": clean(each.kernel), "reason": each.reason} for each in found if each.op and each.at is None
        ],
    }


def node_json(at: NodeAt) -> Json:
    """Say where a node stands."""
    return {
        "file": clean(at.snapshot.source),
        "stage": clean(at.snapshot.stage),
        "graph": clean(at.graph),
        "name": clean(at.node.name),
        "type": clean(at.node.type),
        "others": at.others,
    }


def operator_json(at: NodeAt) -> Json:
    """Say where the node of an operator stands, and what it takes and gives."""
    sides = {
        f"{side}s": [
            {"dtype": each.dtype, "shape": each.shape, "layout": each.layout} for each in tensors(at.node, side)
        ]
        for side in ("input", "output")
    }
    return {**node_json(at), **sides}


def tensor_text(tensor: Tensor) -> str:
    """Spell an input or output: ``DT_FLOAT[2,-1] ND``."""
    dims = ",".join(map(str, tensor.shape)) if isinstance(tensor.shape, tuple) else str(tensor.shape)
    return printable(f"{tensor.dtype!s}[{dims}] {tensor.layout!s}")
