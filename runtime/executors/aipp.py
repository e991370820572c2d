"""What a loaded model says of AIPP, the preparing of pictures on the device (spec/execution.md 1.11).

Read once from the inputs of the model when its executor is built. A query that looked at the compute graph would find
another one than the executor was built from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.engines.ge_local.data import INPUT_TYPES
from runtime.graph.compute_graph import ComputeGraph, ComputeNode

AIPP_ATTR: Final = "aipp"
MODE_ATTR: Final = "_data_related_aipp_mode"
NAME_MAP_ATTR: Final = "_data_aipp_data_name_map"
INPUTS_ATTR: Final = "_aipp_inputs"
OUTPUTS_ATTR: Final = "_aipp_outputs"

AIPP_NOT_EXIST: Final = 145015
"""``ACL_ERROR_GE_AIPP_NOT_EXIST``."""

AIPP_MODE_INVALID: Final = 145016
"""``ACL_ERROR_GE_AIPP_MODE_INVALID``."""

NO_INDEX: Final = 0xFFFFFFFF
_FIELDS: Final = 6


class InputAippType(IntEnum):
    """``InputAippType``."""

    DATA_WITHOUT_AIPP = 0
    DATA_WITH_STATIC_AIPP = 1
    DATA_WITH_DYNAMIC_AIPP = 2
    DYNAMIC_AIPP_NODE = 3


_MODES: Final = {
    "static_aipp": InputAippType.DATA_WITH_STATIC_AIPP,
    "dynamic_aipp": InputAippType.DATA_WITH_DYNAMIC_AIPP,
    "dynamic_aipp_conf": InputAippType.DYNAMIC_AIPP_NODE,
}


@dataclass(frozen=True, slots=True)
class AippDims:
    """One input or output of the preparing: ``format:dtype:name:size:dimnum:dims``."""

    format: str
    dtype: str
    name: str
    size: int
    dims: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AippInput:
    """One input that is prepared: how, the index of the input that carries the settings, settings and dims as said."""

    type: InputAippType
    settings: AttrValue
    related: int = NO_INDEX
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AippInformation:
    """The prepared inputs of a model by index; a model without any has an empty one."""

    by_index: Mapping[int, AippInput] = field(default_factory=dict)

    def info(self, index: int) -> tuple[int, AttrValue | None]:
        """``GetAippInfo``: status and settings; AIPP_NOT_EXIST for an input that is not prepared."""
        found = self.by_index.get(index)
        return (AIPP_NOT_EXIST, None) if found is None else (0, found.settings)

    def type(self, index: int) -> tuple[InputAippType, int]:
        """``GetAippType``: how an input is prepared, and the index of its settings. Never fails."""
        found = self.by_index.get(index)
        return (InputAippType.DATA_WITHOUT_AIPP, NO_INDEX) if found is None else (found.type, found.related)

    def origin_input(self, index: int) -> tuple[int, AippDims | None]:
        """``GetOriginAippInputInfo``: the picture as the caller hands it in."""
        status, dims = self._dims(index, "inputs")
        return (status, dims[0] if dims else None)

    def all_dims(self, index: int) -> tuple[int, list[AippDims], list[AippDims]]:
        """``GetAllAippInputOutputDims``: status, inputs, outputs of the preparing."""
        status, inputs = self._dims(index, "inputs")
        if status:
            return status, [], []
        status, outputs = self._dims(index, "outputs")
        return (status, [], []) if status else (0, inputs, outputs)

    def _dims(self, index: int, which: str) -> tuple[int, list[AippDims]]:
        found = self.by_index.get(index)
        if found is None:
            return AIPP_NOT_EXIST, []
        parsed = [parse_dims(text) for text in (found.inputs if which == "inputs" else found.outputs)]
        read = [dims for dims in parsed if dims is not None]
        return (AIPP_MODE_INVALID, []) if len(read) < len(parsed) else (0, read)


def parse_dims(text: str) -> AippDims | None:
    """Read ``format:dtype:name:size:dimnum:d,d,d``; None without six fields, or without numbers where they belong."""
    fields = text.split(":")
    if len(fields) != _FIELDS:
        return None
    layout, dtype, name, size, count, dims = fields
    try:
        numbers = tuple(int(dim) for dim in dims.split(",") if dim)
        read = AippDims(layout, dtype, name, int(size), numbers)
        return read if int(count) == len(numbers) else None
    except ValueError:
        return None


def read_aipp(graph: ComputeGraph | None) -> AippInformation:
    """``InitAipp``: read the prepared inputs of a model. Raises ModelError in GE's words for attributes that clash."""
    if graph is None:
        return AippInformation()
    nodes = {_index(node): node for node in graph.of_type(INPUT_TYPES)}
    names = {node.name: index for index, node in nodes.items()}
    found = {index: _read(node, index, names) for index, node in nodes.items()}
    return AippInformation({index: aipp for index, aipp in found.items() if aipp is not None})


def _read(node: ComputeNode, index: int, names: Mapping[str, int]) -> AippInput | None:
    attrs = node.op.attrs
    settings, mode = attrs.get(AIPP_ATTR), attrs.get(MODE_ATTR)
    if settings is None and mode is None:
        return None
    if settings is None or mode is None:
        only = "ATTR_NAME_AIPP" if mode is None else "ATTR_DATA_RELATED_AIPP_MODE"
        raise ModelError(
            f"[Get][Attrs]Op:{node.name}, index:{index}, error message:Both ATTR_NAME_AIPP and "
            f"ATTR_DATA_RELATED_AIPP_MODE attributes are needed on the data node, but only {only} is obtained at the "
            "time."
        )
    kind = _MODES.get(str(mode))
    if kind is None:
        raise ModelError(f"[Get][Attr]Get invalid mode:{mode!s}, op:{node.name}, type:{node.type}.")
    related = _related(node, index, names) if kind is InputAippType.DATA_WITH_DYNAMIC_AIPP else NO_INDEX
    return AippInput(kind, settings, related, _texts(attrs.get(INPUTS_ATTR)), _texts(attrs.get(OUTPUTS_ATTR)))


def _related(node: ComputeNode, index: int, names: Mapping[str, int]) -> int:
    """Index of the input that carries the settings: named by the map ``<data>:<aipp data>`` or by its plain name."""
    said = _texts(node.op.attrs.get(NAME_MAP_ATTR))
    for text in said:
        data, _, aipp_data = text.rpartition(":")
        if data in ("", node.name) and aipp_data in names:
            return names[aipp_data]
    raise ModelError(f"[Find][AippData]Cannot find AippData node for index:{index}, op:{node.name}")


def _texts(value: AttrValue | None) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(each) for each in value) if isinstance(value, tuple) else ()


def _index(node: ComputeNode) -> int:
    index = node.op.attrs["index"]
    assert isinstance(index, int)
    return index
