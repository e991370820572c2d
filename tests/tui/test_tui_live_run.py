"""The screens over a run that is still going: the simulator feeds the store from a thread of its own."""

import threading
from pathlib import Path

import pytest
from tui_pictures import SamePicture
from view_screens import LARGE, SMALL, main_screen, opened, press, settle

from getrace.bus import Bus
from getrace.plog.spelling import spell_line
from getrace.store.live import LiveStore
from runtime.api.models import load_model
from runtime.api.simulate import RunOptions, RunResult, run_model
from views.tui.settings import Settings

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def _running(steps: int) -> tuple[LiveStore, threading.Thread, list[RunResult]]:
    store = LiveStore("add_example", spell_line)
    bus = Bus(now=lambda: 0)
    bus.subscribe(store)
    results: list[RunResult] = []
    model = load_model("add_example", SAMPLES)
    thread = threading.Thread(target=lambda: results.append(run_model(model, RunOptions(steps=steps), bus)))
    return store, thread, results


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_live_run_grows_on_the_screen_to_its_end(size: tuple[int, int], same_picture: SamePicture) -> None:
    store, thread, results = _running(steps=2)
    async with opened(store, size, Settings("add_example", live=True)) as pilot:
        assert main_screen(pilot).total == 0
        thread.start()
        thread.join()
        assert store.poll() > 0
        await settle(pilot)
        assert results[0].status == 0
        assert main_screen(pilot).total == store.rows > 200
        assert main_screen(pilot).cursor == store.rows - 1
        same_picture(pilot, f"live-run-{size[0]}x{size[1]}")


async def test_a_paused_screen_stays_where_it_is_while_the_run_goes_on() -> None:
    store, thread, _ = _running(steps=3)
    async with opened(store, LARGE, Settings("add_example", live=True)) as pilot:
        await press(pilot, "space")
        thread.start()
        thread.join()
        assert store.poll() > 0
        await settle(pilot)
        assert main_screen(pilot).cursor == 0
        await press(pilot, "space")
        assert main_screen(pilot).cursor == store.rows - 1
