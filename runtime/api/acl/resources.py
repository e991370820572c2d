"""What ACL keeps while a process lives: the loaded models and bundles by id, and the allocators of each stream.

Source: spec/execution.md 3.4 (default allocators: one set per stream, made at the first use, dropped with the stream).
"""

from runtime.api.acl.loaded import Allocators, LoadedModel
from runtime.api.ge_process import GeProcess
from runtime.api.gert.allocator_factory import create_allocator
from runtime.memory.l2 import Level1
from runtime.values import Placement

_PLACEMENTS = (Placement.DEVICE_HBM, Placement.HOST, Placement.FOLLOWING, Placement.DEVICE_P2P)


class AclResources:
    """``AclResourceManager``."""

    def __init__(self, process: GeProcess) -> None:
        self.models: dict[int, LoadedModel] = {}
        self.bundles: dict[int, tuple[int, ...]] = {}
        self._process = process
        self._allocators: dict[int, dict[Placement, Level1]] = {}

    def allocators_of(self, stream: int) -> Allocators:
        """Give the default allocators of a stream, made when it is first asked for them."""
        found = self._allocators.get(stream)
        if found is None:
            made = {placement: create_allocator(self._process, placement) for placement in _PLACEMENTS}
            found = {placement: allocator for placement, allocator in made.items() if allocator is not None}
            for allocator in found.values():
                allocator.set_stream(stream)
            self._allocators[stream] = found
        return found

    def forget_stream(self, stream: int) -> None:
        """Drop the allocators of a stream that is about to be destroyed (``DESTROY_PRE``)."""
        for allocator in self._allocators.pop(stream, {}).values():
            close = getattr(allocator, "close", None)
            if close is not None:
                close()

    def is_inside_bundle(self, model_id: int) -> bool:
        """Whether a model came in a bundle that is still loaded."""
        return any(model_id in ids for ids in self.bundles.values())

    def close(self) -> None:
        """End what is left when the process ends: models first, then the memory they may have used."""
        for model in list(self.models.values()):
            model.unload()
        self.models.clear()
        for stream in list(self._allocators):
            self.forget_stream(stream)
