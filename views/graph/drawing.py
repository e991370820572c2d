"""Drawing a stage into a file: the steps in order, and the record of what was drawn."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from getrace.dumps.snapshot import GraphSnapshot
from getrace.errors import UsageError
from getrace.whole_file import whole_file
from views.graph.dot import dot_source
from views.graph.engine import TIME_LIMIT, LayoutFailedError, Rendered
from views.graph.layout import NODE_BUDGET, bundled, collapsed, settings_for, staggered
from views.graph.render import check_suffix, render
from views.graph.scene import Scene
from views.graph.stages import scene_of, widest_stage

_LEAST_TIME = 0.1
"""Seconds that a plainer layout gets, however long the one before took."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What was drawn.

    ``nodes`` and the edges count the graph, whatever was merged; ``drawn`` counts the nodes of the picture.
    ``collapsed`` says whether operators were merged into one node each. ``engine`` is "" for DOT text, and
    ``layout_ms`` the measured milliseconds of the engine.
    """

    stage: str
    nodes: int
    edges_data: int
    edges_control: int
    drawn: int
    collapsed: bool
    engine: str
    layout_ms: float
    path: Path


def draw(
    snapshots: Sequence[GraphSnapshot],
    *,
    stage: str | None = None,
    out: Path,
    max_nodes: int | None = None,
    time_limit: float = TIME_LIMIT,
) -> Drawing:
    """Draw a stage (``compute``, ``init``, ``main``, ``deinit`` or ``all``) into a file; its ending says the format.

    Without a stage it is ``all`` where there are execute graphs, else ``compute``. More than ``max_nodes`` nodes (2,000
    by default) are collapsed by operator, and so is what an engine cannot lay out node by node. Raises UsageError for
    a stage, a limit or a file that cannot be, InputError for a broken graph, EngineError when the layout fails or takes
    longer than ``time_limit`` seconds.
    """
    suffix = check_suffix(out)
    budget = NODE_BUDGET if max_nodes is None else max_nodes
    if budget < 1 or time_limit <= 0:
        raise UsageError(f"cannot draw {budget} nodes in {time_limit:g} s", "give a positive number for both")
    stage = stage or widest_stage(snapshots)
    full = scene_of(snapshots, stage)
    nodes = _count(full)
    shown, merged, made = _laid_out(full, suffix, time_limit, merged=nodes > budget)
    with whole_file(out) as file:
        file.write(made.data)
    return Drawing(
        stage=stage,
        nodes=nodes,
        edges_data=full.edges("data", "between"),
        edges_control=full.edges("control"),
        drawn=_count(shown),
        collapsed=merged,
        engine=made.engine,
        layout_ms=made.layout_ms,
        path=out,
    )


def _laid_out(full: Scene, suffix: str, time_limit: float, *, merged: bool) -> tuple[Scene, bool, Rendered]:
    """Lay out a scene, plainer when the engine gives up; give what is shown and whether operators were merged.

    Frames of operators with arrows both ways contradict each other when each is ranked for itself. That it happens is
    only known when it has: most such pictures are laid out well.
    """
    started, left = time.monotonic(), time_limit
    failed: LayoutFailedError | None = None
    for merge, plain in dict.fromkeys([(merged, False), (merged, True), (True, True)]):
        shown = collapsed(full) if merge else bundled(full)
        source = source_of(shown, merged=merge, plain=plain)
        try:
            return shown, merge, render(source, suffix, left)
        except LayoutFailedError as error:
            failed = failed or error
            left = max(time_limit - (time.monotonic() - started), _LEAST_TIME)
    assert failed is not None
    raise failed


def source_of(scene: Scene, *, merged: bool = False, plain: bool = False) -> str:
    """Give the DOT text of a scene with the settings that fit its size; ``merged`` says that operators were merged.

    ``plain`` asks for straight arrows and one ranking of all frames, which an engine finds easier.
    """
    nested = plain or any(area.inner for area in scene.areas)
    return dot_source(staggered(scene), settings_for(_count(scene), merged=merged or plain, nested=nested))


def _count(scene: Scene) -> int:
    return sum(1 for _ in scene.items())
