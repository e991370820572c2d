"""Whatever call fails, of whatever kind: the process ends in order and gives all its memory back."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from getrace.bus import Bus
from runtime.api.models import load_model
from runtime.api.simulate import RunOptions, RunResult, run_model

SAMPLES: Final = Path(__file__).parents[2] / "samples"
KINDS: Final = ("malloc", "stream", "event", "launch", "copy", "aicore", "aicpu", "timeout", "lost-event", "oom")
HARMLESS: Final = frozenset({"malloc"})
"""A single allocation that fails is repeated, so the run may succeed all the same."""


def results(sample: str, kind: str, *, multi_stream: bool) -> Iterator[tuple[int, RunResult]]:
    """Let the first, second, ... call fail until there is none left."""
    for number in count(1):
        options = RunOptions(steps=2, multi_stream=multi_stream, faults=(f"{kind}#{number}",))
        result = run_model(load_model(sample, SAMPLES), options, Bus(now=int))
        if result.unmet:
            return
        yield number, result


def check(sample: str, kind: str, *, multi_stream: bool) -> int:
    struck = 0
    for number, result in results(sample, kind, multi_stream=multi_stream):
        assert result.leaked_bytes == 0, number
        assert result.status or kind in HARMLESS, number
        assert result.steps < 2 or not result.status, number
        struck = number
    return struck


@pytest.mark.parametrize("kind", KINDS)
def test_no_call_that_fails_leaves_memory_behind(kind: str) -> None:
    struck = [check(sample, kind, multi_stream=True) for sample in ("two_streams", "mixed_engines", "weights")]
    assert max(struck) >= 1


@pytest.mark.long
@pytest.mark.parametrize("multi_stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sample", ["add_example", "conditional", "loop", "onnx_mlp", "weights"])
def test_no_call_of_any_sample_that_fails_leaves_memory_behind(sample: str, kind: str, multi_stream: bool) -> None:
    check(sample, kind, multi_stream=multi_stream)
