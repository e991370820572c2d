"""If: what a branch takes from outside, and the names its parts get.

In ONNX a branch sees every value around it; in Ascend it sees inputs. The values that either branch takes are collected
and become inputs of both, and of the If itself.

Source: spec/formats.md 5.2 (If; Loop and Scan have no adapter).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from getrace.dumps.onnx_model import OnnxGraph, OnnxNode
from getrace.errors import ModelError

_BRANCHES: Final = ("then_branch", "else_branch")


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch: its graph, and the name that the graph gets."""

    name: str
    graph: OnnxGraph


def branches_of(node: OnnxNode, label: str) -> tuple[Branch, Branch]:
    """Give the branch for true, then the one for false. Raises ModelError when an If does not have exactly these."""
    graphs = dict(node.graphs())
    if set(node.attrs) != set(_BRANCHES) or set(graphs) != set(_BRANCHES):
        raise ModelError(f"node '{label}' of type If has the attributes {sorted(node.attrs)}", "it takes two branches")
    then, other = (Branch(f"{label}_{at}_{name}", graphs[name]) for at, name in enumerate(_BRANCHES))
    return then, other


def captured(*graphs: OnnxGraph) -> list[str]:
    """Give the names of values that graphs take from outside, each once, sorted."""
    return sorted({name for graph in graphs for name in _free(graph)})


def _free(graph: OnnxGraph) -> set[str]:
    made = {tensor.name for tensor in graph.initializers} | {value.name for value in graph.inputs}
    made |= {name for node in graph.nodes for name in node.outputs}
    read = {value.name for value in graph.outputs}
    for node in graph.nodes:
        read |= set(node.inputs)
        for inner in _inner(node):
            read |= _free(inner)
    return read - made - {""}


def _inner(node: OnnxNode) -> Iterator[OnnxGraph]:
    return (graph for _, graph in node.graphs())
