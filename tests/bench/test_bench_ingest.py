"""A log of 1 GB to columns, and searching its text: against lnav and grep, whole processes, in one run.

lnav indexes the file and answers ``SUM(size)`` with a format file that reads what the columns hold. Sides take turns;
medians of five rounds are compared. ``GETRACE_BENCH_LOG`` names a log that is there already. Our modules are compiled
before, as those of an installed package are.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from getrace.plog.scan_native import extension

pytestmark = pytest.mark.bench

ROUNDS = 5
NEEDLE = "AllocMemHbm_Softmax"
MEMORY = 700
MOST_TO_REOPEN = 0.5

# What a process of ours does: open, sum, and tell the most private memory that it saw of itself.
INGEST = """
import json, sys, threading
from getrace.plog.scan_choice import SCANNERS
from getrace.replay import open_store
from getrace.store.columns import none_of
def private():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) >> 10 for line in status if line.startswith("RssAnon"))
def watch():
    while not done.wait(0.02):
        seen.append(private())
if __name__ == "__main__":
    done, seen = threading.Event(), [0]
    threading.Thread(target=watch, daemon=True).start()
    store = open_store([sys.argv[1]], scanner=SCANNERS[sys.argv[2]], jobs=int(sys.argv[3]))
    sizes = store.at("size", store.told("block"))
    total = int(sizes[sizes != none_of("size")].sum())
    done.set()
    print(json.dumps({"rows": store.rows, "sum": total, "private": max(seen)}))
"""
SEARCH = """
import re, sys, time
from getrace.replay import open_store
store = open_store([sys.argv[1]])
store.column("offset"), store.column("length")
start = time.perf_counter()
count = len(store.matching(re.compile(re.escape(sys.argv[2])), 0, store.rows))
print(count, time.perf_counter() - start)
"""
REOPEN = """
import sys, time
from pathlib import Path
from getrace.ingest.cache import Cache
from getrace.replay import open_store
start = time.perf_counter()
told = []
rows = open_store([sys.argv[1]], cache=Cache(Path(sys.argv[2]), told.append)).rows
print(rows, time.perf_counter() - start, *told)
"""
_PREFIX = (
    r"^\[(?<level>[A-Z]+)\] (?<module>[A-Z_0-9]+)\((?<pid>\d+),(?<proc>[^)]*)\):"
    r"(?<timestamp>\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3})\.(?<us>\d{3}) \[(?<src>[^:\]]+):(?<srcline>\d+)\]"
    r"(?: ?(?<tid>\d+) |\[\d+\]\[(?<tid2>\d+)\])?"
)
_BODY = (
    r"(?<body>(?:(?<func>[^:]*): ?(?:\[KernelTrace\]\[(?<kernel>[^\]]*)\](?:\[MEM\]Alloc memory at stream "
    r"(?<stream>-?\d+), block (?<block>0x[0-9a-f]+), address (?<addr>0x[0-9a-f]+), size (?<size>\d+))?)?)?.*)$"
)
_INTEGERS = ("pid", "srcline", "tid", "tid2", "stream", "size")
_STRINGS = ("module", "proc", "src", "func", "kernel", "block", "addr")
FORMAT = {
    "$schema": "https://lnav.org/schemas/format-v1.schema.json",
    "plog": {
        "title": "plog",
        "description": "plog of CANN",
        "regex": {"std": {"pattern": _PREFIX + _BODY}},
        "timestamp-format": ["%Y-%m-%d-%H:%M:%S.%L"],
        "timestamp-field": "timestamp",
        "level-field": "level",
        "body-field": "body",
        "level": {"error": "ERROR", "warning": "WARNING", "info": "INFO", "debug": "DEBUG"},
        "value": {name: {"kind": "integer"} for name in _INTEGERS} | {name: {"kind": "string"} for name in _STRINGS},
        "sample": [{"line": "[INFO] GE(1,python3):2026-05-20-10:11:12.123.461 [a.cc:47]12363 F:[KernelTrace][A_1]"}],
    },
}


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("compiled")))
        run([sys.executable, "-c", "import getrace.replay"])
        yield


def run(command: list[str]) -> tuple[float, str]:
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done.stdout


def ingest(tmp_path: Path, log: Path, scanner: str, jobs: int) -> list[str]:
    script = tmp_path / "ingest.py"  # a file: processes that are started anew look for it
    script.write_text(INGEST)
    return [sys.executable, str(script), str(log), scanner, str(jobs)]


@pytest.fixture
def lnav(tmp_path: Path, log: Path) -> list[str]:
    if shutil.which("lnav") is None:
        pytest.skip("lnav is not installed: apt-get install lnav")
    formats = tmp_path / "lnav" / "formats" / "plog"
    formats.mkdir(parents=True)
    (formats / "plog.json").write_text(json.dumps(FORMAT))
    return ["lnav", "-I", str(tmp_path / "lnav"), "-n", "-c", ";SELECT count(*), sum(size) FROM plog", str(log)]


def test_columns_of_a_gigabyte_against_lnav(tmp_path: Path, log: Path, lnav: list[str]) -> None:
    limits = {("numpy", 1): 0.8, ("numpy", 2): 0.6}
    if extension() is not None:
        limits |= {("native", 1): 0.25, ("native", 2): 0.15}
    times: dict[object, list[float]] = {"lnav": []} | {side: [] for side in limits}
    answers: dict[object, str] = {}
    private: list[int] = []
    for _ in range(ROUNDS):
        seconds, answers["lnav"] = run(lnav)
        times["lnav"].append(seconds)
        for side in limits:
            seconds, output = run(ingest(tmp_path, log, *side))
            found = json.loads(output)
            answers[side] = f"{found['rows']} {found['sum']}"
            times[side].append(seconds)
            private.append(found["private"])
    base = statistics.median(times["lnav"])
    print(f"\nlnav {base:.2f} s; private memory {max(private)} MB; load {os.getloadavg()[0]:.1f}")
    for side, limit in limits.items():
        median = statistics.median(times[side])
        print(f"{side}: {median:.2f} s, {median / base:.3f} of lnav's time (at most {limit})")
    assert len({" ".join(answer.split()[-2:]) for answer in answers.values()}) == 1, answers
    assert max(private) <= MEMORY
    assert {side: statistics.median(times[side]) / base <= limit for side, limit in limits.items()} == dict.fromkeys(
        limits, True
    )


def test_searching_a_gigabyte_takes_hardly_longer_than_grep(log: Path) -> None:
    grep, ours = [], []
    for _ in range(ROUNDS):
        seconds, expected = run(["grep", "-cF", NEEDLE, str(log)])
        grep.append(seconds)
        count, taken = run([sys.executable, "-c", SEARCH, str(log), NEEDLE])[1].split()
        ours.append(float(taken))
        assert count == expected.strip()
    print(f"\ngrep -c {statistics.median(grep):.2f} s, search {statistics.median(ours):.2f} s for {count} rows")
    assert statistics.median(ours) <= statistics.median(grep) + 0.5


def test_reopening_a_gigabyte_takes_half_a_second_at_most(tmp_path: Path, log: Path) -> None:
    command = [sys.executable, "-c", REOPEN, str(log), str(tmp_path / "cache")]
    rows, reading = run(command)[1].split()
    again = [run(command)[1].split() for _ in range(ROUNDS)]
    reopening = statistics.median(float(taken) for _, taken in again)
    print(f"\nreading and keeping {float(reading):.2f} s, reopening {reopening:.3f} s")
    assert {found for found, _ in again} == {rows}
    assert reopening <= MOST_TO_REOPEN
