"""Results of tiling, kept by the shapes they were made for (spec/lowering.md 11.J).

A result is kept together with a copy of the argument block that holds its tiling data, and the launch takes that copy.
Two results in one block would overwrite each other; that is why a hit changes which block a launch uses.
"""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from runtime.kernels.launch_args import LaunchArgs
from runtime.ops.tensor import InputTensor

CAPACITY: Final = 120
EVICTED: Final = 8
"""``kTilingCacheSizePerOp`` and ``kTilingCacheEvictNum``."""

_KEY_BYTES = 8192
"""``kMaxHashBufSize``: a longer key is none."""

_WORD = 8


@dataclass(frozen=True, slots=True)
class TilingResult:
    """What a tiling function decided: values by output, workspaces, its data, and the block that holds them."""

    outputs: dict[int, Any]
    workspaces: tuple[int, ...]
    data: bytes
    block: LaunchArgs


class TilingCache:
    """The results of one operator, the least used first."""

    def __init__(self) -> None:
        self._results: OrderedDict[Hashable, TilingResult] = OrderedDict()

    def __len__(self) -> int:
        return len(self._results)

    def find(self, key: Hashable) -> TilingResult | None:
        """Give a result and count it as used now."""
        found = self._results.get(key)
        if found is not None:
            self._results.move_to_end(key)
        return found

    def add(self, key: Hashable, result: TilingResult) -> None:
        """Keep a result; of a full cache the least used ones go first."""
        if len(self._results) >= CAPACITY:
            for _ in range(EVICTED):
                self._results.popitem(last=False)
        self._results[key] = result


def cache_key(
    shapes: Sequence[tuple[int, ...]], tensors: Sequence[InputTensor | None], dependency: int
) -> Hashable | None:
    """``BuildGeneralTilingCacheKey``: origin shapes, and the values of the inputs whose bit is set in ``dependency``.

    None when such an input has no values on the host, or all together are too long: such a result is not kept.
    """
    parts: list[Hashable] = []
    length = 0
    for index, shape in enumerate(shapes):
        length += _WORD * (len(shape) + 1)
        parts.append(shape)
        if dependency >> index & 1:
            tensor = tensors[index]
            if tensor is None:
                return None
            content = tensor.get_bytes()
            length += len(content) + _WORD
            parts.append(content)
    return None if length > _KEY_BYTES else tuple(parts)
