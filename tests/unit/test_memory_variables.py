"""Memory of variables: pages, what a caller brings, and how it ends."""

import pytest

from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.memory.variables import VariableMemory, VariablePool
from runtime.values import Placement, StorageShape

PAGE = 2 << 20
SHAPE = StorageShape.same((4,))


def device() -> Device:
    return Device(find_profile("tiny"), seed=0, start_ns=0)


def addresses(memory: VariableMemory, *names: str) -> list[int]:
    found = [memory.find(name) for name in names]
    return [each.data.addr for each in found if each is not None]


def test_small_variables_lie_512_bytes_apart_in_one_page() -> None:
    on = device()
    memory = VariableMemory(on, 1)
    for name, size in (("a", 16), ("b", 513), ("c", 1)):
        assert memory.restore(name, SHAPE, size)
    a, b, c = addresses(memory, "a", "b", "c")
    assert (b - a, c - b, on.hbm.used) == (512, 1024, PAGE)


def test_a_variable_larger_than_a_page_gets_as_many_as_it_needs() -> None:
    on = device()
    memory = VariableMemory(on, 1)
    assert memory.restore("small", SHAPE, 16)
    assert memory.restore("large", SHAPE, PAGE + 1)
    assert on.hbm.used == 3 * PAGE


def test_huge_pages_are_a_gibibyte() -> None:
    on = Device(find_profile("ascend910b"), seed=0, start_ns=0)
    assert VariableMemory(on, 1, huge_pages=True).restore("a", SHAPE, 16)
    assert on.hbm.used == 1 << 30


def test_memory_of_the_callers_is_used_first() -> None:
    on = device()
    mine = on.malloc(1024)
    assert mine is not None
    memory = VariableMemory(on, 1)
    assert memory.start(mine, 1024)
    assert not memory.start(0, 0)
    for name in ("a", "b", "c"):
        assert memory.restore(name, SHAPE, 16)
    assert addresses(memory, "a", "b") == [mine, mine + 512]
    before = on.hbm.used
    memory.close()
    assert on.hbm.used == before - PAGE


def test_a_variable_that_is_there_keeps_its_bytes() -> None:
    on = device()
    memory = VariableMemory(on, 1)
    assert memory.restore("a", SHAPE, 16, b"\1" * 16)
    (address,) = addresses(memory, "a")
    assert memory.restore("a", SHAPE, 16, b"\2" * 16)
    assert on.hbm.read(address, 2) == b"\1\1"
    assert memory.find("b") is None


def test_a_full_device_has_none_left() -> None:
    on = device()
    assert not VariableMemory(on, 1).restore("a", SHAPE, on.total_bytes + 1)


@pytest.mark.parametrize("placement", [Placement.DEVICE_HBM, Placement.HOST])
def test_a_session_that_ends_gives_all_back(placement: Placement) -> None:
    on = device()
    pool = VariablePool(on)
    assert pool.of(3) is pool.of(3)
    assert pool.of(3) is not pool.of(4)
    assert pool.of(3).restore("a", SHAPE, 16, b"\1" * 16, placement)
    space = on.host if placement.on_host else on.hbm
    assert space.read(addresses(pool.of(3), "a")[0], 1) == b"\1"
    used = space.used
    pool.drop(3)
    pool.drop(3)
    assert space.used < used
    assert pool.of(3).find("a") is None
