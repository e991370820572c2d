"""DOT text from a scene, through the ``graphviz`` package.

This is the only module that knows DOT's attributes. The text is the same for the same scene, byte for byte, and is
what the tests compare: what an engine makes of it differs between releases.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby, pairwise

import graphviz

from views.graph.labels import dot_text, needed_width, shorten
from views.graph.scene import Area, Item, Link, Scene
from views.graph.style import FAMILIES, STROKES, Stroke

_FONT = "Helvetica"
_POINTS = 11.0
_POINTS_SMALL = 9.0

_GRAPH = {
    "rankdir": "TB",
    "fontname": _FONT,
    "fontsize": "14",
    "labelloc": "t",
    "labeljust": "l",
    "nodesep": "0.16",
    "ranksep": "0.34",
    "tooltip": " ",
}
_NODE = {"fontname": _FONT, "fontsize": f"{_POINTS:g}", "style": "filled", "height": "0.3"}
_EDGE = {"fontname": _FONT, "fontsize": f"{_POINTS_SMALL:g}", "arrowsize": "0.7"}
_FRAME = {"style": "rounded,filled", "color": "#9aa7b4", "fillcolor": "#fcfdfe", "penwidth": "1.4", "margin": "12"}
_INSIDE = {"fontsize": "12"}
_OPERATOR = {"style": "rounded", "color": "#b9c3cc", "fontsize": "11", "penwidth": "1", "margin": "8"}
_LEGEND = {"style": "rounded,filled", "color": "#cccccc", "fillcolor": "#ffffff", "label": "legend", "fontsize": "11"}
_LEGEND_NAME = {"shape": "plaintext", "style": "", "fontsize": "10", "height": "0.2", "margin": "0.02,0.02"}
_HIDDEN = {"style": "invis"}


def dot_source(scene: Scene, settings: Mapping[str, str] | None = None) -> str:
    """Give the DOT text of a scene. ``settings`` are graph attributes of the layout (``layout.settings_for``)."""
    graph = graphviz.Digraph(
        "getrace",
        graph_attr={**_GRAPH, "label": dot_text([scene.title]), **(settings or {})},
        node_attr=_NODE,
        edge_attr=_EDGE,
    )
    _legend(graph, scene)
    for area in scene.areas:
        _area(graph, area)
    for above, below in pairwise(scene.areas):
        whole = "newrank" in (settings or {}) or bool(above.inner or below.inner)
        _stack(graph, scene, above, below, whole=whole)
    for upper, lower in scene.columns:
        graph.edge(upper, lower, style="invis")
    for link in scene.links:
        graph.edge(link.source, link.target, **_arrow(link))
    return str(graph.source)


def _area(graph: graphviz.Digraph, area: Area, **look: str) -> None:
    with graph.subgraph(name=f"cluster_{area.key}") as frame:
        frame.attr(label=dot_text([area.title]), **_FRAME, **look)
        if not area.items:
            # a frame without a node is not drawn at all
            frame.node(_empty_key(area), label="no nodes", shape="plaintext", style="", fontcolor="#777777")
        if area.doorstep:
            _doorstep(frame, area)
        by_operator = sorted(enumerate(area.items), key=lambda pair: (pair[1].operator, pair[0]))
        for number, (operator, pairs) in enumerate(groupby(by_operator, key=lambda pair: pair[1].operator)):
            _operator(frame, f"cluster_{area.key}o{number}", operator, [item for _, item in pairs])
        for inner in area.inner:
            _area(frame, inner, **_INSIDE)


def _doorstep(frame: graphviz.Digraph, area: Area) -> None:
    """Line up what another graph hands over at the top: arrows into the middle would run around the frame."""
    with frame.subgraph() as row:
        row.attr(rank="same")
        for item in area.items:
            if item.key in area.doorstep:
                row.node(item.key)


def _operator(frame: graphviz.Digraph, name: str, operator: str, items: list[Item]) -> None:
    if not operator:
        for item in items:
            frame.node(item.key, **_outline(item))
        return
    if len(items) == 1:
        frame.node(items[0].key, **_outline(_signed(items[0])))
        return
    with frame.subgraph(name=name) as cluster:
        cluster.attr(label=dot_text([operator]), **_OPERATOR)
        for item in items:
            cluster.node(item.key, **_outline(item))


def _signed(item: Item) -> Item:
    """Name the operator in the node itself: a frame around a single node says nothing more."""
    return replace(item, lines=(*item.lines[:-1], f"{item.lines[-1]} of {shorten(item.operator)}"))


def _outline(item: Item) -> dict[str, str]:
    family = FAMILIES[item.family]
    points = _POINTS_SMALL if family.small else _POINTS
    attributes = {
        "label": dot_text(item.lines),
        "tooltip": item.tooltip,
        "shape": family.shape,
        "style": family.style,
        "margin": family.margin,
        "fillcolor": family.fill,
        "color": family.border,
    }
    if family.small:
        attributes |= {"fontsize": f"{points:g}", "margin": "0.03,0.02", "height": "0.2", "width": "0.3"}
    width = needed_width(item.lines, points)
    if width is not None:
        attributes["width"] = f"{width:g}"
    return attributes


def _arrow(link: Link) -> dict[str, str]:
    attributes = _line(STROKES[link.kind])
    if link.tooltip:
        attributes["edgetooltip"] = link.tooltip
    if link.count > 1:
        attributes["penwidth"] = "1.6"
        attributes["label"] = f"x{link.count}"
    return attributes


def _line(stroke: Stroke) -> dict[str, str]:
    return {"style": stroke.line, "arrowhead": stroke.head, "color": stroke.color}


def _stack(graph: graphviz.Digraph, scene: Scene, above: Area, below: Area, *, whole: bool) -> None:
    """Keep one frame under the other: without an arrow between them Graphviz would put them side by side.

    ``whole`` says that the picture is ranked as a whole: whatever nothing feeds would rise to its top.
    """
    inside = {item.key for area in above.walk() for item in area.items}
    goes_on = {link.source for link in scene.links if link.target in inside}
    ends = [key for area in above.walk() for key in [item.key for item in area.items if item.key not in goes_on][-1:]]
    heads = [below.items[0].key if below.items else _empty_key(below)]
    if whole:
        fed = {link.target for link in scene.links}
        heads += [item.key for area in below.walk() for item in area.items if item.key not in {*fed, *heads}]
    for tail in ends or [item.key for item in above.items] or [_empty_key(above)]:
        for head in heads:
            graph.edge(tail, head, **_HIDDEN)


def _empty_key(area: Area) -> str:
    return f"{area.key}empty"


def _legend(graph: graphviz.Digraph, scene: Scene) -> None:
    """Explain what is in this picture, and nothing that is not: a row is a sample and its name."""
    families = {item.family for item in scene.items()}
    kinds = {link.kind for link in scene.links}
    with graph.subgraph(name="cluster_legend") as frame:
        frame.attr(**_LEGEND)
        starts = [_legend_family(frame, key) for key in FAMILIES if key in families]
        starts += [_legend_stroke(frame, key) for key in STROKES if key in kinds]
        for above, below in pairwise(starts):
            frame.edge(above, below, style="invis")


def _legend_family(frame: graphviz.Digraph, key: str) -> str:
    family = FAMILIES[key]
    sample, name = f"legend_{key}", f"legend_{key}_name"
    with frame.subgraph() as row:
        row.attr(rank="same")
        look = {"shape": family.shape, "style": family.style, "fillcolor": family.fill, "color": family.border}
        row.node(sample, label="", tooltip=family.title, width="0.42", height="0.22", fixedsize="true", **look)
        row.node(name, label=family.title, **_LEGEND_NAME)
        row.edge(sample, name, style="invis")
    return sample


def _legend_stroke(frame: graphviz.Digraph, key: str) -> str:
    stroke = STROKES[key]
    start, name = f"legend_line_{key}", f"legend_line_{key}_name"
    with frame.subgraph() as row:
        row.attr(rank="same")
        row.node(start, label="", tooltip=stroke.title, shape="point", width="0.06", height="0.06")
        row.node(name, label=stroke.title, **_LEGEND_NAME)
        row.edge(start, name, minlen="2", **_line(stroke))
    return start
