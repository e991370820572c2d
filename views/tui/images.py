"""Pictures with pixels, where the terminal can show them: the extra ``images`` and a kitty or sixel terminal.

The terminal is asked before the screens take it, for its answer would be read as keys afterwards. Without the extra,
or on a terminal without images, there are character cells, and this says which of the two is missing.
"""

import importlib.util
from collections.abc import Callable
from typing import IO, NamedTuple

from textual.widget import Widget

from getrace.dumps.snapshot import GraphSnapshot

TIME_LIMIT = 20.0
"""Seconds for the layout of an image: it has few nodes, and somebody waits."""
NO_PACKAGE = "images need the extra: pip install 'getrace[images]'"
NO_TERMINAL = "this terminal shows no images (kitty or sixel): the graph is drawn in characters"

Shown = Callable[[IO[bytes]], Widget]
"""Makes the widget that shows a PNG."""


class Images(NamedTuple):
    """``shown`` makes widgets, None where there are no images; ``why`` says why not."""

    shown: Shown | None = None
    why: str = NO_PACKAGE


NO_IMAGES = Images()


def ask_terminal() -> Images:
    """Ask the terminal whether it shows images; to be called before textual takes it."""
    if importlib.util.find_spec("textual_image") is None:
        return Images()
    from textual_image.renderable import Image as Best  # noqa: PLC0415 - an extra, and importing it asks the terminal
    from textual_image.renderable import SixelImage, TGPImage  # noqa: PLC0415 - the same
    from textual_image.widget import Image  # noqa: PLC0415 - the same

    return Images(Image, "") if Best in (SixelImage, TGPImage) else Images(None, NO_TERMINAL)


def png_of(snapshot: GraphSnapshot) -> bytes:
    """Draw a graph as PNG; takes as long as its layout.

    Raises:
        EngineError: there is no layout engine, or it failed.
    """
    from views.graph.drawing import source_of  # noqa: PLC0415 - brings Graphviz, wanted only when somebody draws
    from views.graph.render import render  # noqa: PLC0415 - the same
    from views.graph.stages import scene_of  # noqa: PLC0415 - the same

    return render(source_of(scene_of([snapshot], "compute")), ".png", TIME_LIMIT).data
