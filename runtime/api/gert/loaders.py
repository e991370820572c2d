"""The executor loaders of ``gert_api.h``: an offline model, read, lowered and built into a ModelV2Executor.

They own the order of the load path and its statuses. If ACL or a session lowered models itself, the same broken model
would fail in three ways.

Source: spec/execution.md 3.2; GE ``api.cc``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from getrace.errors import InputError
from runtime.api.ge_process import GeProcess
from runtime.api.gert.model_data import ModelData, load_data_from_file
from runtime.api.gert.root_model import RootModel, check_deterministic, load_root_model, with_process_options
from runtime.engines.options import LoweringOptions
from runtime.executors.builder import create
from runtime.executors.model_converter import LoadAllocators, convert_model
from runtime.executors.model_v2 import ModelV2Executor
from runtime.executors.options import ExecutorOption
from runtime.executors.rt_session import RtSession
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.status import Status

_LOAD_FILE: Final = ("api.cc", 138, "LoadExecutorFromFile")
_MODEL_ID: Final = ("api.cc", 100, "LoadToModelV2ExecutorBuilder")
_LOWERING: Final = ("api.cc", 109, "LoadToModelV2ExecutorBuilder")
_CONVERT: Final = ("graph_converter.cc", 0, "ConvertComputeGraphToExecuteGraph")


class Loaded(NamedTuple):
    """What a loader gives: the executor, None when there is none, and GE's ``error_code``."""

    executor: ModelV2Executor | None
    error_code: int = Status.SUCCESS


@dataclass(frozen=True, slots=True)
class LoadExecutorArgs:
    """``LoadExecutorArgs``: the session that variables belong to, and memory that already holds files of constants.

    ``file_constant_mems`` gives (address, bytes) on the device by file name.
    """

    rt_session: RtSession | None = None
    file_constant_mems: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LoweredModel:
    """A model as far as it is the same for every executor of it."""

    model: RootModel
    root: ExecuteGraph


def load_executor_from_file(process: GeProcess, model_path: str | None) -> Loaded:
    """``gert::LoadExecutorFromFile``."""
    data, status = load_data_from_file(process, model_path)
    if data is None:
        process.refuse(_LOAD_FILE, "Failed to load model data form model path")
        return Loaded(None, status)
    return load_executor_from_model_data(process, data)


def load_executor_from_model_data(
    process: GeProcess,
    model_data: ModelData,
    *,
    option: ExecutorOption | None = None,
    args: LoadExecutorArgs | None = None,
    allocators: LoadAllocators | None = None,
) -> Loaded:
    """``gert::LoadExecutorFromModelData`` in its overloads: alone, with an ExecutorOption, with LoadExecutorArgs.

    The option chooses the executor of Main alone. Only the overload with ``args`` compares deterministic options, and
    only the one with all three ``allocators`` may roll a model of several streams back to one, or reserve them.
    """
    options = process.lowering
    if args is not None:
        options = replace(options, file_constant_memories=dict(args.file_constant_mems))
    deterministic = args is not None
    lowered, status = lowered_from(process, model_data, options, allocators, deterministic=deterministic)
    session = None if args is None else args.rt_session
    return Loaded(None, status) if lowered is None else built_from(process, lowered, option, session)


def load_executor_from_model_data_with_rt_session(
    process: GeProcess, model_data: ModelData, rt_session: RtSession | None
) -> Loaded:
    """``gert::LoadExecutorFromModelDataWithRtSession``: Load must later get the same session."""
    return load_executor_from_model_data(process, model_data, args=LoadExecutorArgs(rt_session))


def lowered_from(
    process: GeProcess,
    model_data: ModelData,
    options: LoweringOptions,
    allocators: LoadAllocators | None = None,
    *,
    deterministic: bool,
) -> tuple[LoweredModel | None, int]:
    """Read a model and lower it (``LoadToModelV2ExecutorBuilder`` as far as its builder)."""
    model, status = load_root_model(process, model_data)
    if model is None:
        return None, status
    if deterministic and (status := check_deterministic(process, model)):
        return None, status
    process.say(_MODEL_ID, f"Current id of hybrid model {model.name} is {next(process.hybrid_ids)}.")
    try:
        with process.refusing(_CONVERT):
            wanted = with_process_options(process, options)
            given = allocators or LoadAllocators()
            root = convert_model(model.graph, process.machine, wanted, process.lower, given)
    except InputError:
        return None, process.refuse(_LOWERING, "Failed to lowering to execute graph")
    return LoweredModel(model, root), Status.SUCCESS


def built_from(
    process: GeProcess,
    lowered: LoweredModel,
    option: ExecutorOption | None = None,
    session: RtSession | None = None,
) -> Loaded:
    """Build an executor. Gives None and FAILED when it cannot be built, as ``Create`` does."""
    executor = create(lowered.root, process.machine, process.kernels, option, session=session)
    return Loaded(executor, Status.FAILED if executor is None else Status.SUCCESS)
