"""What comes of a model that cannot be lowered: the node, GE's status, and the texts GE would print, innermost first.

GE unwinds through three functions that each print a line; a caller that built these texts itself would have to know
where in the walk the fault was.

Source: spec/kerneltrace.md 7.4 (lowering), runtime/v2/lowering/graph_converter.cc and model_converter.cc.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from getrace.errors import ModelError
from runtime.graph.compute_graph import ComputeNode
from runtime.kernels.status import Status


class LoweringError(ModelError):
    """A model that cannot be lowered. ``status`` is what GE's converter returns; ``said`` are GE's texts."""

    status: ClassVar[Status] = Status.FAILED

    def __init__(self, cause: ModelError, node: ComputeNode, said: str) -> None:
        super().__init__(cause.message, cause.hint)
        self.node = node
        self.said = (cause.message, said, f"Failed lowering compute graph {node.graph.root.name}")


def no_converter(cause: ModelError, node: ComputeNode) -> LoweringError:
    """No converter was found."""
    engine = node.op.engine
    text = f"Failed to get lowering func for node name[{node.name}], node type[{node.type}], engine[{engine}]"
    return LoweringError(cause, node, text)


def no_inputs(cause: ModelError, node: ComputeNode) -> LoweringError:
    """An input of the node has no producer, or no way leads to where the node wants it."""
    return LoweringError(cause, node, f"Failed to construct inputs for node {node.name}, reason {cause.message}")


def not_lowered(cause: ModelError, node: ComputeNode) -> LoweringError:
    """The node's converter refused it."""
    return LoweringError(cause, node, f"Failed to lowering node {node.name}, reason {cause.message}")


@contextmanager
def refused_as(how: Callable[[ModelError, ComputeNode], LoweringError], node: ComputeNode) -> Iterator[None]:
    """Turn a refusal into one that knows its node; one that comes from a sub graph knows it already."""
    try:
        yield
    except LoweringError:
        raise
    except ModelError as cause:
        raise how(cause, node) from cause
