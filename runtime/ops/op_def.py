"""An operator: its definition, and the functions its author delivers for it (seed ``10.1``).

One record holds both, so that whoever finds an operator finds all of it; GE keeps them in separate registries that
have to agree.
"""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from runtime.ops.context import InferShapeContext, TilingContext
from runtime.ops.operator_v1 import InferFunc, OldTiling
from runtime.ops.range_context import InferShapeRangeContext
from runtime.values import DType, Format, Shape

Array = npt.NDArray[Any]

GRAPH_SUCCESS: Final = 0
GRAPH_FAILED: Final = 0xFFFFFFFF
"""``ge::graphStatus``: what an operator's functions return."""

REQUIRED: Final = "required"
OPTIONAL: Final = "optional"
DYNAMIC: Final = "dynamic"
"""``ParamType`` of an input or an output."""


@dataclass(frozen=True, slots=True)
class IoDef:
    """One input or output. ``dtypes`` and ``formats`` are parallel: entry i of all of an operator belong together."""

    name: str
    dtypes: tuple[DType, ...]
    formats: tuple[Format, ...] = ()
    param: str = REQUIRED


@dataclass(frozen=True, slots=True)
class AiCoreConfig:
    """``OpAICoreConfig``: what the operator can do on one kind of device."""

    dynamic_shape: bool = False


SHAPE_ENTRIES: Final = 9
"""Entries of the shape buffer for one output: how many dimensions, then room for eight of them."""

WIDE_ENTRIES: Final = 1 << 31
"""Set in an output's first entry when entries have 8 bytes; without it they have 4."""


@dataclass(frozen=True, slots=True)
class Result:
    """What an operator must give for one output: its type, and the shape when it is known before the run."""

    dtype: DType
    shape: Shape | None = None


Evaluate = Callable[[Sequence[Array], Mapping[str, Any], Sequence[Result]], Sequence[Array]]
"""The operator on whole arrays, as the AI CPU and the host compute it: arrays, attributes, what is wanted, arrays out.

Each result has the shape it turned out to have; the caller brings it to the wanted type.
"""


@dataclass(frozen=True, slots=True)
class KernelArgs:
    """What a kernel gets on the device: flat arrays on the bytes of HBM, their shapes, tiling data and launch."""

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    input_shapes: tuple[Shape, ...]
    output_shapes: tuple[Shape, ...]
    workspaces: tuple[npt.NDArray[np.uint8], ...]
    tiling: bytes
    tiling_key: int
    block_dim: int
    attrs: Mapping[str, Any] = field(default_factory=dict)
    shape_buffer: npt.NDArray[np.uint64] | None = None

    def tell_shape(self, output: int, dims: Sequence[int]) -> None:
        """Leave the shape of an output in the shape buffer, for an operator that knows it only now.

        Raises ValueError for an operator that was launched without a shape buffer, or more than 8 dimensions.
        """
        if self.shape_buffer is None or len(dims) >= SHAPE_ENTRIES:
            raise ValueError(f"output {output} cannot tell {len(dims)} dimensions")
        row = self.shape_buffer[output * SHAPE_ENTRIES : (output + 1) * SHAPE_ENTRIES]
        row[: len(dims) + 1] = (len(dims) | WIDE_ENTRIES, *dims)


InferShape = Callable[[InferShapeContext], int]
InferShapeRange = Callable[[InferShapeRangeContext], int]
TilingFunc = Callable[[TilingContext], int]
TilingParse = Callable[[str, Mapping[str, Any]], object]
Compute = Callable[[KernelArgs], None]


@dataclass(slots=True)
class OpDef:
    """``OpDef``: the definition, and what was registered for it. ``aicore`` maps a SoC to its configuration.

    ``data_dependency`` names inputs by number whose values shape inference reads; ``infer_func`` and ``old_tiling``
    are of the old registries. ``any_mixture``: each input may have any of its types, whatever the others have.
    """

    name: str
    inputs: tuple[IoDef, ...]
    outputs: tuple[IoDef, ...]
    aicore: Mapping[str, AiCoreConfig] = field(default_factory=dict)
    evaluate: Evaluate | None = None
    """What the AI CPU and the host run."""
    infer_shape: InferShape | None = None
    tiling: TilingFunc | None = None
    tiling_parse: TilingParse | None = None
    tiling_data: type[ctypes.Structure] | None = None
    compute: Compute | None = None
    infer_shape_range: InferShapeRange | None = None
    data_dependency: tuple[int, ...] = ()
    any_mixture: bool = False
    infer_func: InferFunc | None = None
    old_tiling: OldTiling | None = None

    def supports(self, soc: str, dtypes: Sequence[DType]) -> bool:
        """Say whether the operator runs on a SoC with inputs of these types."""
        if self.any_mixture:
            known = {dtype for io in self.inputs for dtype in io.dtypes}
            return soc in self.aicore and known.issuperset(dtypes)
        columns = zip(*(io.dtypes for io in self.inputs), strict=True)
        return soc in self.aicore and tuple(dtypes) in set(columns)
