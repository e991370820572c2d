"""Variables on the host: a hybrid model may have them, one that is loaded offline may not (spec/execution.md 3.7)."""

from typing import Final

from runtime.api.ge_process import GeProcess
from runtime.api.hybrid.model import HybridModel
from runtime.executors.rt_session import RtSession
from runtime.executors.variable_setup import VARIABLE_TYPES, is_on_host, restore
from runtime.values import Placement

_COLLECT: Final = ("hybrid_model_rt_v2_executor.cc", 251, "AssembleVariables")


def assemble_host_variables(process: GeProcess, model: HybridModel, session: RtSession) -> None:
    """Give variables that lie on the host their memory in the session. Raises ModelError when there is none left."""
    for node in model.graph.all_nodes():
        if node.type in VARIABLE_TYPES and is_on_host(node):
            memory = process.machine.variables.of(session.session_id)
            memory.start(*session.external_var)
            session.var_manager = memory
            process.say(_COLLECT, f"Collect host {node.type} {node.name}")
            restore(memory, node, Placement.HOST)
