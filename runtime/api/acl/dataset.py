"""Data buffers, datasets and tensor descriptions: how a caller of ACL hands tensors over.

They hold addresses and shapes and own nothing, except for outputs that the runtime allocated in the caller's place.
"""

from dataclasses import dataclass, field
from typing import Final

from runtime.memory.tensor_data import release
from runtime.values import DType, Format, Placement, Shape, StorageFormat, StorageShape, Tensor, TensorData

NO_SHAPE: Final = Shape((-2,))


@dataclass(frozen=True, slots=True)
class AclTensorDesc:
    """``aclTensorDesc``: type, dimensions and format; ``placement`` is where ``aclSetTensorPlaceMent`` put it."""

    dtype: DType
    dims: Shape
    format: Format = Format.ND
    placement: Placement = Placement.DEVICE_HBM


@dataclass(slots=True)
class DataBuffer:
    """``aclDataBuffer``: an address, 0 for none, and bytes. ``owned`` is memory the runtime allocated for an output."""

    data: int = 0
    size: int = 0
    owned: TensorData | None = None

    def take(self, data: TensorData) -> None:
        """Hand an output that the runtime allocated over to the caller."""
        self.data, self.size, self.owned = data.addr, data.size, data

    def destroy(self) -> None:
        """``aclDestroyDataBuffer``: let go of what the runtime allocated; other memory stays the caller's."""
        if self.owned is not None:
            release(self.owned)
        self.data, self.size, self.owned = 0, 0, None


@dataclass(slots=True)
class Blob:
    """One place of a dataset: a buffer, None where the caller put a null pointer, and what is said of its tensor."""

    buffer: DataBuffer | None
    desc: AclTensorDesc | None = None


@dataclass(slots=True)
class Dataset:
    """``aclmdlDataset``: the inputs or the outputs of one execution, in the order of the model."""

    blobs: list[Blob] = field(default_factory=list)

    def add(self, buffer: DataBuffer | None) -> None:
        """``aclmdlAddDatasetBuffer``: append a buffer."""
        self.blobs.append(Blob(buffer))


def tensor_at(buffer: DataBuffer, desc: AclTensorDesc) -> Tensor:
    """Give the tensor of a buffer. A buffer without an address becomes a tensor without data."""
    data = TensorData(buffer.data, buffer.size, desc.placement) if buffer.data else None
    formats = StorageFormat(desc.format, desc.format)
    return Tensor(StorageShape(desc.dims, desc.dims), desc.dtype, formats, data)
