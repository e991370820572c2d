"""Lives of the memory blocks of a real log (spec/kerneltrace.md 3.9, golden blocks)."""

import json
from pathlib import Path
from typing import Any

import pytest

from getrace.cli import main

pytestmark = pytest.mark.real

Capture = pytest.CaptureFixture[str]

# (address, generation, asked, alloc line, free line, line of the return to the pool)
BLOCKS = [
    ("0x124080024000", 1, 128, 8180, 8622, 8623),
    ("0x124080034000", 1, 128, 8199, 8624, 8625),
    ("0x124080044000", 1, 288, 8263, 8339, 8340),
    ("0x124080054000", 1, 288, 8276, 8288, 8289),
    ("0x124080054000", 2, 64, 8322, 8344, 8457),
]


def remembered(path: Path, capsys: Capture, *more: str) -> dict[str, Any]:
    assert main(["memory", str(path), "--json", *more]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)["data"]
    return data


def test_each_block_has_both_ends(case_01: Path, capsys: Capture) -> None:
    blocks = remembered(case_01, capsys)["blocks"]
    ends = ("alloc", "free", "recycle")
    assert [(b["addr"], b["generation"], b["requested"], *(b[end]["line"] for end in ends)) for b in blocks] == BLOCKS
    assert {block["size"] for block in blocks} == {65_536}
    assert {block["stream"] for block in blocks} == {None}


def test_the_peak_is_reached_first_at_the_fourth_block(case_01: Path, capsys: Capture) -> None:
    data = remembered(case_01, capsys)
    assert (data["peak_bytes"], data["peak_at"]["line"]) == (262_144, 8276)
    assert (data["peak_at_ns"], data["peak_at"]["time"]) == (data["peak_at"]["time_ns"], "2023-07-13T07:42:40.488900")
    assert (data["live_at_end"], data["leaks"], data["pool"]["peak_bytes"]) == (0, [], 262_144)


def test_the_counts_are_those_of_the_log(case_01: Path, capsys: Capture) -> None:
    data = remembered(case_01, capsys)
    assert (data["allocs"], data["frees"], data["recycles"]) == (5, 5, 5)


def test_the_story_of_an_address_is_told_in_order(case_01: Path, capsys: Capture) -> None:
    story = remembered(case_01, capsys, "--addr", "0x124080054000")["history"]
    told = {(item["line"], item["kind"]) for item in story}
    assert [item["line"] for item in story] == sorted(item["line"] for item in story)
    assert {
        (8275, "span_alloc"),
        (8276, "mem_alloc"),
        (8287, "tf_launch2023"),
        (8288, "mem_free"),
        (8289, "span_free"),
        (8322, "output_alloc"),
        (8335, "launch_addresses"),
        (8344, "mem_free"),
        (8457, "span_free"),
    } <= told


def test_without_its_return_a_block_is_a_leak(case_01: Path, tmp_path: Path, capsys: Capture) -> None:
    lines = case_01.read_bytes().split(b"\n")
    kept = [line for line in lines if b"0x124080044000" not in line or b"Free block" not in line]
    kept = [line for line in kept if b"free device_id:0 ,size:65536, addr:0x124080044000" not in line]
    path = tmp_path / "plog-370_20230713074107907.log"
    path.write_bytes(b"\n".join(kept))
    assert [leak["addr"] for leak in remembered(path, capsys)["leaks"]] == ["0x124080044000"]
