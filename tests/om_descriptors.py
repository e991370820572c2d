"""The messages of a model as protobuf sees them, so that our reader is held against protobuf's own.

Descriptors are made from the reader's table of fields: its numbers are checked by what protobuf then finds.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message

from getrace.dumps.om_schema import BOOL, BYTES, ENUM, FLOAT, INT, MESSAGE, MESSAGES, TEXT, UINT

_TYPES = {INT: 3, UINT: 13, BOOL: 8, FLOAT: 2, TEXT: 12, BYTES: 12, ENUM: 5, MESSAGE: 11}
"""Types of protobuf by ours; texts are taken as bytes and enums as numbers."""

_REPEATED = {
    ("ModelDef", "graph"),
    ("GraphDef", "input"),
    ("GraphDef", "output"),
    ("GraphDef", "op"),
    ("OpDef", "input"),
    ("OpDef", "input_name"),
    ("OpDef", "src_name"),
    ("OpDef", "dst_name"),
    ("OpDef", "input_desc"),
    ("OpDef", "output_desc"),
    ("OpDef", "subgraph_name"),
    ("ListListInt", "list_list_i"),
    ("ListListFloat", "list_list_f"),
    *(("ListValue", name) for name in ("s", "bt", "td", "t", "g", "na")),
}


def _is_repeated(message: str, name: str) -> bool:
    return name == "attr" or (message, name) in _REPEATED


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="om.proto", package="om", syntax="proto3")
    for message, rows in MESSAGES.items():
        made = file.message_type.add(name=message)
        for number, row in rows.items():
            label = 3 if row.packed or _is_repeated(message, row.name) else 1
            field = made.field.add(name=row.name, number=number, type=_TYPES[row.kind], label=label)
            if row.kind == MESSAGE:
                field.type_name = f".om.{row.of}"
    kernel = file.message_type.add(name="TaskDef")
    kernel.field.add(name="type", number=2, type=13, label=1)
    kernel.field.add(name="stream_id", number=10, type=13, label=1)
    tasks = file.message_type.add(name="ModelTaskDef")
    tasks.field.add(name="task", number=10, type=11, label=3, type_name=".om.TaskDef")
    return file


_POOL = descriptor_pool.DescriptorPool()
_POOL.Add(_file())


def parse(message: str, content: bytes) -> Message:
    """Parse bytes with protobuf."""
    made = message_factory.GetMessageClass(_POOL.FindMessageTypeByName(f"om.{message}"))()
    made.ParseFromString(content)
    return made
