"""Which executor a model goes to: OM2, RT2 or v1, and how each is loaded.

The order is GE's: the first bytes say OM2; else the switch and the header say RT2; the rest is v1.

Source: seeds 002 ``2.1``, ``4.3``; spec/execution.md 3.4.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final

from runtime.api.acl.loaded import LoadedModel, Om2Model, Rt2Model, SunkModel
from runtime.api.acl.log import (
    NOT_LOADED,
    NOT_LOADED_BY_GE,
    NOT_SYNCHRONIZED,
    OM2_NOT_LOADED,
    STATIC_NOT_LOADED,
    refuse,
)
from runtime.api.acl.resources import AclResources
from runtime.api.error_codes import acl_status
from runtime.api.ge_process import GeProcess
from runtime.api.gert.loaders import load_executor_from_model_data_with_rt_session
from runtime.api.gert.model_data import ModelData, is_dynamic_model
from runtime.api.gert.root_model import load_root_model
from runtime.api.om2.executor import load_om2_executor_from_data
from runtime.api.static_model import NO_MEMORY, load_static_model
from runtime.executors.arguments import ModelExecuteArg, ModelLoadArg
from runtime.executors.rt_session import RtSession
from runtime.frontend.om import launch_order

SWITCH: Final = "ENABLE_RUNTIME_V2"
"""Environment variable: ``0`` turns RT2 off, ``2`` for single operators only; anything else leaves it on."""


class Route(Enum):
    """Where a model is run."""

    OM2 = "Om2ModelExecutor"
    RT2 = "ModelV2Executor"
    STATIC = "DavinciModel"


@dataclass(frozen=True, slots=True)
class Request:
    """A model to load, with memory the caller keeps for it: (address, bytes), (0, 0) for none."""

    data: ModelData
    work: tuple[int, int] = NO_MEMORY
    weight: tuple[int, int] = NO_MEMORY


Found = tuple[LoadedModel | None, int]


def is_runtime_v2_enabled(environment: Mapping[str, str], *, single_op: bool = False) -> bool:
    """``IsRuntimeV2Enable``: whether RT2 may run models, or single operators."""
    first = environment.get(SWITCH, "")[:1]
    return first != "0" and not (single_op and first == "2")


def route_of(process: GeProcess, data: ModelData, *, is_om2: bool) -> tuple[Route, int]:
    """Choose for a model that was read. A header that is none is left to v1, which refuses it."""
    if is_om2:
        return Route.OM2, 0
    if not is_runtime_v2_enabled(process.environment):
        return Route.STATIC, 0
    status, is_dynamic = is_dynamic_model(process, data.model_data)
    return Route.RT2 if is_dynamic else Route.STATIC, status


def load(process: GeProcess, resources: AclResources, route: Route, request: Request) -> Found:
    """Load a model on its route. Gives None and ACL's status when it cannot be."""
    return _LOADERS[route](process, resources, request)


def _load_rt2(process: GeProcess, resources: AclResources, request: Request) -> Found:
    """``RuntimeV2ModelLoadCommon``: a session of its own, Load on the default stream, and a synchronise."""
    session = RtSession(next(process.session_ids))
    executor, status = load_executor_from_model_data_with_rt_session(process, request.data, session)
    if executor is None:
        return None, refuse(process, NOT_LOADED_BY_GE, acl_status(status), result=int(status))
    weight = request.weight
    status = executor.load(ModelExecuteArg(), ModelLoadArg(session, weight))
    if status:
        executor.close()
        return None, refuse(process, NOT_LOADED, acl_status(status), result=int(status))
    if status := process.device.synchronize(0):
        return None, refuse(process, NOT_SYNCHRONIZED, status, result=status)
    return Rt2Model(process, executor, session, resources.allocators_of), 0


def _load_static(process: GeProcess, _resources: AclResources, request: Request) -> Found:
    root, status = load_root_model(process, request.data)
    model = None
    if root is not None:
        order = launch_order(root.om)
        model, status = load_static_model(process, root.graph, order, work=request.work, weight=request.weight)
    if model is None:
        return None, refuse(process, STATIC_NOT_LOADED, acl_status(status), result=int(status))
    return SunkModel(process, model), 0


def _load_om2(process: GeProcess, _resources: AclResources, request: Request) -> Found:
    executor, status = load_om2_executor_from_data(process, request.data)
    if executor is None:
        return None, refuse(process, OM2_NOT_LOADED, acl_status(status), result=int(status))
    return Om2Model(process, executor), 0


_LOADERS: Final[Mapping[Route, Callable[[GeProcess, AclResources, Request], Found]]] = MappingProxyType(
    {Route.OM2: _load_om2, Route.RT2: _load_rt2, Route.STATIC: _load_static}
)
