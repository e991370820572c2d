"""The tiling of a failing launch, on logs made by hand."""

from handmade import HandLog
from handmade_failures import launch

from getrace.analysis.failure.tiled import Tiled, tiling_of
from getrace.events.launch import LaunchTiling, LaunchWorkspaces
from getrace.events.markers import ModelEnd, ModelStart
from getrace.events.tiling import Tiling

KERNEL = "LaunchKernelWithHandle_act_9"


def tile(log: HandLog, key: int, op: str = "act") -> int:
    return log.say(Tiling(size=8, data=b"12345678", key=key, block_dim=4, cache="hit"), f"CacheableTiling_{op}_5")


def found(log: HandLog, at: int) -> Tiled | None:
    return tiling_of(log.store(), at - 1)


def test_the_last_tiling_of_the_same_operator_in_the_run_is_told_with_the_workspaces() -> None:
    log = HandLog()
    log.say(ModelStart())
    tile(log, 1)
    line = tile(log, 2)
    tile(log, 3, "other")
    at = launch(log, KERNEL, 2, 6)
    log.say(LaunchWorkspaces((0x100, 0x200)), KERNEL)
    tiled = found(log, at)
    assert tiled is not None
    assert (tiled.key, tiled.block_dim, tiled.cache, tiled.size, tiled.place.line) == (2, 4, "hit", 8, line)
    assert tiled.workspaces == (0x100, 0x200)


def test_the_tiling_of_a_run_before_is_none_of_this_launch() -> None:
    log = HandLog()
    log.say(ModelStart())
    tile(log, 1)
    log.say(ModelEnd())
    log.say(ModelStart())
    at = launch(log, KERNEL, 2, 6)
    assert found(log, at) is None


def test_where_tiling_printed_nothing_the_launch_tells_how_much_it_was_given() -> None:
    log = HandLog()
    log.say(ModelStart())
    at = launch(log, KERNEL, 2, 6)
    line = log.say(LaunchTiling(offset=32, size=224, data=b""), KERNEL)
    tiled = found(log, at)
    assert tiled is not None
    assert (tiled.key, tiled.size, tiled.workspaces, tiled.place.line) == (None, 224, None, line)


def test_a_launch_of_no_operator_has_no_tiling() -> None:
    log = HandLog()
    log.say(ModelStart())
    log.say(Tiling(size=0, data=b"", key=1), "CacheableTiling_7")
    at = launch(log, "LaunchKernelWithHandle_9", 2, 6)
    assert found(log, at) is None
