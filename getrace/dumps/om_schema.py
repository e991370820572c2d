"""The messages of package ``ge.proto`` as a table: field numbers, names and kinds.

Readers and writers of models go through this table, so a field that GE adds is one row. The names are those of GE's
text dumps, because a snapshot speaks their words.

Source: spec/formats.md 1.7, 7.
"""

from collections.abc import Mapping
from typing import NamedTuple

INT, UINT, BOOL, FLOAT, TEXT, BYTES, ENUM, MESSAGE = range(8)
"""Kinds of fields. TEXT is what a snapshot shows as a text, whatever its declaration says (``AttrDef.s`` is bytes)."""


class FieldRow(NamedTuple):
    """A field: name, kind, and for messages and enums the name of the message or enum. ``packed``: repeated number."""

    name: str
    kind: int
    of: str = ""
    packed: bool = False


_TYPE_WORDS = (
    "UNDEFINED FLOAT FLOAT16 INT8 UINT8 INT16 UINT16 INT32 INT64 UINT32 UINT64 BOOL DOUBLE STRING DUAL_SUB_INT8 "
    "DUAL_SUB_UINT8 COMPLEX64 COMPLEX128 QINT8 QINT16 QINT32 QUINT8 QUINT16 RESOURCE STRING_REF DUAL VARIANT BF16 INT4 "
    "UINT1 INT2 UINT2 COMPLEX32 HIFLOAT8 FLOAT8_E5M2 FLOAT8_E4M3FN FLOAT8_E8M0 FLOAT6_E3M2 FLOAT6_E2M3 FLOAT4_E2M1 "
    "FLOAT4_E1M2 HIFLOAT4"
)
_LIST_WORDS = "NONE STRING INT FLOAT BOOL BYTES TENSOR_DESC TENSOR GRAPH NAMED_ATTRS DATA_TYPE"

DATA_TYPE, LIST_TYPE = "DataType", "ListValueType"

ENUMS: Mapping[str, tuple[str, ...]] = {
    DATA_TYPE: tuple(f"DT_{word}" for word in _TYPE_WORDS.split()),
    LIST_TYPE: tuple(f"VT_LIST_{word}" for word in _LIST_WORDS.split()),
}
"""Names by number. ``ge.proto.DataType`` is not ``ge::DataType``, which integer attributes hold."""

_ATTR = FieldRow("attr", MESSAGE, "AttrEntry")

MESSAGES: Mapping[str, Mapping[int, FieldRow]] = {
    "ModelDef": {
        1: FieldRow("name", TEXT),
        2: FieldRow("version", UINT),
        3: FieldRow("custom_version", TEXT),
        7: FieldRow("graph", MESSAGE, "GraphDef"),
        11: _ATTR,
    },
    "GraphDef": {
        1: FieldRow("name", TEXT),
        4: FieldRow("input", TEXT),
        5: FieldRow("output", TEXT),
        6: FieldRow("op", MESSAGE, "OpDef"),
        11: _ATTR,
    },
    "OpDef": {
        1: FieldRow("name", TEXT),
        2: FieldRow("type", TEXT),
        5: FieldRow("input", TEXT),
        10: _ATTR,
        20: FieldRow("has_out_attr", BOOL),
        21: FieldRow("id", INT),
        22: FieldRow("stream_id", INT),
        23: FieldRow("input_name", TEXT),
        24: FieldRow("src_name", TEXT),
        25: FieldRow("src_index", INT, packed=True),
        26: FieldRow("dst_name", TEXT),
        27: FieldRow("dst_index", INT, packed=True),
        28: FieldRow("input_i", INT, packed=True),
        29: FieldRow("output_i", INT, packed=True),
        30: FieldRow("workspace", INT, packed=True),
        31: FieldRow("workspace_bytes", INT, packed=True),
        32: FieldRow("is_input_const", BOOL, packed=True),
        33: FieldRow("input_desc", MESSAGE, "TensorDescriptor"),
        34: FieldRow("output_desc", MESSAGE, "TensorDescriptor"),
        35: FieldRow("subgraph_name", TEXT),
    },
    "TensorDescriptor": {
        1: FieldRow("name", TEXT),
        2: FieldRow("dtype", ENUM, DATA_TYPE),
        3: FieldRow("shape", MESSAGE, "ShapeDef"),
        4: FieldRow("layout", TEXT),
        5: _ATTR,
        9: FieldRow("has_out_attr", BOOL),
        10: FieldRow("size", INT),
        11: FieldRow("weight_size", INT),
        12: FieldRow("reuse_input", BOOL),
        13: FieldRow("output_tensor", BOOL),
        14: FieldRow("device_type", TEXT),
        15: FieldRow("input_tensor", BOOL),
        16: FieldRow("real_dim_cnt", INT),
        17: FieldRow("reuse_input_index", INT),
        18: FieldRow("data_offset", INT),
        19: FieldRow("cmps_size", INT),
        20: FieldRow("cmps_tab", BYTES),
        21: FieldRow("cmps_tab_offset", INT),
    },
    "ShapeDef": {1: FieldRow("dim", INT, packed=True)},
    "TensorDef": {1: FieldRow("desc", MESSAGE, "TensorDescriptor"), 2: FieldRow("data", BYTES)},
    "AttrEntry": {1: FieldRow("key", TEXT), 2: FieldRow("value", MESSAGE, "AttrDef")},
    "AttrDef": {
        1: FieldRow("list", MESSAGE, "ListValue"),
        2: FieldRow("s", TEXT),
        3: FieldRow("i", INT),
        4: FieldRow("f", FLOAT),
        5: FieldRow("b", BOOL),
        7: FieldRow("bt", BYTES),
        10: FieldRow("func", MESSAGE, "NamedAttrs"),
        11: FieldRow("td", MESSAGE, "TensorDescriptor"),
        12: FieldRow("t", MESSAGE, "TensorDef"),
        13: FieldRow("g", MESSAGE, "GraphDef"),
        14: FieldRow("list_list_int", MESSAGE, "ListListInt"),
        15: FieldRow("dt", ENUM, DATA_TYPE),
        16: FieldRow("list_list_float", MESSAGE, "ListListFloat"),
        17: FieldRow("expression", TEXT),
    },
    "ListValue": {
        2: FieldRow("s", TEXT),
        3: FieldRow("i", INT, packed=True),
        4: FieldRow("f", FLOAT, packed=True),
        5: FieldRow("b", BOOL, packed=True),
        7: FieldRow("bt", BYTES),
        8: FieldRow("td", MESSAGE, "TensorDescriptor"),
        9: FieldRow("t", MESSAGE, "TensorDef"),
        10: FieldRow("g", MESSAGE, "GraphDef"),
        11: FieldRow("na", MESSAGE, "NamedAttrs"),
        12: FieldRow("dt", ENUM, DATA_TYPE, packed=True),
        20: FieldRow("val_type", ENUM, LIST_TYPE),
    },
    "ListListInt": {1: FieldRow("list_list_i", MESSAGE, "ListInt")},
    "ListInt": {1: FieldRow("list_i", INT, packed=True)},
    "ListListFloat": {1: FieldRow("list_list_f", MESSAGE, "ListFloat")},
    "ListFloat": {1: FieldRow("list_f", FLOAT, packed=True)},
    "NamedAttrs": {1: FieldRow("name", TEXT), 2: _ATTR},
}


def number_of(message: str, name: str) -> int:
    """Give the number of a field; raises KeyError when the message has none of that name."""
    return _NUMBERS[message][name]


_NUMBERS = {message: {row.name: number for number, row in rows.items()} for message, rows in MESSAGES.items()}
