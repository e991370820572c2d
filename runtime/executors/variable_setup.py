"""``RestoreDeviceVarMem``: variables of a model get memory when its executor is built (spec/execution.md 1.3, 1.10).

Memory belongs to the session, not to the model: the second model of a session finds the variables there and leaves
their bytes alone.
"""

from collections.abc import Iterable
from typing import Final

from getrace.errors import ModelError
from getrace.events.text import LogLine
from runtime.engines.ge_local.variable import ON_HOST, PLACEMENT_ATTR
from runtime.executors.rt_session import RtSession
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.kernels.machine import Machine
from runtime.kernels.sizes import aligned_size
from runtime.memory.variables import VariableMemory
from runtime.values import Placement, StorageShape

VARIABLE_TYPES: Final = frozenset({"Variable", "Constant"})
"""``VARIABLE`` and ``CONSTANTOP``."""

NO_VARIABLES: Final = (1 << 64) - 1
"""``load_session_id_`` of a model without variables (UINT64_MAX)."""

_EXISTS = ("model_v2_executor_builder.cc", 263, "RestoreDeviceVarMem")
_FAILED = "Failed to restore var [{name}] to var_manager, session:[{session}]."


def device_variables(graph: ComputeGraph | None) -> list[ComputeNode]:
    """Variables of a model, those of the graphs below it included; variables of the host are not restored."""
    nodes: Iterable[ComputeNode] = () if graph is None else graph.all_nodes()
    return [node for node in nodes if node.type in VARIABLE_TYPES and not is_on_host(node)]


def is_on_host(node: ComputeNode) -> bool:
    """``IsVarPlacedOnHost``."""
    return node.op.attrs.get(PLACEMENT_ATTR) == ON_HOST


def restore_variables(graph: ComputeGraph | None, session: RtSession | None, machine: Machine) -> int:
    """Give each variable memory in the session and return ``load_session_id_``: the session Load must be given.

    Raises ModelError for variables without a session, and for one that finds no memory.
    """
    variables = device_variables(graph)
    if not variables:
        return NO_VARIABLES
    if session is None:
        names = ", ".join(node.name for node in variables[:3])
        raise ModelError(f"the model has variables ({names}) and no session to keep them", "build it for an RtSession")
    memory = machine.variables.of(session.session_id)
    session.var_manager = memory
    if not memory.start(*session.external_var):
        text = f"var manager exist, no need to restore, session_id: {session.session_id}"
        machine.journal.say(LogLine("GE", *_EXISTS, text))
    for node in variables:
        restore(memory, node, Placement.DEVICE_HBM)
    return session.session_id


def restore(memory: VariableMemory, node: ComputeNode, placement: Placement) -> None:
    """Give one variable its memory, with the bytes it has in the model. Raises ModelError when there is none left."""
    desc = node.op.outputs[0]
    value = node.op.attrs.get("value")
    content = value if isinstance(value, bytes) else b""
    shape = StorageShape(desc.shape, desc.storage)
    if not memory.restore(node.name, shape, aligned_size(desc.dtype, desc.storage), content, placement):
        raise ModelError(_FAILED.format(name=node.name, session=memory.session_id))
