"""How a kind of node and a kind of edge look: one table each.

Kernel types are many (spec/lowering.md 11 lists 280) and a reader wants to see eight kinds. If the writer of the DOT
text and the legend each chose shapes, the legend would explain another picture.
"""

import re
from dataclasses import dataclass

from views.model.style import colours


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of node: a name for the legend, an outline that differs in shape and not only in colour, and a colour.

    ``role`` names the colour in the table that the screens use, ``views.model.style``.
    """

    title: str
    shape: str
    role: str
    style: str = "filled"
    margin: str = "0.10,0.05"
    small: bool = False

    @property
    def border(self) -> str:
        """The colour of the outline, ``#rrggbb``."""
        return colours(self.role).light

    @property
    def fill(self) -> str:
        """The colour inside: the outline's, thinned with white so that black text reads well on it."""
        channels = (int(self.border[at : at + 2], 16) for at in (1, 3, 5))
        return "#" + "".join(f"{255 - (255 - channel) * _TINT_PERCENT // 100:02x}" for channel in channels)


@dataclass(frozen=True, slots=True)
class Stroke:
    """A kind of edge. Kinds differ in line and in arrowhead, so that a grey print still tells them apart."""

    title: str
    line: str
    head: str
    role: str

    @property
    def color(self) -> str:
        """The colour of the line, ``#rrggbb``."""
        return colours(self.role).light


_TINT_PERCENT = 13

FAMILIES: dict[str, Family] = {
    "io": Family("inputs and outputs", "parallelogram", "heading", margin="0,0.02"),
    "handed": Family("value [k] from outside", "circle", "heading", small=True),
    "constant": Family("constants", "ellipse", "dim", small=True),
    "lookup": Family("look-ups, handles", "note", "dim"),
    "shape": Family("shapes, sizes, tiling", "box", "family:tiling", style="rounded,filled"),
    "memory": Family("memory", "cylinder", "family:memory"),
    "tensor": Family("tensors, addresses", "tab", "family:memory"),
    "copy": Family("copies", "cds", "family:device", margin="0.16,0.05"),
    "stream": Family("streams, events", "octagon", "family:streams"),
    "control": Family("control flow", "box", "text", style="filled,diagonals"),
    "launch": Family("launches", "box3d", "family:launch"),
    "operator": Family("operators", "box", "text"),
}
"""Families in the order of the legend."""

STROKES: dict[str, Stroke] = {
    "data": Stroke("data", "solid", "normal", "text"),
    "control": Stroke("control: order only", "dashed", "empty", "family:device"),
    "between": Stroke("value handed to another graph", "dotted", "vee", "heading"),
    "owns": Stroke("runs this sub graph", "dotted", "odiamond", "text"),
}
"""Strokes in the order of the legend."""

OTHER = "operator"

# The first pattern that matches the whole type decides: "AllocLaunchArg" is memory, "LaunchH2DCopy" a copy.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"Const|Constant|Variable|FileConstant\w*|UnfedData"), "constant"),
    (re.compile(r"InnerData"), "handed"),
    (re.compile(r"(Output|Aipp|Ref|Const)?Data|(Inner)?NetOutput"), "io"),
    (re.compile(r"(Stateless)?(If|Case|While)|\w*PartitionedCall|SubgraphCall|Init|Main|DeInit"), "control"),
    (re.compile(r"NoOp|Enter|Exit|Branch\w*|\w*SwitchNotify|WaitAnyone|WatcherPlaceholder"), "control"),
    (re.compile(r"Gen(Cond|Index)For\w+|ConditionCalc|CheckOutputShapesEmpty"), "control"),
    (re.compile(r"\w*Copy\w*|MakeSureTensor\w+|EnsureTensorAtOutMemory|SinkWeightData"), "copy"),
    (re.compile(r"Alloc\w+|Free\w+|Recycle\w+|\w*Allocator\w*|\w*Weight\w*|\w*MemAssigner"), "memory"),
    (re.compile(r"\w*(Event|Notif|Stream)\w*"), "stream"),
    (re.compile(r"Find\w+|Get\w+|Sink\w+|Create\w+|Load\w+|Append\w+|Destroy\w+"), "lookup"),
    (re.compile(r"\w*Launch\w*|\w*Execute\w*|\w*Compute"), "launch"),
    (re.compile(r"\w*(Shape|Tiling|Calc)\w*"), "shape"),
    (re.compile(r"Split\w*|Build\w+|Identity\w+|\w*Tensor\w*"), "tensor"),
)


def family_of(node_type: str) -> str:
    """Give the key in ``FAMILIES`` of a node type; a type that no rule knows is an operator of the compute graph."""
    return next((family for pattern, family in _RULES if pattern.fullmatch(node_type)), OTHER)
