"""What a picture may cost: how many nodes are laid out, with which settings, and what is merged to get there.

Laying out is the only slow step of drawing and its time grows faster than the graph. If the renderer decided late that
a graph is too big, it would have paid already.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from views.graph.labels import dot_text, shorten, stacked
from views.graph.scene import Area, Item, Link, Scene
from views.graph.style import FAMILIES

NODE_BUDGET = 2_000
"""Nodes drawn one by one unless the caller says otherwise; a browser still scrolls such an SVG."""

# (nodes up to, graph attributes). Measured: 1,000 nodes take 0.4 s as they are; 5,000 take 9.5 s as they are and
# 1.8 s with short runs of the network simplex and straight edges. Orthogonal and curved edges take minutes.
_SETTINGS: tuple[tuple[int, dict[str, str]], ...] = (
    (1_500, {"splines": "true"}),
    (12_000, {"splines": "line", "nslimit": "0.1", "nslimit1": "0.1", "mclimit": "0.001"}),
)
_HUGE = {"splines": "line", "nslimit": "0.001", "mclimit": "0.01", "maxiter": "1", "searchsize": "1"}

_CROWD = 6
_ROWS = 3


_NESTED = {"newrank": "true"}

_HUB = 40
"""Merged operators that one node may point at with an arrow each; what feeds more of them gets one arrow in all.

Measured: 300 operators in a chain, each fed by the streams, the allocators and the constants, take graphviz-pure 26 s
of processor time with these 900 arrows, which run past all ranks, and 4 s without.
"""


def settings_for(nodes: int, *, merged: bool = False, nested: bool = False) -> dict[str, str]:
    """Give the graph attributes that lay out so many nodes in seconds.

    A picture of merged operators is dense, runs in circles, and is not even small enough for curves at 100 nodes.
    ``nested`` says that frames of graphs lie inside one another: Graphviz ranks each frame for itself by default, finds
    that two of them with arrows both ways contradict each other, and fails.
    """
    least = _SETTINGS[0][0] + 1 if merged else 0
    settings = next((settings for limit, settings in _SETTINGS if max(nodes, least) <= limit), _HUGE)
    return {**settings, **(_NESTED if nested else {})}


def bundled(scene: Scene) -> Scene:
    """Merge arrows that run between the same two nodes: a tiling hands up to eight values to its launch."""
    return replace(scene, links=tuple(_bundles(scene.links)))


def collapsed(scene: Scene) -> Scene:
    """Merge the nodes of each operator into one, and those without an operator by family, area by area.

    A node that feeds more than ``_HUB`` others keeps the arrow to the first of them, and says how many there are.
    """
    merged: dict[str, str] = {}
    areas = tuple(_collapse(area, merged) for area in scene.areas)
    moved = (replace(link, source=merged[link.source], target=merged[link.target]) for link in scene.links)
    links, readers = _thinned(list(_bundles(link for link in moved if link.source != link.target)))
    return replace(scene, areas=tuple(_told(area, readers) for area in areas), links=links)


def _thinned(links: list[Link]) -> tuple[tuple[Link, ...], dict[str, int]]:
    """Give the arrows with those of each hub in one, and how many nodes a hub feeds."""
    groups: dict[tuple[str, str], list[Link]] = {}
    for link in links:
        groups.setdefault((link.source, link.kind), []).append(link)
    hubs = {key: group for key, group in groups.items() if len(group) > _HUB}
    kept = [link for link in links if (link.source, link.kind) not in hubs]
    for group in hubs.values():
        count = sum(link.count for link in group)
        kept.append(replace(group[0], count=count, tooltip=stacked([f"and to {len(group) - 1} more"])))
    return tuple(kept), {source: len(group) for (source, _), group in hubs.items()}


def _told(area: Area, readers: Mapping[str, int]) -> Area:
    """Write on each hub how many nodes it feeds."""
    items = tuple(
        replace(item, lines=(*item.lines, f"feeds {readers[item.key]}")) if item.key in readers else item
        for item in area.items
    )
    return replace(area, items=items, inner=tuple(_told(inner, readers) for inner in area.inner))


def staggered(scene: Scene) -> Scene:
    """Stack a crowd of lone constants in columns of three: side by side they make a picture metres wide."""
    fed = {link.target for link in scene.links}
    targets: dict[str, list[str]] = {}
    for link in scene.links:
        targets.setdefault(link.source, []).append(link.target)
    crowds: dict[tuple[str, str], list[str]] = {}
    for item in scene.items():
        if FAMILIES[item.family].small and item.key not in fed and len(targets.get(item.key, ())) == 1:
            crowds.setdefault((item.operator, targets[item.key][0]), []).append(item.key)
    columns = (pair for crowd in crowds.values() if len(crowd) > _CROWD for pair in _columns(crowd))
    return replace(scene, columns=tuple(columns))


def _columns(crowd: list[str]) -> Iterator[tuple[str, str]]:
    return (pair for number, pair in enumerate(pairwise(crowd)) if number % _ROWS != _ROWS - 1)


@dataclass(slots=True)
class _Bundle:
    first: Link
    count: int
    tooltips: list[str]

    def link(self) -> Link:
        more = len(self.tooltips) - _TOOLTIPS
        shown = self.tooltips[:_TOOLTIPS] + ([f"and {more} more"] if more > 0 else [])
        return replace(self.first, count=self.count, tooltip=stacked(shown))


_TOOLTIPS = 20
_MERGED_AS = {"handed": "io"}
"""A circle around a sentence would be as big as the rest of the picture."""


def _bundles(links: Iterable[Link]) -> Iterator[Link]:
    bundles: dict[tuple[str, str, str], _Bundle] = {}
    for link in links:
        bundle = bundles.setdefault((link.source, link.target, link.kind), _Bundle(link, 0, []))
        bundle.count += link.count
        if link.tooltip:
            bundle.tooltips.append(link.tooltip)
    return (bundle.link() for bundle in bundles.values())


def _collapse(area: Area, merged: dict[str, str]) -> Area:
    groups: dict[tuple[str, str], list[Item]] = {}
    for item in area.items:
        groups.setdefault((item.operator, "" if item.operator else item.family), []).append(item)
    items = tuple(_merge(group, merged) for group in groups.values())
    return replace(area, items=items, inner=tuple(_collapse(inner, merged) for inner in area.inner))


def _merge(group: list[Item], merged: dict[str, str]) -> Item:
    first = group[0]
    merged.update((item.key, first.key) for item in group)
    if len(group) == 1:
        return first
    name = first.operator or FAMILIES[first.family].title
    family = "operator" if first.operator else _MERGED_AS.get(first.family, first.family)
    return Item(first.key, (shorten(name), f"{len(group)} nodes"), dot_text([name, f"{len(group)} nodes"]), family)
