"""A tensor whose elements an operator's host code may read, for operators whose shapes depend on values."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from runtime.ops.shape import GertShape
from runtime.values import DType, StorageShape


class InputTensor:
    """``gert::Tensor`` as shape inference and tiling read it. ``read`` gives the bytes of the elements, when asked."""

    __slots__ = ("_dtype", "_read", "_shape")

    def __init__(self, shape: StorageShape, dtype: DType, read: Callable[[], bytes]) -> None:
        self._shape = shape
        self._dtype = dtype
        self._read = read

    def get_storage_shape(self) -> GertShape:
        """``GetStorageShape``."""
        return GertShape(self._shape.storage)

    def get_origin_shape(self) -> GertShape:
        """``GetOriginShape``."""
        return GertShape(self._shape.origin)

    def get_shape_size(self) -> int:
        """``GetShapeSize``: how many elements there are."""
        return self._shape.storage.elements

    def get_data_type(self) -> DType:
        """``GetDataType``."""
        return self._dtype

    def get_data(self) -> npt.NDArray[np.generic]:
        """``GetData<T>``: the elements, flat. Raises ModelError for a type that numpy cannot hold."""
        return np.frombuffer(self._read(), self._dtype.numpy)

    def get_bytes(self) -> bytes:
        """The elements as they lie in memory."""
        return self._read()
