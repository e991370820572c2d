"""Events in a few words."""

import pytest

from getrace.events import Event
from getrace.events.device import ApiFailed
from getrace.events.launch import CompiledArgs, LaunchAddresses, LaunchTiling, LaunchWorkspaces
from getrace.events.markers import ModelStart
from getrace.events.memory import MemAlloc, MemFree
from getrace.events.pools import AllocatorStats, AllocRequest, MemoryPressure
from getrace.events.shapes import DynamicShape, ExtShapesOut, ShapesIn
from getrace.events.text import LogLine
from getrace.events.tiling import Tiling
from views.model.words import PHRASES, byte_text, short


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (MemoryPressure("try to free cached memory", "", "allocator_1"), "try to free cached memory"),
        (
            MemAlloc(block=0xB0, addr=0x12C0, size=65536, stream=1, asked=600),
            "alloc 64 KiB, 0x12c0, stream 1, for 600 B",
        ),
        (MemAlloc(block=0xB0, addr=0x12C0, size=512), "alloc 512 B, 0x12c0"),
        (MemFree(addr=0x12C0), "free 0x12c0"),
        (ShapesIn(original=(("ND", "float32", (2, 75)),), storage=()), "shapes in float32[2, 75] ND"),
        (ShapesIn(original=(), storage=()), "shapes in none"),
        (ExtShapesOut(original=((64,), (2, 3, 4)), storage=()), "shapes out [64]; [2, 3, 4]"),
        (Tiling(size=16, data=b"", key=3, block_dim=8), "tiling key 3, 8 blocks, data 16 B"),
        (LaunchAddresses(addresses=(0x10, 0x20)), "addresses [0x10, 0x20]"),
        (LogLine("GE", "a.cc", 1, "Run", "said \x1b[1m"), "said \\e[1m"),
        (ApiFailed(code=507015, reason="the aicore", inner=0x26), "call FAILED 507015, the aicore, inner 0x26"),
        (ModelStart(), "── model starts ──"),
        (AllocRequest(asked=2048), "asked for 2 KiB"),
        (AllocatorStats(allocs=4, frees=1, recycles=0), "allocator stats: allocs 4, frees 1, recycles 0"),
        (CompiledArgs(), "no compiled arguments"),
        (LaunchAddresses(), "no inputs or outputs"),
        (LaunchWorkspaces(), "no workspaces"),
        (LaunchTiling(), "no tiling data"),
        (DynamicShape(dims=(1, 2)), "dynamic shape: dims [1, 2]"),
    ],
)
def test_an_event_is_told_in_words(event: Event, words: str) -> None:
    assert short(event) == words


def test_an_event_of_which_the_log_gives_no_field_is_told_by_its_name() -> None:
    for kind in PHRASES:
        slots: tuple[str, ...] = getattr(kind, "__slots__", ())
        assert short(kind(*[None] * len(slots))).strip() != "", kind.kind


def test_words_are_bounded() -> None:
    assert short(LogLine("GE", "a.cc", 1, "Run", "x" * 1_000_000), limit=10) == "xxxxxxxxx…"


def test_each_phrase_names_fields_of_its_event_only() -> None:
    for kind, phrase in PHRASES.items():
        slots: tuple[str, ...] = getattr(kind, "__slots__", ())
        for piece in phrase.split("{")[1:]:
            assert piece.split("}")[0].removesuffix(":x") in slots, kind.kind


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (65536, "64 KiB"), (20 << 30, "20 GiB")],
)
def test_bytes_are_spelled_for_a_person(count: int, text: str) -> None:
    assert byte_text(count) == text
