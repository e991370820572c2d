"""What is written in a node: its kernel type, and the one detail that tells it from its neighbours."""

from getrace.dumps.snapshot import SnapshotNode
from getrace.ids import split_kernel_name
from views.graph.labels import shorten, tooltip
from views.graph.scene import Item
from views.graph.style import FAMILIES, family_of

_INDEXED: dict[str, dict[int, str]] = {
    "Data": {-1: "stream", -2: "external allocator", -3: "events", -4: "notifies"},
    "ConstData": {0: "RtSession", 1: "OuterWeightMem", 2: "ModelDesc"},
    "InnerData": {},
}
"""Types told apart by ``index``, and the indices that have a name (spec/lowering.md 2.6 and 10.1)."""


def item_of(key: str, node: SnapshotNode, operator: str) -> Item:
    """Make the picture's node of a graph's node; the tooltip has the full name, the type and the attributes."""
    heading = f"{node.name} ({node.type}), {node.inputs} in, {node.outputs} out"
    family = family_of(node.type)
    lines = (_detail(node),) if FAMILIES[family].small else (node.type, _detail(node))
    shown = tuple(shorten(line) for line in lines if line) or (shorten(node.type),)
    return Item(key, shown, tooltip(heading, node.attrs), family, operator)


def _detail(node: SnapshotNode) -> str:
    index = node.attrs.get("index")
    if isinstance(index, int) and node.type in _INDEXED:
        position = _INDEXED[node.type].get(index, f"[{index}]")
        return position if _is_kernel_name(node) else f"{node.name} {position}"
    if node.attrs.get("is_string") is True:
        return _text(node)
    return _number(node)


def _text(node: SnapshotNode) -> str:
    """Show a string constant by its text: ``"AddExample"`` says more than a number."""
    value = node.attrs.get("value")
    text = value.rstrip(b"\0").decode("ascii", "replace") if isinstance(value, bytes) else ""
    return f'"{shorten(text, 20)}"' if text.isprintable() and text else _number(node)


def _number(node: SnapshotNode) -> str:
    """Show the id of a kernel, and the older type in a name that a pass kept when it changed the type."""
    name = split_kernel_name(node.name)
    if name.id >= 0 and (name.node or node.name == f"{node.type}_{name.id}"):
        return f"#{name.id}" if name.type == node.type else f"{name.type} #{name.id}"
    return "" if node.name == node.type else node.name


def _is_kernel_name(node: SnapshotNode) -> bool:
    """Whether GE named the node; in a compute graph the user did, and the reader looks for that name."""
    return split_kernel_name(node.name).id >= 0
