"""The garbage collector rests during a lowering and is afterwards as it was."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from runtime.lowering.uncollected import uncollected


@pytest.fixture(autouse=True)
def collector_as_before() -> Iterator[None]:
    enabled = gc.isenabled()
    yield
    (gc.enable if enabled else gc.disable)()


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_rests_and_is_as_it_was(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled() is enabled


def test_work_that_raises_leaves_the_collector_on() -> None:
    gc.enable()
    with pytest.raises(ValueError, match="broken"), uncollected():
        raise ValueError("broken")
    assert gc.isenabled()


def test_what_was_made_is_old_and_nothing_is_frozen() -> None:
    gc.enable()
    with uncollected():
        made: list[list[int]] = [[] for _ in range(5_000)]
    assert any(each is made for each in gc.get_objects(generation=2))
    assert gc.get_freeze_count() == 0


class Graph:
    """Something that holds itself, as the nodes and edges of a graph hold each other."""

    def __init__(self) -> None:
        self.itself = self
        self.nodes: list[list[int]] = [[] for _ in range(500)]


def test_graphs_that_nobody_has_any_more_do_not_pile_up() -> None:
    gc.enable()
    alive: list[weakref.ref[Graph]] = []
    most = 0
    for _ in range(1_000):
        with uncollected():
            alive.append(weakref.ref(Graph()))
        most = max(most, sum(made() is not None for made in alive))
    assert most < 500
