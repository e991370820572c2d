"""The allocators of one to eight streams under any program: what no program may ever see, step by step."""

import pytest
from memory_world import Model, World

STREAMS = range(1, 9)


def _run(streams: int, steps: int, seed: int) -> World:
    world = World(streams, seed)
    for step in range(steps):
        world.step()
        if step % 250 == 0:
            world.pools_hold_what_they_took()
    world.unload()
    return world


@pytest.mark.parametrize("streams", STREAMS)
def test_12500_steps_hand_no_block_out_that_somebody_may_still_use(streams: int) -> None:
    world = _run(streams, 12_500, seed=streams)
    assert world.model.births > 500
    assert world.model.births == world.model.recycles


@pytest.mark.long
@pytest.mark.parametrize("streams", STREAMS)
def test_125000_steps_hand_no_block_out_that_somebody_may_still_use(streams: int) -> None:
    _run(streams, 125_000, seed=100 + streams)


def test_the_model_sees_a_block_that_is_handed_out_too_early() -> None:
    model = Model(2)
    model.given(0, 0x10000, 100)
    model.references[0x10000][1] += 1
    model.dropped(0, 0x10000, 100)
    model.dropped(1, 0x10000, 100)
    with pytest.raises(AssertionError, match="stream 1 may still use page 0x10000"):
        model.given(0, 0x10000, 100)


def test_the_model_sees_two_owners_of_one_page() -> None:
    model = Model(1)
    model.given(0, 0x10000, 0x20000)
    with pytest.raises(AssertionError, match="page 0x20000 is handed out twice"):
        model.given(0, 0x20000, 0x10000)


def test_the_model_sees_a_second_end_of_a_life() -> None:
    model = Model(1)
    model.given(0, 0x10000, 100)
    model.dropped(0, 0x10000, 100)
    model.recycled(0x10000)
    with pytest.raises(AssertionError, match="recycled twice"):
        model.recycled(0x10000)
