"""The StreamExecutor loaders of ``gert_api.h``: one lowering, an executor for each stream that asks.

They compare no deterministic options; an offline model that conflicts with its process loads here (spec/execution.md
3.2).
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from runtime.api.ge_process import GeProcess
from runtime.api.gert.loaders import lowered_from
from runtime.api.gert.model_data import ModelData
from runtime.api.stream_executor import StreamExecutor
from runtime.engines.options import LoweringOptions
from runtime.executors.builder import build_executor
from runtime.kernels.status import Status


class StreamsLoaded(NamedTuple):
    """What a loader gives: the executor, None when there is none, and GE's ``error_code``."""

    executor: StreamExecutor | None
    error_code: int = Status.SUCCESS


def load_stream_executor_from_model_data(
    process: GeProcess, model_data: ModelData, options: LoweringOptions | None = None
) -> StreamsLoaded:
    """``gert::LoadStreamExecutorFromModelData(model_data[, LoweringOption])``: without options GE's own.

    The options may promise things of output tensors and allocators; the operators stay those of the process.
    """
    wanted = replace(options or process.lowering, library=process.lowering.library)
    lowered, status = lowered_from(process, model_data, wanted, deterministic=False)
    if lowered is None:
        return StreamsLoaded(None, status)
    build = partial(build_executor, lowered.root, process.machine, process.kernels)
    return StreamsLoaded(StreamExecutor(build, process.machine.journal))
