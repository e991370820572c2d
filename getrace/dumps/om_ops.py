"""Operators of a model: GE's ``OpDef`` and its descriptors to nodes with attributes.

Attributes are decoded when they are looked at, from the bytes of the model, and a few megabytes of them are kept:
decoded, a model takes twenty times its size. They are decoded once while the file is opened, so that whoever looks
later meets no broken bytes.

Source: spec/formats.md 1.7; names of attributes as in the text dumps (spec/lowering.md 9.4).
"""

from collections.abc import Callable, Mapping

from getrace.dumps.ge_proto_attrs import DESC_ATTR_DEFAULTS, DESC_DEFAULTS, OP_FIELDS, desc_key
from getrace.dumps.lazy_attrs import AttrsOnDemand
from getrace.dumps.linking import RawNode
from getrace.dumps.om_attrs import read_entry
from getrace.dumps.om_messages import values_of
from getrace.dumps.om_names import CODED, NameTable
from getrace.dumps.om_schema import MESSAGES, number_of
from getrace.dumps.snapshot import AttrValue
from getrace.dumps.wire import LENGTH, VARINT, Wire, WireField, signed

KEPT_BYTES = 4 << 20
"""Bytes of messages whose attributes are kept decoded at one time."""

_SHORT, _MOST_ENTRIES = 96, 20_000
"""Attributes of so many bytes, and so many of them, are looked up instead of read again."""

_DESC = MESSAGES["TensorDescriptor"]
_SHAPE, _DESC_ATTR, _DTYPE = (number_of("TensorDescriptor", name) for name in ("shape", "attr", "dtype"))
_DIM = MESSAGES["ShapeDef"][1]
_OWN = {number_of("OpDef", name): name for name in OP_FIELDS}
_OP = MESSAGES["OpDef"]
_TEXTS = {number_of("OpDef", name): name for name in ("name", "type", "input", "subgraph_name")}
_SIDES = {number_of("OpDef", "input_desc"): "input", number_of("OpDef", "output_desc"): "output"}
_OP_ATTR, _ID = number_of("OpDef", "attr"), number_of("OpDef", "id")
_UNSAID: Mapping[str, AttrValue] = {"dtype": "DT_UNDEFINED", "shape": (), "layout": "", "device_type": ""}
"""What a field of a descriptor means that is not there."""

Attrs = dict[str, AttrValue]
Decoder = Callable[["Messages", list[WireField]], Attrs]


class Messages:
    """The messages of one model whose attributes can be had, and those decoded last.

    When those kept came from more than ``KEPT_BYTES`` of messages, all are let go.
    """

    __slots__ = ("_entries", "_found", "_size", "names", "wire")

    def __init__(self, wire: Wire, names: NameTable) -> None:
        self.wire = wire
        self.names = names
        self._entries: dict[bytes, tuple[str, AttrValue]] = {}
        self._found: dict[int, Attrs] = {}
        self._size = 0

    def entry(self, field: WireField) -> tuple[str, AttrValue]:
        """Read an attribute whose name may be coded.

        Nine of ten are one that was read before, byte for byte; these are looked up. Raises InputError as
        ``read_entry`` and for a code that is in no table.
        """
        content = self.wire.data[field[2] : field[3]] if field[3] - field[2] <= _SHORT else b""
        found = self._entries.get(content)
        if found is None:
            found = self._decoded(field)
            if content and len(self._entries) < _MOST_ENTRIES:
                self._entries[content] = found
        return found

    def _decoded(self, field: WireField) -> tuple[str, AttrValue]:
        key, value = read_entry(self.wire, field)
        if key[0] == CODED and self.names.names:
            try:
                return self.names.decode(key, value)
            except ValueError as error:
                raise self.wire.error(str(error), field[2]) from error
        return key, value

    def attrs(self, owner: "LazyAttrs") -> Attrs:
        """Give the attributes of a message, decoded now or before."""
        found = self._found.get(owner.start)
        if found is None:
            self.wire.refill()
            found = owner.decode(self, self.wire.fields(owner.start, owner.stop))
            self.keep(owner, found)
        return found

    def keep(self, owner: "LazyAttrs", attrs: Attrs) -> "LazyAttrs":
        """Keep what was decoded, unless it alone is too much; gives the owner back."""
        size = owner.stop - owner.start
        if size <= KEPT_BYTES:
            self._size += size
            if self._size > KEPT_BYTES:
                self._found.clear()
                self._size = size
            self._found[owner.start] = attrs
        return owner


class LazyAttrs(AttrsOnDemand):
    """Attributes of the message from ``start`` to ``stop``, decoded when they are looked at."""

    __slots__ = ("decode", "messages", "start", "stop")

    def __init__(self, messages: Messages, decode: Decoder, start: int, stop: int) -> None:
        self.messages = messages
        self.decode = decode
        self.start = start
        self.stop = stop

    def content(self) -> Attrs:
        """Give the attributes, decoded now or before."""
        return self.messages.attrs(self)


def read_op(messages: Messages, field: WireField) -> RawNode:
    """Read an operator as a node without edges. Raises InputError for broken bytes and coded names without a table."""
    wire = messages.wire
    wire.refill()
    node = RawNode(line=field[2])
    parts = wire.fields(field[2], field[3])
    for part in parts:
        name = _TEXTS.get(part[0])
        if name is not None and part[1] == LENGTH:
            _text(wire, node, name, part)
        elif part[0] in _SIDES and part[1] == LENGTH:
            node.described[_SIDES[part[0]]] += 1
        elif part[0] == _ID and part[1] == VARINT:
            node.topo_id = signed(part[2])
    lazy = LazyAttrs(messages, _attrs, field[2], field[3])
    node.lazy = messages.keep(lazy, _attrs(messages, parts))
    return node


def _text(wire: Wire, node: RawNode, name: str, part: WireField) -> None:
    text = wire.text(part)
    if name == "name":
        node.name = text
    elif name == "type":
        node.type = text
    elif name == "input":
        node.inputs.append((text, part[2]))
    else:
        node.subgraphs.append(text)


def _attrs(messages: Messages, parts: list[WireField]) -> Attrs:
    wire = messages.wire
    found: Attrs = {}
    own: dict[str, list[AttrValue]] = {}
    described = {"input": 0, "output": 0}
    for part in parts:
        number = part[0]
        if number == _OP_ATTR:
            key, value = messages.entry(part)
            found[key] = value
        elif number in _SIDES and part[1] == LENGTH:
            side = _SIDES[number]
            _read_desc(messages, part, found, (side, described[side]))
            described[side] += 1
        elif number in _OWN:
            own.setdefault(_OWN[number], []).extend(values_of(wire, part, _OP[number]))
    for name, values in own.items():
        if OP_FIELDS[name][1]:
            found[name] = tuple(values)
        elif values and values[-1]:
            found[name] = values[-1]
    return found


def _read_desc(messages: Messages, field: WireField, found: Attrs, place: tuple[str, int]) -> None:
    """Add what a descriptor says beyond GE's defaults to the attributes of its operator."""
    side, index = place
    wire = messages.wire
    said = dict(_UNSAID)
    for part in wire.fields(field[2], field[3]):
        number = part[0]
        if number == _DESC_ATTR:
            key, value = messages.entry(part)
            if DESC_ATTR_DEFAULTS.get(key) != value:
                found[desc_key(side, key, index)] = value
        elif number == _SHAPE and part[1] == LENGTH:
            said["shape"] = _dims(wire, part)
        elif number in _DESC:
            for value in values_of(wire, part, _DESC[number]):
                said[_DESC[number].name] = value
    for name, value in said.items():
        if DESC_DEFAULTS.get(name) != value:
            found[desc_key(side, name, index)] = value


def _dims(wire: Wire, shape: WireField) -> AttrValue:
    parts = wire.fields(shape[2], shape[3])
    return tuple(dim for part in parts if part[0] == 1 for dim in values_of(wire, part, _DIM))
