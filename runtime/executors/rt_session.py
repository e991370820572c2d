"""RtSession: what models that are loaded for one user share (spec/execution.md 1.10).

Its number decides whose variables a model sees. An executor that is given none has a session 0 of its own.
"""

from dataclasses import dataclass, field

from getrace.events.text import LogLine
from runtime.executors.resources import Resources
from runtime.kernels.machine import Machine
from runtime.memory.variables import VariableMemory

_DESTROY = ("rt_session.cc", 0, "DestroyResources")


@dataclass(slots=True)
class RtSession:
    """``RtSession``. ``external_var`` is (address, bytes) of device memory that the caller brings for variables.

    ``var_manager`` is there once a model with variables was built or loaded for the session.
    """

    session_id: int = 0
    external_var: tuple[int, int] = (0, 0)
    var_manager: VariableMemory | None = None
    _resources: Resources | None = field(default=None, init=False, repr=False)

    def resources(self, machine: Machine) -> Resources:
        """Give the session's own allocators of streams, events and notifies; made when they are first asked for."""
        if self._resources is None:
            self._resources = Resources(machine.device)
        return self._resources

    def destroy_resources(self, machine: Machine) -> None:
        """``DestroyResources``: drop the session's variables, and its streams before its events."""
        text = f"destroy rt session resources, session id {self.session_id}, device id {machine.device.device_id}"
        machine.journal.say(LogLine("GE", *_DESTROY, text))
        machine.variables.drop(self.session_id)
        self.var_manager = None
        if self._resources is not None:
            self._resources.close()
            self._resources = None
