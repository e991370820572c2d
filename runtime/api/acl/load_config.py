"""``aclmdlLoadWithConfig``: one call for the six ways of loading, chosen by a field of its configuration.

Source: spec/execution.md 3.4.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Final

from runtime.api.acl.log import NO_CONFIG, NO_MODEL, NO_QUEUES, QUEUES, WITHOUT_GRAPH, refuse
from runtime.api.acl.models import Models
from runtime.api.error_codes import AclError
from runtime.api.ge_process import GeProcess
from runtime.api.static_model import NO_MEMORY


class LoadType(IntEnum):
    """``ACL_MDL_LOAD_TYPE_SIZET``: where the model is and what the caller brings."""

    FROM_FILE = 1
    FROM_FILE_WITH_MEM = 2
    FROM_MEM = 3
    FROM_MEM_WITH_MEM = 4
    FROM_FILE_WITH_Q = 5
    FROM_MEM_WITH_Q = 6


@dataclass(frozen=True, slots=True)
class LoadConfig:
    """``aclmdlConfigHandle``. ``work`` and ``weight`` are (address, bytes); ``queues`` counts those in and out.

    ``without_graph`` (``ACL_MDL_WITHOUT_GRAPH_INT32``) drops the graph after loading, which RT2 cannot.
    """

    load_type: LoadType
    path: str | None = None
    model: bytes | None = None
    work: tuple[int, int] = NO_MEMORY
    weight: tuple[int, int] = NO_MEMORY
    without_graph: bool = False
    queues: tuple[int, int] = (0, 0)


def load_with_config(process: GeProcess, models: Models, config: LoadConfig | None) -> tuple[int, int]:
    """``aclmdlLoadWithConfig``: gives the model's id and a status."""
    if config is None:
        return 0, refuse(process, NO_CONFIG)
    if config.path is None and not config.model:
        return 0, refuse(process, NO_MODEL)
    model_id, status = _WAYS[config.load_type](process, models, config)
    loaded = models.loaded(model_id)
    if not status and config.without_graph and loaded is not None and loaded.is_dynamic:
        models.unload(model_id)
        return 0, refuse(process, WITHOUT_GRAPH)
    return model_id, status


def _from_file(_process: GeProcess, models: Models, config: LoadConfig) -> tuple[int, int]:
    return models.load_from_file(config.path)


def _from_file_with_mem(_process: GeProcess, models: Models, config: LoadConfig) -> tuple[int, int]:
    return models.load_from_file_with_mem(config.path, config.work, config.weight)


def _from_mem(_process: GeProcess, models: Models, config: LoadConfig) -> tuple[int, int]:
    return models.load_from_mem(config.model)


def _from_mem_with_mem(_process: GeProcess, models: Models, config: LoadConfig) -> tuple[int, int]:
    return models.load_from_mem_with_mem(config.model, config.work, config.weight)


def _with_queues(process: GeProcess, _models: Models, config: LoadConfig) -> tuple[int, int]:
    """Queues feed a model on the device without the host; there are none on the simulated one."""
    inputs, outputs = config.queues
    if not inputs or not outputs:
        return 0, refuse(process, NO_QUEUES, inputs=inputs, outputs=outputs)
    return 0, refuse(process, QUEUES, AclError.API_NOT_SUPPORT)


_WAYS: Final[Mapping[LoadType, Callable[[GeProcess, Models, LoadConfig], tuple[int, int]]]] = MappingProxyType(
    {
        LoadType.FROM_FILE: _from_file,
        LoadType.FROM_FILE_WITH_MEM: _from_file_with_mem,
        LoadType.FROM_MEM: _from_mem,
        LoadType.FROM_MEM_WITH_MEM: _from_mem_with_mem,
        LoadType.FROM_FILE_WITH_Q: _with_queues,
        LoadType.FROM_MEM_WITH_Q: _with_queues,
    }
)
