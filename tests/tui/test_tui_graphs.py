"""The Graphs screen: messages, then state, then picture."""

import pytest
from textual.message import Message
from textual.pilot import Pilot
from tui_pictures import SamePicture
from view_graphs import MAIN, story_with_graphs
from view_screens import LARGE, SMALL, frame, opened, press
from view_story import run_story

from views.tui.messages import Chosen, Moved
from views.tui.plain import screen_text
from views.tui.screens.graphs import GraphsPage
from views.tui.settings import Settings
from views.tui.widgets.graph_pane import GraphPane


def drawing(pilot: Pilot[None]) -> GraphPane:
    return frame(pilot).page.query_one(GraphPane)


async def test_a_step_in_the_drawing_is_one_node_and_one_row() -> None:
    heard: list[Message] = []
    async with opened(story_with_graphs(), screen=6, hook=heard.append) as pilot:
        await press(pilot, "j")
    (node,) = {m.number for m in heard if isinstance(m, Chosen)}
    rows = {m.number for m in heard if isinstance(m, Moved)}
    assert MAIN[node] in {"Tiling_add1_61", "AllocMemHbm_add1_62"}
    assert rows == {9 if node == 1 else 10}


@pytest.mark.parametrize(
    ("at", "keys", "node", "row"),
    [
        (0, "", "InferShape_add1_60", 0),
        (0, "G", "FreeMemory_relu1_69", 20),
        (0, "G g", "InferShape_add1_60", 25),
        (0, "e", "InferShape_add1_60", 41),
        (13, "", "SendEvents_add1_64", 13),
        (13, "j", "SendEvents_add1_64", 13),
        (13, "k", "LaunchKernelWithHandle_add1_63", 29),
        (13, "o", "FreeMemory_add1_68", 18),
        (3, "", "SplitRtStreams_2", 3),
        (3, "k", "CreateL2Allocators_1", 2),
        (3, "right_square_bracket", "SplitRtStreams_2", 4),
    ],
)
@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_cursor_lights_its_node_and_back(
    at: int, keys: str, node: str, row: int, size: tuple[int, int]
) -> None:
    async with opened(story_with_graphs(), size, Settings("demo.log", at=at), screen=6) as pilot:
        await press(pilot, *keys.split())
        page = frame(pilot).page
        assert isinstance(page, GraphsPage)
        assert page.node_name == node
        assert frame(pilot).cursor == row


@pytest.mark.parametrize(
    ("keys", "title"),
    [
        ("", "Main of AfterPasses 2/2, p next"),
        ("P", "Main of AfterLowering 1/2, p next"),
        ("P p", "Main of AfterPasses 2/2, p next"),
        ("v", "Init of AfterPasses 2/2, p next"),
        ("h", "Main of AfterPasses 2/2, p next, count"),
        ("h h", "Main of AfterPasses 2/2, p next, time (inferred)"),
        ("h h h h h", "Main of AfterPasses 2/2, p next"),
        ("tab tab g", "compute of Before"),
    ],
)
async def test_stages_passes_and_heat_are_turned(keys: str, title: str) -> None:
    async with opened(story_with_graphs(), screen=6) as pilot:
        await press(pilot, *keys.split())
        assert drawing(pilot).border_title == title


async def test_a_node_that_no_record_names_says_so() -> None:
    async with opened(story_with_graphs(), screen=6) as pilot:
        await press(pilot, "P", "G")
        assert "no record names Const_9" in screen_text(pilot.app)


async def test_the_last_pass_has_no_later_one() -> None:
    async with opened(story_with_graphs(), screen=6) as pilot:
        await press(pilot, "p")
        assert "no later dump of this graph" in screen_text(pilot.app)


async def test_without_a_dump_the_outline_has_the_keys_and_the_switch_is_named() -> None:
    async with opened(run_story(), LARGE, screen=6) as pilot:
        assert pilot.app.focused is not None
        assert pilot.app.focused.id == "outline"
        assert "DUMP_GE_GRAPH=2" in screen_text(pilot.app)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_graph_with_heat(size: tuple[int, int], same_picture: SamePicture) -> None:
    async with opened(story_with_graphs(), size, screen=6) as pilot:
        await press(pilot, "h", "j")
        same_picture(pilot, f"graph-heat-{size[0]}x{size[1]}")


async def test_a_graph_in_ascii(same_picture: SamePicture) -> None:
    async with opened(story_with_graphs(), LARGE, Settings("demo.log", ascii_only=True), screen=6) as pilot:
        await press(pilot, "h", "j")
        assert screen_text(pilot.app).isascii()
        same_picture(pilot, "graph-ascii-120x40")
