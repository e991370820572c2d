"""A graph as an image where the terminal shows images, and what is said where it does not."""

import io
import struct
from typing import IO

import pytest
from textual.widget import Widget
from textual.widgets import Static
from view_graphs import story_with_graphs
from view_screens import LARGE, frame, opened, press

from views.model.graph_book import graph_book
from views.model.graph_window import around
from views.tui.images import NO_PACKAGE, NO_TERMINAL, Images, ask_terminal, png_of
from views.tui.plain import screen_text
from views.tui.screens.image import ImageScreen
from views.tui.settings import Settings


class Camera:
    """Stands for a terminal with images: keeps what it is given to show."""

    def __init__(self) -> None:
        self.shown: list[bytes] = []

    def __call__(self, image: IO[bytes]) -> Widget:
        """Keep an image, and show its size."""
        self.shown.append(image.read())
        width, height = struct.unpack(">II", self.shown[-1][16:24])
        return Static(f"image of {width} x {height}")


def settings(camera: Camera) -> Settings:
    """Give settings of a terminal with images."""
    return Settings("demo", at=10, images=Images(camera, ""))


async def test_the_graph_around_the_node_is_shown_as_an_image_and_q_goes_back() -> None:
    camera = Camera()
    async with opened(story_with_graphs(), LARGE, settings(camera), screen=6) as pilot:
        assert ">AllocMemHbm_add1_62<" in screen_text(pilot.app)
        await pilot.press("i")
        while not camera.shown:
            await pilot.pause(0.02)
        await pilot.pause()
        shown = screen_text(pilot.app)
        assert "AllocMemHbm_add1_62 in AfterPasses  q goes back" in shown
        assert "image of" in shown
        assert camera.shown[0].startswith(b"\x89PNG")
        await press(pilot, "q")
        assert not isinstance(pilot.app.screen, ImageScreen)
        assert ">AllocMemHbm_add1_62<" in screen_text(pilot.app)


async def test_a_terminal_without_images_says_what_is_missing() -> None:
    async with opened(story_with_graphs(), LARGE, Settings("demo", at=10), screen=6) as pilot:
        await press(pilot, "i")
        notice = frame(pilot).notice
        assert notice is not None
        assert notice.text == NO_PACKAGE
        assert not isinstance(pilot.app.screen, ImageScreen)


async def test_an_engine_that_fails_leaves_the_characters_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GETRACE_DOT", "no-such-engine")
    async with opened(story_with_graphs(), LARGE, settings(Camera()), screen=6) as pilot:
        await pilot.press("i")
        while isinstance(pilot.app.screen, ImageScreen) or frame(pilot).notice is None:
            await pilot.pause(0.02)
        notice = frame(pilot).notice
        assert notice is not None
        assert "no-such-engine" in notice.text


def test_the_window_has_the_node_marked_and_the_edges_inside() -> None:
    book = graph_book(story_with_graphs().graphs)
    sheet = next(n for n, s in enumerate(book.sheets) if (s.stage, s.role) == ("AfterPasses", "Main"))
    made = around(book, sheet, book.node(sheet, "AllocMemHbm_add1_62")).graphs["Main near AllocMemHbm_add1_62"]
    assert made.nodes[0].name == ">> AllocMemHbm_add1_62 <<"
    assert [node.id for node in made.nodes] == list(range(10))
    assert len(made.edges) == 12
    assert png_of(around(book, sheet, 2)).startswith(b"\x89PNG")


def test_a_program_without_a_terminal_has_no_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert ask_terminal() == Images(None, NO_PACKAGE)


def test_the_extra_shows_what_we_draw() -> None:
    widget = pytest.importorskip("textual_image.widget", reason="the extra images is not installed")
    book = graph_book(story_with_graphs().graphs)
    assert widget.HalfcellImage(io.BytesIO(png_of(around(book, 1, 0)))).image is not None
    assert ask_terminal() == Images(None, NO_TERMINAL)
