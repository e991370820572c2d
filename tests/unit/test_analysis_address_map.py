"""The address space at a row: what is held, in use and free, and how broken up the free part is."""

import pytest
from view_story import Story

from getrace.analysis.address_map import Extent, Space, space_of
from getrace.analysis.blocks import blocks
from getrace.analysis.memory import history, pool_curves, uses
from getrace.events.launch import Launch, LaunchAddresses
from getrace.events.memory import BirthRecycle, MemAlloc, MemFree
from getrace.events.pools import DriverFree, DriverMalloc, PoolExpand, PoolShrink
from getrace.store.live import LiveStore

BASE = 0x1000_0000
PAGE = 0x1_0000


def four_pages() -> LiveStore:
    """Rows 0: a chunk of four pages; 1, 2, 3: blocks in pages 0, 1, 3; 4-5: page 1 goes back; 6: the chunk shrinks."""
    story = Story()
    story.say(PoolExpand(handle=0xAA00, addr=BASE, size=4 * PAGE, block=1, l1=2))
    for page in (0, 1, 3):
        story.say(MemAlloc(page, BASE + page * PAGE, PAGE, 0, 600, 0), f"AllocMemHbm_a{page}_1")
    story.say(MemFree(BASE + PAGE, 0), "FreeMemory_a1_2")
    story.say(BirthRecycle(0, BASE + PAGE), "")
    story.say(PoolShrink(handle=0xAA00, addr=BASE, block=1))
    story.store.poll()
    return story.store


def space(store: LiveStore) -> Space:
    return space_of(store, blocks(store))


@pytest.mark.parametrize(
    ("row", "extents", "used", "free", "largest", "fragmentation"),
    [
        (0, (Extent(BASE, BASE + 4 * PAGE, 0),), 0, 4 * PAGE, 4 * PAGE, 0.0),
        (1, (Extent(BASE, BASE + 4 * PAGE, PAGE),), PAGE, 3 * PAGE, 3 * PAGE, 0.0),
        (3, (Extent(BASE, BASE + 4 * PAGE, 3 * PAGE),), 3 * PAGE, PAGE, PAGE, 0.0),
        (5, (Extent(BASE, BASE + 4 * PAGE, 2 * PAGE),), 2 * PAGE, 2 * PAGE, 2 * PAGE, 0.0),
    ],
)
def test_a_map_at_each_row(
    row: int, extents: tuple[Extent, ...], used: int, free: int, largest: int, fragmentation: float
) -> None:
    found = space(four_pages()).at(row, 4711)
    assert found.extents == extents
    assert (found.used, found.free, found.largest_free, found.fragmentation) == (used, free, largest, fragmentation)


def test_crumbs_are_fragmentation() -> None:
    story = Story()
    story.say(PoolExpand(handle=0xAA00, addr=BASE, size=4 * PAGE, block=1, l1=2))
    for page in (1, 3):
        story.say(MemAlloc(page, BASE + page * PAGE, PAGE, 0, 600, 0), f"AllocMemHbm_a{page}_1")
    story.store.poll()
    found = space(story.store).at(2, 4711)
    assert (found.free, found.largest_free, found.fragmentation) == (2 * PAGE, PAGE, 0.5)
    assert found.rounding == 2 * (PAGE - 600)


def test_a_chunk_that_shrank_is_held_no_more_but_what_lives_in_it_is() -> None:
    found = space(four_pages()).at(6, 4711)
    assert [(e.start, e.end, e.used) for e in found.extents] == [
        (BASE, BASE + 2 * PAGE, PAGE),
        (BASE + 3 * PAGE, BASE + 4 * PAGE, PAGE),
    ]


def test_another_process_has_a_map_of_its_own() -> None:
    assert space(four_pages()).at(6, 1).extents == ()


def test_what_the_driver_took_back_is_gone() -> None:
    story = Story()
    story.say(DriverMalloc(func="rtMalloc", size=2 * PAGE, purpose="page caching", addr=BASE))
    story.say(DriverFree(device=0, size=2 * PAGE, addr=BASE))
    story.store.poll()
    made = space(story.store)
    assert [made.at(row, 4711).held for row in (0, 1)] == [2 * PAGE, 0]


def test_the_living_are_listed_by_size() -> None:
    lives = space(four_pages()).lives
    assert lives.alive(3).tolist() == [0, 1, 2]
    assert lives.alive(5).tolist() == [0, 2]
    assert [hex(lives.blocks[place].addr) for place in lives.alive(6)] == ["0x10000000", "0x10030000"]


def test_a_pool_gives_back_what_it_took() -> None:
    ((pool, curve),) = pool_curves(four_pages()).items()
    assert pool == (4711, 0xAA00)
    assert (curve.rows.tolist(), curve.bytes.tolist()) == ([0, 6], [4 * PAGE, 0])


def test_the_story_of_an_address_has_its_launches_read_once() -> None:
    story = Story()
    story.say(MemAlloc(1, BASE, PAGE, 0, 600, 0), "AllocMemHbm_a_1")
    story.say(Launch(1, 8, 2, 0xAA00), "LaunchKernelWithHandle_a_2")
    story.say(LaunchAddresses((BASE, BASE + PAGE, BASE)), "LaunchKernelWithHandle_a_2")
    story.say(LaunchAddresses((BASE + PAGE,)), "LaunchKernelWithHandle_a_3")
    story.store.poll()
    used = uses(story.store)
    assert history(story.store, BASE) == history(story.store, BASE, used) == [0, 2]
    assert history(story.store, BASE + PAGE, used) == [2, 3]
    assert history(story.store, 1, used) == []
    cut = uses(story.store, limit=1)
    assert (cut.rest, history(story.store, BASE + PAGE, cut)) == (1, [2])
