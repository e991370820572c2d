"""Constants of a model: tensors of the file, the operator Constant, and weights in other files.

Source: spec/formats.md 5.2 (external data becomes FileConstant), 5.4 (Constant).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from getrace.dumps.onnx_elements import STRING, element_bytes, external_offset, external_path, size_of
from getrace.dumps.onnx_model import OnnxNode, OnnxTensor
from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.frontend.onnx.element_types import dtype_of
from runtime.frontend.placing import engine_of
from runtime.graph.compute_graph import ComputeGraph, OpDesc, TensorDesc, nd_desc
from runtime.values import MAX_DIMS, DType

FILE_CONSTANT: Final = "FileConstant"
_NUMBERS: Final[Mapping[str, DType]] = {
    "value_float": DType.FLOAT,
    "value_floats": DType.FLOAT,
    "value_int": DType.INT64,
    "value_ints": DType.INT64,
}


def tensor_desc(tensor: OnnxTensor) -> TensorDesc:
    """Describe a tensor of the file. Raises ModelError for texts, types GE does not know, and too many dimensions."""
    where = f"tensor '{tensor.name}'"
    if tensor.dtype == STRING:
        raise ModelError(f"{where} holds texts, which no device of Ascend computes with", "take it out of the model")
    if len(tensor.dims) > MAX_DIMS:
        raise ModelError(f"{where} has {len(tensor.dims)} dimensions", f"GE takes up to {MAX_DIMS}")
    return nd_desc(tensor.dims, dtype_of(tensor.dtype, where))


def read_tensor(tensor: OnnxTensor, folder: Path | None) -> tuple[TensorDesc, bytes]:
    """Describe a tensor and give its bytes. Raises ModelError as ``tensor_desc``, InputError as ``element_bytes``."""
    return tensor_desc(tensor), element_bytes(tensor, folder)


def constant_of(tensor: OnnxTensor, name: str, folder: Path | None) -> OpDesc:
    """Describe a constant; elements in another file make it a FileConstant, whose file is looked for and not read."""
    desc = tensor_desc(tensor)
    if not tensor.external:
        return _const(name, desc, element_bytes(tensor, folder))
    size = size_of(tensor)
    path = external_path(tensor, folder)
    attrs: dict[str, AttrValue] = {
        "shape": tensor.dims,
        "dtype": desc.dtype.number,
        "location": str(path),
        "offset": external_offset(tensor),
        "length": size,
    }
    return OpDesc(name, FILE_CONSTANT, (), (desc,), engine_of(FILE_CONSTANT), attrs=attrs)


def constant_node(node: OnnxNode, name: str, folder: Path | None) -> OpDesc:
    """Describe the operator Constant. Raises ModelError when it holds no numbers."""
    value = node.attrs.get("value")
    if isinstance(value, OnnxTensor):
        return constant_of(value, name, folder)
    for attr, dtype in _NUMBERS.items():
        if attr in node.attrs:
            array = np.array(node.attrs[attr], dtype.numpy)
            return _const(name, nd_desc(array.shape, dtype), array.tobytes())
    raise ModelError(
        f"node '{name}' of type Constant holds no tensor of numbers", "GE takes value, value_int(s), _float(s)"
    )


def take_in_files(graph: ComputeGraph, tensors: Mapping[str, OnnxTensor], folder: Path) -> None:
    """Make a Const of each FileConstant, as GE's build does unless it is told to keep weights outside.

    ``tensors`` gives the tensor of a node by name. Raises InputError when a file cannot be read.
    """
    for node in graph.all_nodes():
        if node.type == FILE_CONSTANT and node.name in tensors:
            node.op = _const(node.name, node.op.outputs[0], element_bytes(tensors[node.name], folder))


def _const(name: str, desc: TensorDesc, content: bytes) -> OpDesc:
    return OpDesc(name, "Const", (), (desc,), engine_of("Const"), attrs={"value": content})
