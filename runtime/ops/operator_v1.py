"""Operators of the old registries: ``ge::Operator`` and the run info of ``optiling`` (spec/lowering.md 4.1, v1 to v4).

An old operator is one mutable description that inference reads and writes. It lives apart from the contexts of the
new registries, so that neither has to carry the other's habits.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from getrace.dumps.snapshot import AttrValue
from runtime.ops.tensor import InputTensor
from runtime.values import DType, Shape, StorageFormat, StorageShape


@dataclass(slots=True)
class OldTensorDesc:
    """``ge::TensorDesc``: what an old operator knows of one input or output. ``shape_range`` is () when unknown."""

    dtype: DType
    format: StorageFormat = field(default_factory=StorageFormat)
    shape: StorageShape = field(default_factory=lambda: StorageShape(Shape(), Shape()))
    shape_range: tuple[tuple[int, int], ...] = ()
    value: InputTensor | None = None


@dataclass(slots=True)
class Operator:
    """``ge::Operator``. It is built once per model; each run writes the shapes of the inputs into it first."""

    name: str
    type: str
    inputs: list[OldTensorDesc]
    outputs: list[OldTensorDesc]
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)

    def get_input_desc(self, index: int) -> OldTensorDesc:
        """``GetInputDesc``. Raises IndexError for an input that is not there."""
        return self.inputs[index]

    def get_output_desc(self, index: int) -> OldTensorDesc:
        """``GetOutputDesc``: the description to fill in."""
        return self.outputs[index]

    def get_input_const_data(self, index: int) -> InputTensor | None:
        """``GetInputConstData``: an input with its values, None when they are not known."""
        return self.inputs[index].value


@dataclass(slots=True)
class OpRunInfo:
    """``optiling::utils::OpRunInfo``: what an old tiling function decides."""

    tiling_key: int = 0
    block_dim: int = 0
    clear_atomic: bool = True
    tiling_cond: int = -1
    workspaces: list[int] = field(default_factory=list)
    tiling_data: bytes = b""


InferFunc = Callable[[Operator], int]
"""``INFER_FUNC_REG``: gives a graphStatus."""

TilingV3 = Callable[[Operator, Any, OpRunInfo], bool]
"""``REGISTER_OP_TILING_V3`` and V4: gives whether it worked. The second argument is the parsed compile information."""

ParseV3 = Callable[[Operator, str], object]
"""Parses compile information; a v4 operator gets a record, a v3 operator its json."""


@dataclass(frozen=True, slots=True)
class OldTiling:
    """What the old registry has of an operator. ``version`` is 3 or 4."""

    version: int
    parse: ParseV3
    tiling: TilingV3
