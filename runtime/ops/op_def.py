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


@dataclass(frozen=True, slots=True)
class Result:
    """What an operator must give for one output: its type, and the shape when it is known before the run."""

    dtype: DType
    shape: Shape | None = None


InferShape = Callable[[InferShapeContext], int]
TilingFunc = Callable[[TilingContext], int]
TilingParse = Callable[[str, Mapping[str, Any]], object]
Compute = Callable[[KernelArgs], None]
Evaluate = Callable[[Sequence[Array], Mapping[str, Any], Sequence[Result]], Sequence[Array]]
"""The operator on whole arrays, as the AI CPU and the host compute it: arrays, attributes, what is wanted.

Each result has the shape it turned out to have; the caller brings it to the wanted type.
"""


@dataclass(slots=True)
class OpDef:
    """``OpDef``: the definition, and what was registered for it. ``aicore`` maps a SoC to its configuration.

    ``data_dependency`` are the inputs whose elements shape inference reads (``InputsDataDependency``). ``evaluate`` is
    what the AI CPU and the host run.
    """

    name: str
    inputs: tuple[IoDef, ...]
    outputs: tuple[IoDef, ...]
    aicore: Mapping[str, AiCoreConfig] = field(default_factory=dict)
    infer_shape: InferShape | None = None
    tiling: TilingFunc | None = None
    tiling_parse: TilingParse | None = None
    tiling_data: type[ctypes.Structure] | None = None
    compute: Compute | None = None
    evaluate: Evaluate | None = None
    data_dependency: frozenset[int] = frozenset()

    def supports(self, soc: str, dtypes: Sequence[DType]) -> bool:
        """Say whether the operator runs on a SoC with inputs of these types."""
        columns = zip(*(io.dtypes for io in self.inputs), strict=True)
        return soc in self.aicore and tuple(dtypes) in set(columns)
