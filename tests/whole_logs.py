"""Logs of a gigabyte for benches: one stretch of lines, written again and again with the seconds moved on.

Only the seconds of a stretch change from one copy to the next, so that writing is as fast as the disk and the same
arguments give the same bytes. Each copy is one iteration of a model, with its markers. The endings are what a run that
failed, or that only stopped, leaves behind; the noise is what an application adds that logs errors all the time.
"""

import random
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from plog_generator import lines

from getrace.clock import plog_second

_BASE = 1_772_705_472
_SECOND = re.compile(r"\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d")
_TIME = re.compile(_SECOND.pattern + r"\.\d{3}\.\d{3}")
_COUNT = 100_000
_TRACER = "[INFO] GE(4711,python3):{time} [executor_tracer.cc:{line}]4711 OnExecuteEvent:[KernelTrace] {text}"
_START = _TRACER.format(time="{time}", line=47, text="Start model tracing.")
_END = _TRACER.format(time="{time}", line=51, text="End model tracing.")

FAULT = (
    "[ERROR] RUNTIME(4711,python3):{time}.999.901 [engine.cc:1377]4711 ReportExceptProc:[EXEC][EXEC]Task exception! "
    "device_id=0, stream_id=3, task_id={task}, type=0(KERNEL_AICORE), failuremode =0, "
    "retCode=0x26, [aicore exception]\n"
    "[ERROR] RUNTIME(4711,python3):{time}.999.902 [stream.cc:941]4711 GetError:[EXEC][EXEC]Stream Synchronize failed, "
    "stream_id=3, retCode=0x26, [aicore exception].\n"
    "[ERROR] GE(4711,python3):{time}.999.903 [model_v2_executor.cc:210]4711 Execute: ErrorNo: 4294967295(failed) "
    "Failed to execute rt v2 model for graph orders, model_id 1.\n"
)
"""The end of a run whose kernel failed on the device; ``task`` is the number of a launch."""

NOISE = (
    "[ERROR] SHOP(4711,python3):{time} [shop.cc:7]4711 Put: order {n} of shelf 0x{m:x} was refused",
    "[ERROR] DRV(4711,python3):{time} [devdrv.c:88][ascend] [prof_poll 44] poll {m} gave nothing ({n})",
    "[INFO] HCCL(4711,python3):{time} [op_base.cc:644][4711][4711]Entry-HcclSend: destRank[{n}]",
    "[WARNING] FE(4711,python3):{time} [range.cc:9]4711 Limit:range {n} of node orders_{m} is open",
)
"""Lines of an application that logs errors all the time, and goes on."""


def stretch(share: float, *, noisy: bool = False, seed: int = 1) -> str:
    """Give the lines of one iteration, between its markers; ``share`` of them are KernelTrace."""
    dice = random.Random(seed)
    own = list(islice(lines(share, seed), _COUNT))
    if noisy:
        own = [_noise(dice, n, line) if n % 2 and "KernelTrace" not in line else line for n, line in enumerate(own)]
    first, last = _TIME.findall(own[0])[0], _TIME.findall(own[-1])[0]
    return "\n".join([_START.format(time=first), *own, _END.format(time=last)]) + "\n"


def write_whole(
    path: Path, size: int, share: float = 0.02, *, noisy: bool = False, ending: str = "", open_run: bool = False
) -> int:
    """Write at least ``size`` bytes and an ending; give the number of lines. ``open_run`` leaves out the last End."""
    text = stretch(share, noisy=noisy)
    count, left = 0, size
    with path.open("wb") as file:
        for copy in _copies(text, sorted(set(_SECOND.findall(text)))):
            left -= len(copy)
            cut = copy.rindex(b"\n", 0, -1) + 1 if left <= 0 and open_run else len(copy)
            count += copy.count(b"\n", 0, cut)
            file.write(copy[:cut])
            if left <= 0:
                moment = _SECOND.findall(copy[-400:].decode())[-1]
                file.write(ending.format(time=moment, task=_last_task(copy)).encode())
                break
    return count + ending.count("\n")


def _copies(text: str, seconds: list[str]) -> Iterator[bytes]:
    """Give the stretch with its seconds moved on by its own length each time, from the last second to the first."""
    data, step = text.encode(), len(seconds)
    for number in range(1_000_000):
        copy = data
        for at, second in reversed(list(enumerate(seconds))):
            copy = copy.replace(second.encode(), plog_second(_BASE + number * step + at).encode())
        yield copy
    raise ValueError("a log that long is no use")


def _noise(dice: random.Random, number: int, line: str) -> str:
    """Give a line of noise at the moment of another line."""
    return dice.choice(NOISE).format(time=_TIME.findall(line)[0], n=number % 1000, m=number % 997)


def _last_task(copy: bytes) -> str:
    found: list[bytes] = re.findall(rb"stream_id=3, task_id=(\d+), flip_num", copy)
    return found[-1].decode()
