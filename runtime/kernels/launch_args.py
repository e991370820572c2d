"""The argument block of a launch: what the kernel binary is handed, and where its parts lie on the host.

Tiling writes into it and the launch reads it; both must agree on one layout (spec/kerneltrace.md 3.5, item 3).
"""

from collections.abc import Sequence

from getrace.events.launch import ArgsLayout

WORD = 8
_STRUCT = 0x1F0
_HOST_AREA_WORDS = 20
"""Words of the host input area that a launch prints; nothing lies in it without fused host inputs."""


class LaunchArgs:
    """``RtKernelLaunchArgsEx``: ``capacity`` bytes of tiling data at most; addresses are of the device."""

    def __init__(self, handle: int, base: int, inputs: int, outputs: int, capacity: int) -> None:
        self.handle = handle
        self.base = base
        self.capacity = capacity
        self.tiling = b""
        self.addresses: tuple[int, ...] = (0,) * (inputs + outputs)
        self.workspaces: tuple[int, ...] = ()
        self._inputs = inputs
        self._outputs = outputs

    def fill(self, addresses: Sequence[int], workspaces: Sequence[int]) -> None:
        """Put the addresses of one launch in place: inputs, then outputs, and the workspaces."""
        self.addresses = tuple(addresses)
        self.workspaces = tuple(workspaces)

    @property
    def tiling_offset(self) -> int:
        """Where the word with the tiling data's address stands, counted from the first input address."""
        return WORD * (len(self.addresses) + len(self.workspaces))

    def layout(self) -> ArgsLayout:
        """Say where each part lies."""
        outputs_at = self.base + WORD * self._inputs
        workspaces_at = outputs_at + WORD * self._outputs
        workspaces_length = WORD * len(self.workspaces)
        tiling_at = workspaces_at + workspaces_length + WORD
        return ArgsLayout(
            compiled_at=self.base,
            compiled_length=0,
            inputs_at=self.base,
            inputs_length=WORD * self._inputs,
            outputs_at=outputs_at,
            outputs_length=WORD * self._outputs,
            tensor_lists=0,
            shapes_at=workspaces_at,
            shapes_length=0,
            workspaces_at=workspaces_at,
            workspaces_length=workspaces_length,
            tiling_at=tiling_at,
            tiling_length=len(self.tiling),
            base=self.base,
            size=tiling_at + len(self.tiling) - self.base,
        )

    def words(self) -> tuple[int, ...]:
        """Give the block as words, from the first input address on. The tiling address is filled in on the way."""
        tiling = self.tiling.ljust(-(-len(self.tiling) // WORD) * WORD, b"\0")
        numbers = (int.from_bytes(tiling[at : at + WORD], "little") for at in range(0, len(tiling), WORD))
        return (*self.addresses, *self.workspaces, 0, *numbers)

    def host_data(self) -> tuple[int, ...]:
        """Give the host input area."""
        return (0,) * _HOST_AREA_WORDS

    def host_info(self) -> tuple[int, ...]:
        """Give the host input table, one word per input."""
        return (0,) * self._inputs


def bytes_of(struct_inputs: int, struct_outputs: int, workspaces: int, tiling: int) -> int:
    """Give how many bytes the block needs at most."""
    return WORD * (struct_inputs + struct_outputs + workspaces + 1 + _HOST_AREA_WORDS) + tiling


STRUCT_BYTES = _STRUCT
"""Bytes of the structure that describes the block and lies in front of it."""
