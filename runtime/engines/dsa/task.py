"""The task of a random number operator, read from its attributes and checked once.

Source: spec/lowering.md 4.7 (DSA); fields of GE's ``DSATaskDef``.
"""

from dataclasses import dataclass

from getrace.errors import ModelError
from runtime.graph.compute_graph import DSA, ComputeNode
from runtime.kernels.payloads_dsa import DsaSqe

STATELESS = frozenset(
    {
        "DSAStatelessRandomTruncatedNormal",
        "DSAStatelessRandomNormal",
        "DSAStatelessGenBitMask",
        "DSAStatelessRandomUniform",
    }
)
"""Operators whose generator starts anew with each call: they keep no state between runs, and need one workspace."""

LEAST_INPUTS, MOST_INPUTS = 3, 5

_SQE_FIELDS = ("sqe_type", "start", "distribution", "data_type", "algorithm", "input_valid", "input_is_address")


@dataclass(frozen=True, slots=True)
class DsaTask:
    """``*_by_address``: 1 when the text beside it is an address and not a value."""

    workspaces: tuple[int, ...]
    seed_by_address: int
    count_by_address: int
    seed: str
    count: str
    input_by_address: int
    input1: str
    input2: str
    sqe: DsaSqe


def read_dsa_task(node: ComputeNode, inputs: int) -> DsaTask:
    """Read the task of a node with so many inputs. Raises ModelError, in GE's words, when a number is wrong."""
    _require_task(node)
    workspaces, expected = _workspaces(node), 1 if node.type in STATELESS else 2
    if len(workspaces) != expected:
        raise ModelError(f"Node {node.name} workspace addr size {len(workspaces)} is wrong, expected {expected}")
    if not LEAST_INPUTS <= inputs <= MOST_INPUTS:
        raise ModelError(
            f"Node {node.name} input addr size {inputs} is wrong, expected between {LEAST_INPUTS} and {MOST_INPUTS}"
        )
    if len(node.op.outputs) != 1:
        raise ModelError(f"Node {node.name} output addr size {len(node.op.outputs)} is wrong, expected 1")
    return DsaTask(
        workspaces,
        node.op.number("dsa_seed_by_address"),
        node.op.number("dsa_count_by_address"),
        _text(node, "dsa_seed"),
        _text(node, "dsa_count"),
        node.op.number("dsa_input_by_address"),
        _text(node, "dsa_input1"),
        _text(node, "dsa_input2"),
        DsaSqe(*(node.op.number(f"dsa_{name}") for name in _SQE_FIELDS)),
    )


def _require_task(node: ComputeNode) -> None:
    if not node.op.tasks:
        raise ModelError(f"Can not find compile result for node {node.name} type {node.type}")
    if node.op.tasks != (DSA,):
        raise ModelError(f"Unexpected task defs count {len(node.op.tasks)} (node {node.name})", "it takes one DSA task")


def _workspaces(node: ComputeNode) -> tuple[int, ...]:
    value = node.op.attrs.get("workspace_bytes", ())
    sizes = value if isinstance(value, tuple) else (value,)
    return tuple(size for size in sizes if isinstance(size, int))


def _text(node: ComputeNode, name: str) -> str:
    value = node.op.attrs.get(name, "")
    return value if isinstance(value, str) else ""
