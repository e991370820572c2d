"""The events screen over a run of 100,000 events a second: keys are answered, and nothing is lost.

Wall times are printed; what is held to is that every event arrives, and that the screen's thread has time left.
"""

import asyncio
import threading
import time

import numpy as np
import pytest
from key_to_paint import PaintedApp, key_to_paint
from view_screens import frame

from getrace.events import Level, Origin
from getrace.events.memory import MemAlloc
from getrace.store.live import LiveStore
from views.tui.settings import Settings

pytestmark = pytest.mark.bench

RATE, SECONDS, STEP = 100_000, 30, 0.01
KEYS = ("k", "k", "pageup", "space", "space")


def _produce(store: LiveStore, gone: threading.Event) -> int:
    """Publish at the rate until told to stop, a batch each hundredth of a second; give how many."""
    origin, event = Origin(1, "bench", 1), MemAlloc(block=1, addr=0x1000, size=512)
    sent, started = 0, time.perf_counter()
    while not gone.wait(STEP):
        wanted = int((time.perf_counter() - started) * RATE)
        for number in range(sent, wanted):
            store(number * 10_000, origin, Level.INFO, "AllocMemHbm_a_1", event)
        sent = wanted
    return sent


async def _watch(store: LiveStore, keys: float) -> tuple[list[float], float]:
    app = PaintedApp(store, Settings("bench", live=True))
    async with app.run_test(size=(140, 50)) as pilot:
        while frame(pilot).total < RATE:  # noqa: ASYNC110 - a store that grows has no event to wait for
            await asyncio.sleep(0.01)
        waits: list[float] = []
        busy, started = time.thread_time(), time.perf_counter()
        while time.perf_counter() - started < keys:
            waits += [(await key_to_paint(pilot, key)).first for key in KEYS]
        return waits, (time.thread_time() - busy) / (time.perf_counter() - started)


def test_a_live_run_of_a_hundred_thousand_events_a_second_is_watched() -> None:
    store, gone = LiveStore("bench", lambda *_: ""), threading.Event()
    sent: list[int] = []
    producer = threading.Thread(target=lambda: sent.append(_produce(store, gone)))
    producer.start()
    try:
        waits, share = asyncio.run(_watch(store, SECONDS))
    finally:
        gone.set()
        producer.join()
    print(
        f"{sent[0] / SECONDS:,.0f} events/s for {SECONDS} s: key to paint p50 {np.median(waits) * 1e3:.0f} ms, "
        f"p95 {np.percentile(waits, 95) * 1e3:.0f} ms, the screen's thread works {share:.0%} of the time"
    )
    assert store.poll() == sent[0]
