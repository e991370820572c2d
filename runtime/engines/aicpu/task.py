"""The task of an AI CPU operator, as its compiler left it: read and checked once.

GE keeps it in a task of the model, beside the graph. Here it is read from attributes, and each has a default: an
operator that says nothing is one of the built-in library. If the steps of the converter read attributes themselves, a
broken task would be found half way through a lowering.

Source: spec/lowering.md 4.5; the structure of extended information: GE's ``FWKAdapter::ExtInfo``.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum

from getrace.errors import ModelError
from runtime.graph.compute_graph import KERNEL_EX, ComputeNode

TF_ENGINE = "aicpu_tf_kernel"
CC_ENGINE = "aicpu_ascend_kernel"
HOST_ENGINE = "DNN_VM_HOST_CPU_OP_STORE"

ARGS_ATTR = "aicpu_args"
EXT_INFO_ATTR = "aicpu_ext_info"
TASK_INFO_ATTR = "aicpu_task_info"
KERNEL_NAME_ATTR = "aicpu_kernel_name"
SO_NAME_ATTR = "aicpu_so_name"
KERNEL_TYPE_ATTR = "aicpu_kernel_type"
CUSTOM_BINARY_ATTR = "cust_aicpu_kernel"


class KernelType(IntEnum):
    """``ccKernelType``: whose library holds the kernel."""

    AI_CPU = 6
    CUST_AI_CPU = 7


_LIBRARIES = {KernelType.AI_CPU: "libaicpu_kernels.so", KernelType.CUST_AI_CPU: "libcust_aicpu_kernels.so"}
_TF_ARGS_BYTES = 112
"""``STR_FWK_OP_KERNEL``: a fixed structure; the addresses lie elsewhere."""

_HEADER_BYTES, _ADDRESS_BYTES = 20, 8
"""``AicpuParamHead`` of the other engines, and each of the addresses behind it."""

_SHAPE_TYPE, _INPUT_SHAPES, _OUTPUT_SHAPES, _SESSION = 0, 1, 2, 3
_SHAPE_BYTES = 68
"""``ShapeAndType``: a type and eight dimensions, packed."""

_SESSION_BYTES = 17


@dataclass(frozen=True, slots=True)
class AicpuTask:
    """``args``: the argument block, addresses still zero. ``ext_info`` is empty for an operator that has none."""

    args: bytes
    ext_info: bytes
    task_info: bytes
    kernel_name: str
    so_name: str
    kernel_type: KernelType
    custom_binary: bytes | None


def read_task(node: ComputeNode, wanted: str, missing: str) -> AicpuTask:
    """Read the task of a node. Raises ModelError, in GE's words, when it has none of the type ``wanted``."""
    if not node.op.tasks:
        raise ModelError(
            f"Can not find compile result for node {node.name} type {node.type}",
            "the model was not built for this engine",
        )
    if wanted not in node.op.tasks:
        raise ModelError(f"{missing} (node {node.name})", f"its tasks are {', '.join(node.op.tasks)}, not {wanted}")
    kernel_type = _kernel_type(node)
    return AicpuTask(
        _content(node, ARGS_ATTR, _default_args(node, wanted)),
        _content(node, EXT_INFO_ATTR, default_ext_info(node)),
        _content(node, TASK_INFO_ATTR, b""),
        _text(node, KERNEL_NAME_ATTR, "RunCpuKernel"),
        _text(node, SO_NAME_ATTR, _LIBRARIES[kernel_type]),
        kernel_type,
        _content(node, CUSTOM_BINARY_ATTR, b"") or None,
    )


def _default_args(node: ComputeNode, task_type: str) -> bytes:
    """An argument block of the right length, addresses still zero."""
    io_num = len(node.op.inputs) + len(node.op.outputs)
    return bytes(_TF_ARGS_BYTES if task_type == KERNEL_EX else _HEADER_BYTES + _ADDRESS_BYTES * io_num)


def default_ext_info(node: ComputeNode) -> bytes:
    """Extended information with the shape type, room for all shapes, and the session: what the AI CPU compiler writes.

    A list of entries, each its type, its length in bytes and its content; shapes are unknown (all zero).
    """
    entries = (
        (_SHAPE_TYPE, struct.pack("<i", node.op.number("_unknown_shape_type"))),
        (_INPUT_SHAPES, bytes(_SHAPE_BYTES * len(node.op.inputs))),
        (_OUTPUT_SHAPES, bytes(_SHAPE_BYTES * len(node.op.outputs))),
        (_SESSION, bytes(_SESSION_BYTES)),
    )
    return b"".join(struct.pack("<iI", kind, len(content)) + content for kind, content in entries)


def _kernel_type(node: ComputeNode) -> KernelType:
    value = node.op.attrs.get(KERNEL_TYPE_ATTR, KernelType.AI_CPU)
    if not isinstance(value, int) or value not in tuple(KernelType):
        raise ModelError(
            f"attribute '{KERNEL_TYPE_ATTR}' of node {node.name} is {value!r}",
            f"AI CPU kernels are of type {KernelType.AI_CPU:d} (built in) or {KernelType.CUST_AI_CPU:d} (the user's)",
        )
    return KernelType(value)


def _content(node: ComputeNode, name: str, default: bytes) -> bytes:
    value = node.op.attrs.get(name, default)
    if not isinstance(value, bytes):
        raise ModelError(f"attribute '{name}' of node {node.name} holds no bytes")
    return value


def _text(node: ComputeNode, name: str, default: str) -> str:
    value = node.op.attrs.get(name, default)
    if not isinstance(value, str):
        raise ModelError(f"attribute '{name}' of node {node.name} is not a text")
    return value
