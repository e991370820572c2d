"""The Memory screen's models: curves by owner, the living, blocks, the map in characters, the story of an address."""

import pytest
from view_story import KIB, Story, run_story

from getrace.analysis.address_map import space_of
from getrace.analysis.blocks import blocks
from getrace.events.markers import ModelEnd, ModelStart
from getrace.events.memory import MemAlloc
from getrace.events.pools import PoolExpand
from getrace.store.live import LiveStore
from views.model.draw_map import map_lines
from views.model.memory_lists import (
    NO_ADDRESS,
    NO_LEAKS,
    address_at,
    alive_list,
    block_at,
    block_list,
    story_list,
    story_title,
)
from views.model.memory_story import memory_story
from views.model.spans import plain

ADD, RELU = 0x12C041200000, 0x12C041210000


def texts(lines: list[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines]


def lost() -> LiveStore:
    """A Main that keeps a block."""
    story = Story()
    story.say(ModelStart())
    story.say(MemAlloc(0xB0, ADD, 64 * KIB, 0, 600, 0), "AllocMemHbm_add1_62")
    story.say(ModelEnd())
    story.store.poll()
    return story.store


def test_each_owner_has_a_curve() -> None:
    curves = memory_story(run_story()).curves
    assert [(named.name, int(named.curve.live.max()) // KIB) for named in curves] == [
        ("all device memory", 192),
        ("stream 0", 64),
        ("stream 1", 128),
    ]


def test_a_pool_has_a_curve_by_the_name_of_its_stream() -> None:
    store = run_story()
    story = Story()
    story.store = store
    story.say(PoolExpand(handle=0xAA08, addr=RELU, size=128 * KIB, block=1, l1=2))
    store.poll()
    assert memory_story(store).curves[-1].name == "pool of stream 1"


def test_one_stream_needs_no_curve_of_its_own() -> None:
    assert [named.name for named in memory_story(lost()).curves] == ["all device memory"]


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        (9, []),
        (10, ["0x12c041200000 64 KiB 600 B 0 1 11 add1 AllocMemHbm 62"]),
        (
            15,
            [
                "0x12c041210000 128 KiB 600 B 1 1 16 relu1 AllocMemHbm 66",
                "0x12c041200000 64 KiB 600 B 0 1 11 add1 AllocMemHbm 62",
            ],
        ),
        (19, ["0x12c041210000 128 KiB 600 B 1 1 16 relu1 AllocMemHbm 66"]),
        (42, []),
    ],
)
def test_who_is_alive_at_a_row(row: int, wanted: list[str]) -> None:
    store = run_story()
    found = alive_list(store, memory_story(store).lives, row)
    assert texts([plain(found.line(at, 120)) for at in range(found.count)]) == wanted


def test_every_block_has_both_ends() -> None:
    store = run_story()
    found = block_list(store, memory_story(store))
    assert texts([plain(found.line(at, 120)) for at in (0, 3)]) == [
        "0x12c041200000 1 600 B 64 KiB 0 11 19 20 add1 AllocMemHbm 62",
        "0x12c041210000 2 600 B 128 KiB 1 34 39 40 relu1 AllocMemHbm 66",
    ]
    assert plain(block_list(store, memory_story(store), leaks=True).line(0, 80)) == NO_LEAKS


def test_a_lost_block_is_said_to_be_lost() -> None:
    store = lost()
    found = block_list(store, memory_story(store), leaks=True)
    assert texts([plain(found.line(0, 120))]) == ["0x12c041200000 1 600 B 64 KiB 0 2 - LOST add1 AllocMemHbm 62"]


def test_the_story_of_an_address() -> None:
    store = run_story()
    story = memory_story(store)
    found = story_list(store, story, ADD)
    assert found.rows.tolist() == [10, 18, 19, 28, 36, 37]
    assert texts([plain(found.line(1, 80))]) == ["19 10:11:12.130.361 free 0x12c041200000, stream 0"]
    assert plain(story_list(store, story, 0).line(0, 80)) == NO_ADDRESS


@pytest.mark.parametrize(
    ("addr", "row", "title"),
    [
        (0, 10, "Address"),
        (ADD, 9, "Address 0x12c041200000: no block lies there"),
        (ADD, 10, "Address 0x12c041200000: alive, stream 0, generation 1"),
        (ADD + 16, 12, "Address 0x12c041200000 + 0x10: alive, stream 0, generation 1"),
        (ADD, 20, "Address 0x12c041200000: gone, stream 0, generation 1"),
        (ADD, 28, "Address 0x12c041200000: alive, stream 0, generation 2"),
    ],
)
def test_whose_an_address_is(addr: int, row: int, title: str) -> None:
    assert story_title(memory_story(run_story()), addr, row) == title


def test_a_block_is_found_by_an_address_inside_it() -> None:
    lives = memory_story(run_story()).lives
    assert [block_at(lives, addr, 15) for addr in (ADD - 1, ADD, ADD + 64 * KIB - 1, RELU)] == [-1, 0, 0, 1]


def test_a_row_without_an_address_names_none() -> None:
    store = run_story()
    assert [address_at(store, row) for row in (0, 10, 99)] == [0, ADD, 0]


def holed() -> LiveStore:
    story = Story()
    story.say(PoolExpand(handle=0xAA00, addr=ADD, size=256 * KIB, block=1, l1=2))
    story.say(MemAlloc(1, ADD + 64 * KIB, 64 * KIB, 0, 600, 0), "AllocMemHbm_a_1")
    story.say(MemAlloc(2, ADD + 144 * KIB, 16 * KIB, 0, 600, 0), "AllocMemHbm_b_1")
    story.store.poll()
    return story.store


@pytest.mark.parametrize(
    ("ascii_only", "cells"),
    [(False, ("····◆◆◆◆", "·█······")), (True, ("....@@@@", ".#......"))],
)
def test_the_map_shows_used_and_free(ascii_only: bool, cells: tuple[str, str]) -> None:
    store = holed()
    found = space_of(store, blocks(store)).at(2, 4711)
    lines = [plain(line) for line in map_lines(found, 24, 4, (ADD + 64 * KIB, ADD + 128 * KIB), ascii_only=ascii_only)]
    assert lines[0] == "held 256 KiB"
    assert lines[1] == "a cell is 16 KiB  "
    assert lines[2:] == [f"0x12c041200000  {cells[0]}", f"0x12c041220000  {cells[1]}"]


def test_a_wide_map_says_all_its_numbers() -> None:
    store = holed()
    found = space_of(store, blocks(store)).at(2, 4711)
    assert plain(map_lines(found, 120, 8)[0]) == (
        "held 256 KiB  used 80 KiB  free 176 KiB  largest free 96 KiB  fragmentation 45%  rounding 78.8 KiB"
    )


def test_a_cell_that_is_used_in_part_is_told_apart() -> None:
    store = holed()
    found = space_of(store, blocks(store)).at(2, 4711)
    lines = [plain(line) for line in map_lines(found, 24, 3)]
    assert lines[1:] == ["a cell is 32 KiB  ", "0x12c041200000  ··██▒···"]
