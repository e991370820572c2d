"""``getrace streams``: what it prints, and how it ends."""

import json
from typing import Any

import pytest
from stream_story import BLOCK, OTHER, Word, streams_of

from getrace.cli.command import main

Capture = pytest.CaptureFixture[str]

ORDERED: tuple[Word, ...] = (
    ("give", 0, BLOCK),
    ("use", 0, (), (BLOCK,)),
    ("send", 0, 0),
    ("wait", 0, 1),
    ("use", 1, (BLOCK,), (OTHER,)),
)
UNORDERED: tuple[Word, ...] = (*ORDERED[:2], ORDERED[4], ("send", 3, 0))


def answer(words: tuple[Word, ...], capsys: Capture, streams: int = 2) -> tuple[int, dict[str, Any]]:
    code = main(["streams", "hand.log", "--json"], lambda _: streams_of(*words, streams=streams))
    whole: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert whole["schema"] == "getrace/streams/1"
    return code, whole


def test_streams_in_order_are_fine(capsys: Capture) -> None:
    code, whole = answer(ORDERED, capsys)
    data = whole["data"]
    assert code == 0
    (pair,) = data["pairs"]
    assert (pair["event_id"], pair["event"]) == (0, "0xe0")
    assert [(pair[end]["stream"], pair[end]["seq"]) for end in ("send", "wait")] == [(0, 8), (1, 9)]
    assert pair["duration"] == {"ns": 20_000, "provenance": "inferred"}
    assert (data["unmatched"], data["hazards"], data["checked_launches"]) == ([], [], 2)
    said = [(s["stream"], s["rt_stream"], s["handle"], s["launches"], s["sends"], s["waits"]) for s in data["streams"]]
    assert said == [(0, 5, "0xaa00", 1, 1, 0), (1, 6, "0xaa08", 1, 0, 1)]


def test_a_use_without_an_order_ends_with_1_and_says_what_is_missing(capsys: Capture) -> None:
    code, whole = answer(UNORDERED, capsys)
    assert code == 1
    (hazard,) = whole["data"]["hazards"]
    assert (hazard["kind"], hazard["events"], hazard["addr"], hazard["streams"]) == (
        "missing_wait",
        [4, 8],
        "0x12c041200000",
        [0, 1],
    )
    assert hazard["missing"].startswith("an event sent on stream 0 after the first use")
    (left,) = whole["data"]["unmatched"]
    assert (left["kind"], left["event_id"], left["stream"], left["seq"]) == ("send", 3, 0, 12)
    assert left["why"] == "no stream waits for it"


def test_a_person_is_told_the_same(capsys: Capture) -> None:
    assert main(["streams", "hand.log"], lambda _: streams_of(*UNORDERED)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "HAZARD  1 use without the order it needs"
    assert "    event 4  LaunchKernelWithHandle_a_1" in lines
    assert "unmatched (1)" in lines


def test_a_log_that_names_no_stream_ends_with_3_and_names_the_switch(capsys: Capture) -> None:
    code, whole = answer((), capsys, streams=0)
    assert code == 3
    assert "ASCEND_GLOBAL_LOG_LEVEL=1" in whole["warnings"][0]


def test_streams_that_cannot_be_told_apart_are_said(capsys: Capture) -> None:
    code, whole = answer(ORDERED, capsys, streams=0)
    assert code == 0
    assert whole["warnings"][0].startswith("process 4711: no line ties its logical streams")


def test_memory_tells_how_broken_up_the_space_is_at_the_peak(capsys: Capture) -> None:
    assert main(["memory", "hand.log", "--json"], lambda _: streams_of(*ORDERED)) == 0
    (space,) = json.loads(capsys.readouterr().out)["data"]["fragmentation"]
    assert space == {
        "pid": 4711,
        "held": 65_536,
        "used": 65_536,
        "free": 0,
        "largest_free": 0,
        "fragmentation": 0.0,
        "rounding": 64_936,
    }
