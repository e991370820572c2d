"""Writes the log of a model whose input changes its shape from step to step, the same bytes for the same numbers.

Each step has one input and some operators, each of which infers a shape and is tiled; ``quiet`` lines of RUNTIME stand
behind each line of the trace, as in the log of a whole application.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from getrace.clock import plog_second

_BASE = 1_772_705_472
_TRACER = "[executor_tracer.cc:74]88 OnExecuteEvent:[KernelTrace]"
_TILED = (
    "Tiling key is 1, atomic clean flag is 0, block_dim is 2, tiling_cond is 0, Tiling cache status: missed, "
    "tilingData size: 4 bytes, TilingData: 0x02 0x00 0x00 0x00 "
)


def step(rows: int, operators: int) -> Iterator[str]:
    """Give the trace of one step whose input has the shape (rows, 64)."""
    dims, described = f"[{rows}, 64]", f"[ND DT_FLOAT [{rows}, 64]]"
    yield " Start model tracing."
    yield "[SplitDataTensor_x_1]"
    yield f"[CalcTensorSizeFromStorage_x_2]Data type: 0, Shape: {dims}, Tensor size: {rows * 256 + 32}"
    for number in range(operators):
        infer = f"[InferShape_op{number}_{100 + number * 10}]"
        yield f"{infer}node_type[Relu]"
        yield f"{infer}input original shapes : {described}, input storage shapes : {described}"
        yield f"{infer}output original shapes: {described}, output storage shapes: {described}"
        yield f"[CacheableTiling_op{number}_{101 + number * 10}]{_TILED}"
        yield from (f"[AllocBatchHbm_op{number}_{102 + number * 10 + each}]" for each in range(6))
    yield " End model tracing."


def write_steps(path: Path, steps: int, operators: int, rows: Callable[[int], int], quiet: int = 0) -> int:
    """Write ``steps`` steps with ``rows(step)`` rows each, counted from 0; give the number of lines."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for at in range(steps):
            for message in step(rows(at), operators):
                file.write(_line("GE", count, f"{_TRACER}{message}"))
                for each in range(quiet):
                    file.write(_line("RUNTIME", count, f"[engine.cc:468] 88 SubmitTask: stream_id=2, task_id={each}"))
                count += 1 + quiet
    return count


def _line(module: str, count: int, text: str) -> str:
    second, rest = divmod(count * 2, 1_000_000)
    moment = f"{plog_second(_BASE + second)}.{rest // 1000:03d}.{rest % 1000:03d}"
    return f"[INFO] {module}(77,app):{moment} {text}\n"
