"""How late a line of a growing log is in the store: a writer of 100,000 lines a second, polled as a screen polls."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from getrace.replay import follow_store
from views.tui.feed import POLLS_PER_SECOND

pytestmark = pytest.mark.bench

LINES_A_SECOND = 100_000
SECONDS = 6
LATEST = 0.5

_WRITER = """
import sys, time
path, rate, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
lines = open(sys.argv[4], "rb").read().splitlines(keepends=True)
chunk = rate // 100
start = time.monotonic()
with open(path, "ab", buffering=0) as log:
    for tick in range(100 * seconds):
        at = tick * chunk % (len(lines) - chunk)
        log.write(b"".join(lines[at : at + chunk]))
        print((tick + 1) * chunk, time.monotonic(), flush=True)
        time.sleep(max(0, start + (tick + 1) / 100 - time.monotonic()))
"""


def test_a_line_is_in_the_store_within_half_a_second(tmp_path: Path) -> None:
    from plog_generator import write_plog

    sample, log = tmp_path / "sample.log", tmp_path / "app.log"
    write_plog(sample, 8_000_000, 0.02)
    log.write_bytes(b"")
    store = follow_store([str(log)])
    command = [sys.executable, "-c", _WRITER, str(log), str(LINES_A_SECOND), str(SECONDS), str(sample)]
    seen: list[tuple[float, int]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        while writer.poll() is None or (store.behind and len(seen) < 10_000):
            began = time.monotonic()
            rows = store.poll()
            seen.append((time.monotonic(), rows))
            time.sleep(max(0, began + 1 / POLLS_PER_SECOND - time.monotonic()))
        written = [(float(at), int(count)) for count, at in (line.split() for line in writer.stdout)]
    late, polls = [], iter(seen)
    now, rows = next(polls)
    for at, count in written:
        while rows < count:
            now, rows = next(polls)
        late.append(now - at)
    rate = written[-1][1] / (written[-1][0] - written[0][0])
    late.sort()
    print(
        f"\n{rate:,.0f} lines a second: half of them late by {late[len(late) // 2] * 1000:.0f} ms at most, "
        f"the last by {late[-1] * 1000:.0f} ms"
    )
    assert store.rows == LINES_A_SECOND * SECONDS
    assert late[-1] <= LATEST
