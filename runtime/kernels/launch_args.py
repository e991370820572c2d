"""The argument block of a launch: what the kernel binary is handed, and where its parts lie on the host.

Tiling writes into it, copy-flow puts small host inputs behind it, and the launch reads it; all must agree on one
layout (spec/kerneltrace.md 3.5, item 3). The parts, in order: addresses of inputs and outputs, the shape buffer's
address, addresses of workspaces, the address of the tiling data, the tiling data, host input data, host input table.
"""

from collections.abc import Sequence
from typing import Final

from getrace.events.launch import ArgsLayout
from runtime.device.device import Device

WORD: Final = 8
_STRUCT = 0x1F0
_TILING_HEAD = 64
"""Bytes of the record in front of tiling data; the area is made for both (``/2112`` in launches with 2048 at most)."""

HOST_INPUT_BYTES: Final = 128
"""``kMaxHostInputDataLen``: bytes of host inputs that may travel with the arguments of one launch."""

_HOST_INPUT_LINE = 32
"""What has been put there is rounded up to this and has as much again behind it, as a tensor on the device has."""

_HOST_INPUT_ALIGN = 4


class LaunchArgs:
    """``RtKernelLaunchArgsEx``: ``capacity`` bytes of tiling data at most; ``handle`` and ``base`` are host pointers.

    ``cache`` is what the trace of tiling says of the result cache; ``host_inputs`` are the bytes of inputs, by their
    position among the addresses, that travel in the block in place of an address. ``room`` is the block's size.
    """

    def __init__(
        self,
        handle: int,
        base: int,
        inputs: int,
        outputs: int,
        capacity: int,
        *,
        shape_buffer: bool = False,
        room: int = 0,
    ) -> None:
        self.handle = handle
        self.base = base
        self.capacity = capacity
        self.room = room
        self.tiling = b""
        self.cache = "disabled"
        self.addresses: tuple[int, ...] = (0,) * (inputs + outputs)
        self.shape_buffer: tuple[int, ...] = (0,) * shape_buffer
        self.workspaces: tuple[int, ...] = ()
        self.host_inputs: dict[int, bytes] = {}
        self._inputs = inputs
        self._outputs = outputs
        self._host = bytearray()
        self._host_at: int | None = None
        self._table: list[int] = []

    def copy(self, handle: int, base: int) -> "LaunchArgs":
        """``MakeCopy``: the same block at another place, for a result that is kept."""
        twin = LaunchArgs(
            handle,
            base,
            self._inputs,
            self._outputs,
            self.capacity,
            shape_buffer=bool(self.shape_buffer),
            room=self.room,
        )
        twin.tiling = self.tiling
        twin.addresses, twin.shape_buffer, twin.workspaces = self.addresses, self.shape_buffer, self.workspaces
        return twin

    def fill(self, addresses: Sequence[int], workspaces: Sequence[int], shape_buffer: int = 0) -> None:
        """Put the addresses of one launch in place: inputs, then outputs, the shape buffer and the workspaces.

        A slot that no address is given for holds 0.
        """
        self.addresses = (*addresses, *(0,) * (self._inputs + self._outputs - len(addresses)))
        self.workspaces = tuple(workspaces)
        if self.shape_buffer:
            self.shape_buffer = (shape_buffer,)

    def begin_host_inputs(self) -> None:
        """Make room for host inputs right behind the tiling data, which are known by now."""
        self._host.clear()
        self._table.clear()
        self.host_inputs = {}
        self._host_at = self.tiling_offset + WORD + _round_up(len(self.tiling), WORD)

    def take_host_input(self, positions: Sequence[int], content: bytes) -> bool:
        """Put an input behind the arguments, for each of its positions. False when it does not fit in."""
        room = _round_up(len(content), _HOST_INPUT_ALIGN)
        if len(self._host) + room > HOST_INPUT_BYTES:
            return False
        assert self._host_at is not None
        for position in positions:
            self._table.append(WORD * position | (self._host_at + len(self._host)) << 32)
            self.host_inputs[position] = content
        self._host += content.ljust(room, b"\0")
        return True

    @property
    def tiling_offset(self) -> int:
        """Where the word with the tiling data's address stands, counted from the first input address."""
        return WORD * (len(self.addresses) + len(self.shape_buffer) + len(self.workspaces))

    def layout(self) -> ArgsLayout:
        """Say where each part lies."""
        outputs_at = self.base + WORD * self._inputs
        shapes_at = outputs_at + WORD * self._outputs
        shapes_length = WORD * len(self.shape_buffer)
        workspaces_at = shapes_at + shapes_length
        workspaces_length = WORD * len(self.workspaces)
        return ArgsLayout(
            compiled_at=self.base,
            compiled_length=0,
            inputs_at=self.base,
            inputs_length=WORD * self._inputs,
            outputs_at=outputs_at,
            outputs_length=WORD * self._outputs,
            tensor_lists=0,
            shapes_at=shapes_at,
            shapes_length=shapes_length,
            workspaces_at=workspaces_at,
            workspaces_length=workspaces_length,
            tiling_at=workspaces_at + workspaces_length + WORD,
            tiling_length=self._tiling_room if self._host_at is None else _round_up(len(self.tiling), WORD),
            base=self.base,
            size=self._size,
        )

    def words(self) -> tuple[int, ...]:
        """Give the block as words, from the first input address on. The tiling address is filled in on the way."""
        tiling = self.tiling.ljust(_round_up(len(self.tiling), WORD), b"\0")
        head = (*self.addresses, *self.shape_buffer, *self.workspaces, 0, *_words(tiling))
        return (*head, *_words(bytes(self._host).ljust(self._host_size, b"\0"))) if self._table else head

    def host_data(self) -> tuple[int, ...]:
        """Give the host input area: all there is between its start and the table."""
        unused = 0 if self._host_at is None else self._tiling_room - _round_up(len(self.tiling), WORD)
        return _words(bytes(self._host).ljust(HOST_INPUT_BYTES + _HOST_INPUT_LINE + unused, b"\0"))

    def host_info(self) -> tuple[int, ...]:
        """Give the host input table, one word per input: where its address stands, and where its bytes."""
        return (*self._table, *(0,) * (self._inputs - len(self._table)))

    @property
    def _tiling_room(self) -> int:
        return _round_up(self.capacity + _TILING_HEAD, WORD)

    @property
    def _host_size(self) -> int:
        return _round_up(len(self._host), _HOST_INPUT_LINE) + _HOST_INPUT_LINE

    @property
    def _size(self) -> int:
        """Bytes that a launch hands over; without host inputs it ends with the tiling data."""
        if self._table:
            assert self._host_at is not None
            return self._host_at + self._host_size
        return self.tiling_offset + WORD + len(self.tiling)


def new_block(
    device: Device, counts: tuple[int, int], workspaces: int, tiling: int, *, shape_buffer: bool
) -> LaunchArgs:
    """Make a block with its two host pointers; ``counts`` are the address slots of inputs and of outputs."""
    room = bytes_of(*counts, workspaces, tiling, shape_buffer=shape_buffer)
    handle, base = device.pointer(STRUCT_BYTES), device.pointer(room)
    return LaunchArgs(handle, base, *counts, tiling, shape_buffer=shape_buffer, room=room)


def copy_block(device: Device, block: LaunchArgs) -> LaunchArgs:
    """Copy a block to pointers of its own."""
    return block.copy(device.pointer(STRUCT_BYTES), device.pointer(block.room))


def bytes_of(inputs: int, outputs: int, workspaces: int, tiling: int, *, shape_buffer: bool = False) -> int:
    """Give how many bytes the block needs at most."""
    words = inputs + outputs + shape_buffer + workspaces + 1 + inputs
    return WORD * words + _round_up(tiling + _TILING_HEAD, WORD) + HOST_INPUT_BYTES + _HOST_INPUT_LINE


def _round_up(size: int, step: int) -> int:
    return -(-size // step) * step


def _words(content: bytes) -> tuple[int, ...]:
    padded = content.ljust(_round_up(len(content), WORD), b"\0")
    return tuple(int.from_bytes(padded[at : at + WORD], "little") for at in range(0, len(padded), WORD))


STRUCT_BYTES: Final = _STRUCT
"""Bytes of the structure that describes the block and lies in front of it."""
