"""What ge_onnx dumps call the fields of nodes and tensor descriptors, and which of them a snapshot keeps.

One table for both directions: a snapshot speaks the words of ge_proto, and a name that reader and writer translated
each in its own way would come back as another attribute (spec/lowering.md 9.4, spec/formats.md 3.3).
"""

from collections.abc import Mapping
from typing import NamedTuple

from getrace.dumps.snapshot import AttrValue

CONST_FLAGS = "is_input_const"
"""A field that is always written and never kept; of two such attributes the second is the operator's own."""

COUNTS: Mapping[str, str] = {"input": "input_desc_nums", "output": "output_desc_nums"}

REPEATED = frozenset({"id", "input_desc_nums", "output_desc_nums"})
"""What nodes and edges say already."""

PREFIX = "ge:"
"""Stands before the type of every node."""

MANY = 20
"""From this number of descriptors on a side each is one JSON text instead of an attribute per field."""

GRAPH_TYPE = "subgraph"
"""The type of the node that holds a sub graph."""

LOST = frozenset(
    {
        "_output_name_key",
        "_output_name_value",
        "_src_out_peer_index_for_ge_txt_load",
        "_opt_input",
        "_ir_attr_names",
        "_ir_inputs_key",
        "_ir_inputs_value",
        "_ir_outputs_key",
        "_ir_outputs_value",
    }
)
"""Attributes that GE adds while it writes ge_proto, and that its operators do not have."""

LOST_OF_DESC = frozenset({"format_for_int", "origin_format_for_int", "origin_shape_initialized", "has_out_attr"})
"""Words of a descriptor that ge_onnx has no place for."""


class DescField(NamedTuple):
    """A field of a descriptor: its name in a snapshot, and what stands there when the snapshot says nothing."""

    name: str
    default: AttrValue


DESC_FIELDS: Mapping[str, DescField] = {
    "cmps_size": DescField("cmps_size", 0),
    "cmps_tab": DescField("cmps_tab", ""),
    "cmps_tab_offset": DescField("cmps_tab_offset", 0),
    "data_offset": DescField("data_offset", 0),
    "device_type": DescField("device_type", "NPU"),
    "dtype": DescField("dtype", "DT_FLOAT"),
    "input_tensor": DescField("input_tensor", 0),
    "layout": DescField("layout", "ND"),
    "origin_dtype": DescField("origin_data_type", "DT_UNDEFINED"),
    "origin_layout": DescField("origin_format", "ND"),
    "origin_shape": DescField("origin_shape", ()),
    "output_tensor": DescField("output_tensor", 0),
    "real_dim_cnt": DescField("real_dim_cnt", 0),
    "reuse_input": DescField("reuse_input", 0),
    "shape": DescField("shape", ()),
    "size": DescField("size", 0),
    "weight_size": DescField("weight_size", 0),
}

TYPE_WORDS: Mapping[str, str] = {"DT_BF16": "DT_BFLOAT16"}
"""Data types that ge_onnx spells otherwise than ge_proto."""

TYPE_FIELDS = frozenset({"dtype", "origin_dtype"})
