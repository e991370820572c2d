"""Variables of a session: device memory that outlives every model that uses it (spec/execution.md 1.10).

One ``VariableMemory`` per session id stands in the process; models of a session look their variables up by name. If an
executor owned a variable, another one would read zeroes where the first has written.
"""

from dataclasses import dataclass

from runtime.device.device import Device
from runtime.values import Placement, StorageShape, TensorData

_PAGE = 2 << 20
_HUGE_PAGE = 1 << 30
_ALIGN = 512


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: its shapes, and where its bytes are."""

    shape: StorageShape
    data: TensorData


class VariableMemory:
    """``ModelRtVarManager`` of one session. ``handle`` is the pointer of the object, as lines print it.

    Variables are cut from pages of 2 MiB (1 GiB with ``huge_pages``), or from memory that the caller brought; those of
    the host have a piece of its heap each.
    """

    def __init__(self, device: Device, session_id: int, *, huge_pages: bool = False) -> None:
        self.session_id = session_id
        self.handle = device.pointer(_ALIGN)
        self.started = False
        self._device = device
        self._page = _HUGE_PAGE if huge_pages else _PAGE
        self._pages: list[int] = []
        self._on_host: list[int] = []
        self._variables: dict[str, Variable] = {}
        self._next, self._left = 0, 0

    def start(self, external_addr: int = 0, external_size: int = 0) -> bool:
        """``Init``: take the caller's memory, if any. False when that was done before; then nothing changes."""
        if self.started:
            return False
        self.started = True
        self._next, self._left = external_addr, external_size
        return True

    def restore(
        self,
        name: str,
        shape: StorageShape,
        size: int,
        content: bytes = b"",
        placement: Placement = Placement.DEVICE_HBM,
    ) -> bool:
        """``RestoreDeviceVariables`` of one: give a variable its memory, zeroes or ``content``. False without memory.

        A variable that is there keeps its memory and its bytes.
        """
        if name in self._variables:
            return True
        address = self._on_heap(size) if placement.on_host else self._cut(max(size, 1))
        if address is None:
            return False
        if content:
            space = self._device.host if placement.on_host else self._device.hbm
            space.write(address, content)
        self._variables[name] = Variable(shape, TensorData(address, size, placement))
        return True

    def find(self, name: str) -> Variable | None:
        """``GetVarShapeAndMemory``: the variable of a name."""
        return self._variables.get(name)

    def close(self) -> None:
        """Give all memory back; the variables are gone."""
        for page in self._pages:
            self._device.free(page)
        for piece in self._on_host:
            self._device.host.free(piece)
        self._pages.clear()
        self._on_host.clear()
        self._variables.clear()
        self._next, self._left, self.started = 0, 0, False

    def _on_heap(self, size: int) -> int | None:
        address = self._device.host.malloc(max(size, 1))
        if address is not None:
            self._on_host.append(address)
        return address

    def _cut(self, size: int) -> int | None:
        needed = -(-size // _ALIGN) * _ALIGN
        if needed > self._left:
            room = -(-needed // self._page) * self._page
            page = self._device.malloc(room)
            if page is None:
                return None
            self._pages.append(page)
            self._next, self._left = page, room
        address = self._next
        self._next, self._left = address + needed, self._left - needed
        return address


class VariablePool:
    """The variable memories of a process, by session id."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._by_session: dict[int, VariableMemory] = {}

    def of(self, session_id: int) -> VariableMemory:
        """``ModelRtVarManager::Instance``: get or create the memory of a session."""
        known = self._by_session.get(session_id)
        if known is None:
            known = self._by_session[session_id] = VariableMemory(self._device, session_id)
        return known

    def drop(self, session_id: int) -> None:
        """End the memory of a session; a session without one is no fault."""
        gone = self._by_session.pop(session_id, None)
        if gone is not None:
            gone.close()
