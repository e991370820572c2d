"""Operators that leave no kernel: they order others, or are refused by GE.

Their control edges live on: who waits for one of them waits for whatever it waited for.

Source: spec/lowering.md 3 and 4.11.
"""

from getrace.errors import ModelError
from runtime.engines.contract import LowerInput, LowerResult
from runtime.graph.compute_graph import ComputeNode

ORDERING = ("NoOp", "ControlTrigger", "Send", "Recv", "StreamActive")
"""Types without kernels."""

REFUSED = ("StreamSwitch", "StreamMerge", "Enter", "RefEnter", "NextIteration", "RefNextIteration")
"""Types of a model with control flow in the old style, which the runtime does not run."""


def convert_to_nothing(_: ComputeNode, __: LowerInput) -> LowerResult:
    """Lower an operator without kernels; the walk hands its input orders on."""
    return LowerResult()


def refuse(node: ComputeNode, _: LowerInput) -> LowerResult:
    """Raise ModelError: the type has a converter so that its name is known, and the converter says no."""
    raise ModelError(
        f"node {node.name} type {node.type} cannot run in a dynamic-shape model",
        "use If, Case and While, which own their graphs",
    )
