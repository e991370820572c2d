"""The screens over a run that is still going: the simulator feeds the store from a thread of its own."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from tui_pictures import SamePicture
from view_screens import LARGE, SMALL, frame, opened, press, settle

from getrace.bus import Bus
from getrace.cli.live_run import LiveRun
from getrace.errors import UsageError
from getrace.events import Level, Origin
from getrace.events.markers import ModelStart
from getrace.plog.spelling import spell_line
from getrace.store.live import LiveStore
from runtime.api.models import load_model
from runtime.api.simulate import RunOptions, RunResult, run_model
from views.model.steps import Step
from views.tui.app import GetraceApp
from views.tui.plain import screen_text
from views.tui.settings import Settings
from views.tui.widgets.outline_tree import OutlineTree

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def _running(steps: int, *inputs: str, name: str = "add_example") -> tuple[LiveStore, LiveRun]:
    store = LiveStore(name, spell_line)
    bus = Bus(now=lambda: 0)
    bus.subscribe(store)
    model = load_model(name, SAMPLES)
    return store, LiveRun(lambda stop: run_model(model, RunOptions(steps=steps, inputs=inputs), bus, stop), store)


def test_a_run_waits_for_its_screen_and_goes_on_when_it_has_taken_up_what_there_is() -> None:
    store = LiveStore("any", spell_line)
    asked: list[bool] = []
    full = threading.Event()

    def run(stop: Callable[[], bool]) -> RunResult:
        for _ in range(10_001):
            store(0, Origin(1, "any", 1), Level.INFO, None, ModelStart())
        full.set()
        asked.append(stop())
        return RunResult()

    live = LiveRun(run, store)
    live.start()
    full.wait()
    assert (live.verdict(), asked) == (None, [])
    store.poll()
    live.join()
    assert (live.verdict(), asked) == ("OK, 0 steps", [False])


def _settings(run: LiveRun) -> Settings:
    return Settings("add_example", live=True, ended=run.verdict, leaving=run.leave)


async def _to_the_end(pilot: Pilot[None], run: LiveRun) -> None:
    run.start()
    run.join()
    frame(pilot).feed.tick()
    await settle(pilot)


def _status(pilot: Pilot[None]) -> str:
    return screen_text(pilot.app).splitlines()[-1]


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_live_run_grows_on_the_screen_to_its_end(size: tuple[int, int], same_picture: SamePicture) -> None:
    store, run = _running(2)
    async with opened(store, size, _settings(run)) as pilot:
        assert frame(pilot).total == 0
        assert " LIVE " in _status(pilot)
        await _to_the_end(pilot, run)
        assert run.stop().status == 0
        assert frame(pilot).total == store.rows > 200
        assert frame(pilot).cursor == store.rows - 1
        same_picture(pilot, f"live-run-{size[0]}x{size[1]}")


async def test_a_paused_screen_stays_where_it_is_while_the_run_goes_on() -> None:
    store, run = _running(3)
    async with opened(store, LARGE, _settings(run)) as pilot:
        await press(pilot, "space")
        await _to_the_end(pilot, run)
        assert frame(pilot).cursor == 0
        await press(pilot, "G")
        assert frame(pilot).cursor == store.rows - 1


async def test_a_run_that_is_over_says_so_and_is_a_log_that_can_be_played() -> None:
    store, run = _running(2)
    async with opened(store, LARGE, _settings(run)) as pilot:
        await _to_the_end(pilot, run)
        lines = screen_text(pilot.app).splitlines()
        assert lines[2] == " OK, 2 steps"
        assert ("ENDED" in lines[-1], "LIVE" in lines[-1]) == (True, False)
        await press(pilot, "space")
        assert _status(pilot).endswith("ENDED  dropped 0  the end of the log")


async def test_a_run_that_failed_says_where_in_the_header() -> None:
    store, run = _running(2, "x1=3")
    async with opened(store, LARGE, _settings(run)) as pilot:
        await _to_the_end(pilot, run)
        assert screen_text(pilot.app).splitlines()[2] == " InferShape_add_125 failed at infer_shape, after 0 steps"
        assert "ENDED" in _status(pilot)


async def test_a_run_that_cannot_begin_says_why_in_the_header() -> None:
    store, run = _running(2, "x9=3")
    async with opened(store, LARGE, _settings(run)) as pilot:
        await _to_the_end(pilot, run)
        assert screen_text(pilot.app).splitlines()[2] == " the run broke off: the model has no input 'x9'"
    with pytest.raises(UsageError, match="no input 'x9'"):
        run.stop()


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("ctrl+c", 130)])
async def test_leaving_the_screen_ends_the_run_within_a_step(key: str, code: int) -> None:
    store, run = _running(100_000_000)
    app = GetraceApp(store, _settings(run))
    run.start()
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press(key)
    assert app.return_code == code
    result = run.stop()
    assert (result.stopped, result.status, result.leaked_bytes) == (True, 0, 0)
    assert 0 <= result.steps < 100_000_000


def _choose(tree: OutlineTree, start: str) -> None:
    """Go down to the next line that begins so, below the one the outline is at."""
    for _ in range(tree.count()):
        tree.move(Step.DOWN)
        if _label(tree).startswith(start):
            return
    pytest.fail(f"no line begins with {start}")


def _label(tree: OutlineTree) -> str:
    return "".join(span.text for span in tree.line(tree.chosen, 200)).lstrip(" ▸▾")


async def test_branches_of_an_if_open_in_the_outline_and_a_kernel_of_one_and_its_node_choose_each_other() -> None:
    store, run = _running(1, name="conditional")
    async with opened(store, LARGE, _settings(run)) as pilot:
        await _to_the_end(pilot, run)
        await press(pilot, "6")
        tree = pilot.app.screen.query_one(OutlineTree)
        for start in ("Main graph", "If_choose_", "then_graph_choose_"):
            _choose(tree, start)
            tree.toggle()
        _choose(tree, "LaunchKernelWithHandle_turn_")
        node = tree.chosen
        await settle(pilot)
        row = frame(pilot).cursor
        assert (store.kernel(row) or "").startswith("LaunchKernelWithHandle_turn_")
        tree.move(Step.UP)
        await settle(pilot)
        assert (tree.chosen, frame(pilot).cursor != row) == (node - 1, True)
        frame(pilot).cursor = row
        await settle(pilot)
        assert tree.chosen == node
