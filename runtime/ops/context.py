"""What an operator's shape inference and tiling see: GE's contexts with GE's accessors in Python spelling.

An operator never sees the execute graph. Keeping that wall here is what lets the same operator run in every executor.
"""

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from getrace.dumps.snapshot import AttrValue
from runtime.ops.shape import GertShape
from runtime.ops.tensor import InputTensor
from runtime.values import DType, Shape, StorageShape

Struct = TypeVar("Struct", bound=ctypes.Structure)


class InferShapeContext:
    """``gert::InferShapeContext``: shapes of the inputs as the model means them, and of the outputs to be found.

    ``tensors`` has an entry per input, None where the values are not known on the host; () stands for none at all.
    """

    def __init__(
        self,
        node_type: str,
        inputs: Sequence[Shape],
        outputs: int,
        *,
        tensors: Sequence[InputTensor | None] = (),
        attrs: Mapping[str, AttrValue] | None = None,
        dtypes: Sequence[DType] = (),
        output_dtypes: Sequence[DType] = (),
    ) -> None:
        self._node_type = node_type
        self._inputs = tuple(inputs)
        self._outputs = tuple(GertShape() for _ in range(outputs))
        self._dtypes = tuple(dtypes)
        self._output_dtypes = tuple(output_dtypes)
        self._tensors = tensors
        self._attrs = attrs or {}

    def get_node_type(self) -> str:
        """``GetNodeType``."""
        return self._node_type

    def get_input_num(self) -> int:
        """``GetComputeNodeInputNum``."""
        return len(self._inputs)

    def get_input_shape(self, index: int) -> GertShape:
        """``GetInputShape``. Raises IndexError for an input that is not there."""
        return GertShape(self._inputs[index])

    def get_input_tensor(self, index: int) -> InputTensor | None:
        """``GetInputTensor``: an input with its values, or None when the operator was not declared to need them."""
        return self._tensors[index] if index < len(self._tensors) else None

    def get_attrs(self) -> Mapping[str, AttrValue]:
        """``GetAttrs``: the operator's attributes, by name."""
        return self._attrs

    @property
    def dtypes(self) -> tuple[DType, ...]:
        """``GetInputDesc(i)->GetDataType()`` of all inputs."""
        return self._dtypes

    @property
    def output_dtypes(self) -> tuple[DType, ...]:
        """``GetOutputDesc(i)->GetDataType()`` of all outputs."""
        return self._output_dtypes

    def get_output_shape(self, index: int) -> GertShape:
        """``GetOutputShape``: the shape to fill in."""
        return self._outputs[index]

    @property
    def output_shapes(self) -> tuple[Shape, ...]:
        """What was filled in."""
        return tuple(output.shape for output in self._outputs)


class TilingShape:
    """``gert::StorageShape`` as tiling reads it."""

    __slots__ = ("_shape",)

    def __init__(self, shape: StorageShape) -> None:
        self._shape = shape

    def get_storage_shape(self) -> GertShape:
        """``GetStorageShape``: as the tensor lies in memory."""
        return GertShape(self._shape.storage)

    def get_origin_shape(self) -> GertShape:
        """``GetOriginShape``: as the model means it."""
        return GertShape(self._shape.origin)


class TilingContext:
    """``gert::TilingContext``: what tiling knows, and what it decides.

    ``capacity`` is how many bytes of tiling data the argument block holds. What nobody sets keeps GE's start values.
    """

    def __init__(
        self,
        node_type: str,
        inputs: Sequence[StorageShape],
        outputs: Sequence[StorageShape],
        *,
        dtypes: Sequence[DType] = (),
        platform: Mapping[str, Any] | None = None,
        compile_info: object = None,
        capacity: int = 2048,
        tensors: Sequence[InputTensor | None] = (),
        attrs: Mapping[str, AttrValue] | None = None,
        deterministic: int = 0,
    ) -> None:
        self._node_type = node_type
        self._inputs = tuple(inputs)
        self._outputs = tuple(outputs)
        self._dtypes = tuple(dtypes)
        self._platform = platform or {}
        self._compile_info = compile_info
        self._capacity = capacity
        self._tensors = tensors
        self._attrs = attrs or {}
        self._deterministic = deterministic
        self._data: ctypes.Structure | None = None
        self.tiling_key = 0
        self.block_dim = 0
        self.atomic_clean = True
        self.tiling_cond = -1
        self.schedule_mode = 0
        self.local_memory_size = 0
        self.workspace_sizes: list[int] = []

    def get_node_type(self) -> str:
        """``GetNodeType``."""
        return self._node_type

    def get_input_shape(self, index: int) -> TilingShape:
        """``GetInputShape``. Raises IndexError for an input that is not there."""
        return TilingShape(self._inputs[index])

    def get_output_shape(self, index: int) -> TilingShape:
        """``GetOutputShape``. Raises IndexError for an output that is not there."""
        return TilingShape(self._outputs[index])

    def get_input_dtype(self, index: int) -> DType:
        """``GetInputDesc(i)->GetDataType()``."""
        return self._dtypes[index]

    def get_input_tensor(self, index: int) -> InputTensor | None:
        """``GetInputTensor``: an input with its values, or None when the operator was not declared to need them."""
        return self._tensors[index] if index < len(self._tensors) else None

    def get_attrs(self) -> Mapping[str, AttrValue]:
        """``GetAttrs``: the operator's attributes, by name."""
        return self._attrs

    def get_deterministic(self) -> int:
        """``GetDeterministic``: 1 when the same inputs must give the same bits."""
        return self._deterministic

    def get_platform_info(self) -> Mapping[str, Any]:
        """``GetPlatformInfo``: numbers of the device's profile."""
        return self._platform

    def get_compile_info(self) -> object:
        """``GetCompileInfo``: what tiling_parse made of the compile information."""
        return self._compile_info

    def get_tiling_data(self, struct: type[Struct]) -> Struct | None:
        """``GetTilingData<T>``: the structure to fill in, or None when the argument block cannot hold it."""
        if ctypes.sizeof(struct) > self._capacity:
            return None
        if not isinstance(self._data, struct):
            self._data = struct()
        return self._data

    def set_block_dim(self, block_dim: int) -> None:
        """``SetBlockDim``: how many cores take part."""
        self.block_dim = block_dim

    def set_tiling_key(self, key: int) -> None:
        """``SetTilingKey``: which branch of the kernel runs."""
        self.tiling_key = key

    def set_tiling_cond(self, cond: int) -> None:
        """``SetTilingCond``."""
        self.tiling_cond = cond

    def set_schedule_mode(self, mode: int) -> None:
        """``SetScheduleMode``."""
        self.schedule_mode = mode

    def set_local_memory_size(self, size: int) -> None:
        """``SetLocalMemorySize``."""
        self.local_memory_size = size

    def set_need_atomic(self, atomic: bool) -> None:
        """``SetNeedAtomic``."""
        self.atomic_clean = atomic

    def get_workspace_sizes(self, count: int) -> list[int]:
        """``GetWorkspaceSizes``: the list to fill in, ``count`` long."""
        self.workspace_sizes = (self.workspace_sizes + [0] * count)[:count]
        return self.workspace_sizes

    @property
    def data(self) -> bytes:
        """The bytes of the tiling data, b"" when nobody asked for any."""
        return b"" if self._data is None else bytes(self._data)
