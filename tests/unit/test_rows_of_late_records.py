"""A record that was written late moves all rows; what a diagnosis points at stays the same records.

Each twin of a real failure is written twice: in the order of its times, and with a record of its last moment in front.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from twin_logs import PID, START_NS, STEP_NS, TWINS, record

from getrace.analysis.failure import Diagnosis, diagnose
from getrace.analysis.failure.witnesses import same_number
from getrace.cli import main
from getrace.clock import plog_time
from getrace.replay import open_store
from getrace.store.store import Store

ROWS: Final = ("row", "under")
TIME: Final = re.compile(r"\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3}")
LOGS: Final = [twin for twin in TWINS if all(not line.startswith("| ") for line in twin["log"])]


def rows_in(told: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Give every row that a diagnosis holds, with the way to it."""
    if is_dataclass(told):
        for each in fields(told):
            value = getattr(told, each.name)
            if each.name in ROWS and isinstance(value, int):
                yield f"{path}.{each.name}", value
            else:
                yield from rows_in(value, f"{path}.{each.name}")
    elif isinstance(told, dict):
        for key, value in told.items():
            yield from rows_in(value, f"{path}[{key}]")
    elif isinstance(told, (tuple, list)):
        for number, value in enumerate(told):
            yield from rows_in(value, f"{path}[{number}]")


def told_of(path: Path, lines: list[str]) -> tuple[Store, Diagnosis]:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    store = open_store([str(path)])
    return store, diagnose(store)


def assert_same_records(folder: Path, lines: list[str], late: str) -> list[str]:
    """Compare what is pointed at with a record in its place and in front of all others; gives the ways to the rows."""
    store, told = told_of(folder / "ordered.log", sorted([late, *lines], key=time_of))
    moved_store, moved = told_of(folder / "moved.log", [late, *lines])
    found = [(path, store.text(row)) for path, row in rows_in(told)]
    assert [(path, moved_store.text(row)) for path, row in rows_in(moved)] == found
    assert late not in [text for _, text in found]
    return [path for path, _ in found]


def time_of(line: str) -> str:
    found = TIME.search(line)
    assert found is not None, line
    return found[0]


@pytest.mark.parametrize("twin", LOGS, ids=lambda twin: f"{twin['family']}-{twin.get('what', '')}")
def test_what_is_pointed_at_in_a_twin_stays_the_same_record(twin: dict[str, Any], tmp_path: Path) -> None:
    lines = [record(*line) for line in enumerate(twin["log"])]
    time = plog_time(START_NS + len(lines) * STEP_NS)
    late = f"[INFO] SHOP({PID},shop):{time} [shop.cc:7]{PID} Close: the shop is closed"
    if not all(TIME.search(line) for line in lines):
        pytest.skip("a record of several lines")
    paths = assert_same_records(tmp_path, lines, late)
    assert paths or twin["family"] == "quiet"


@pytest.mark.parametrize(
    ("model", "fault", "ways"),
    [
        ("two_streams", "lost-event#2", [".hangs.streams[0].evidence[0].row", ".hangs.streams[0].recorder.place.row"]),
        ("two_streams", "lost-event#4", [".hangs.streams[0].at.row"]),
        ("mixed_engines", "launch@sum#2", [".failure.last_good.place.row", ".failure.expected_next.place.row"]),
    ],
)
def test_what_is_pointed_at_in_a_run_stays_the_same_record(
    model: str, fault: str, ways: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", model, "--steps", "3", "--fault", fault, "--out", str(tmp_path / "bundle")])
    capsys.readouterr()
    (log,) = (tmp_path / "bundle" / "debug" / "plog").glob("*.log")
    lines = log.read_text(encoding="utf-8").splitlines()
    pid = int(lines[0].partition("(")[2].partition(",")[0])
    # A wait takes minutes, and no record is that late: it belongs behind those of the first two seconds.
    time = max(time_of(line) for line in lines if time_of(line) < "2026-03-05-10:11:14")
    late = f"[INFO] SHOP({pid},shop):{time} [shop.cc:7]{pid} Close: the shop is closed"
    paths = assert_same_records(tmp_path, lines, late)
    assert [way for way in ways if way not in paths] == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(7, 7, True), (7, 8, False), (65_543, 7, True), (7, 131_079, True), (65_543, 8, False), (0, 65_535, False)],
)
def test_task_numbers_are_compared_by_the_bits_that_all_records_print(one: int, other: int, same: bool) -> None:
    assert same_number(one, other) is same
