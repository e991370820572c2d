"""LoweringContext: what all converters of one lowering share (GE's ``LoweringGlobalData``).

It owns the unique holders: values that exist once per model, whoever asks first. If converters kept them, two
operators of one type would look up their functions twice, and every count of spec/lowering.md 10.1 would be off.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from runtime.engines.options import LoweringOptions
from runtime.engines.weight_plan import plan_weights
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.frame_selector import FrameSelector
from runtime.graph.value_holder import HolderFactory, ValueHolder
from runtime.graph.watch import See, ignore

NOTIFIES = "ExecuteArgRtNotifies"
"""Key of the unique holders of all notifies, by id; nobody has asked for it when the model has none."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The holders every execute graph starts with (spec/lowering.md 2.2 steps 2 to 4).

    The first three lie on outputs of the Init node; those named ``init_`` lie inside Init, ``main_`` inside Main.
    ``main_streams`` are the reusable streams by logic id, then the attached ones.
    """

    rt_session: ValueHolder
    outer_weight_mem: ValueHolder
    model_desc: ValueHolder
    init_streams: Sequence[ValueHolder]
    init_external_allocators: ValueHolder
    init_model_stream_num: ValueHolder
    main_streams: Sequence[ValueHolder]
    main_external_allocators: ValueHolder
    main_rt_events: ValueHolder
    main_notifies: ValueHolder


class LoweringContext:
    """Handed to every converter through its ``LowerInput``."""

    def __init__(
        self,
        graph: ComputeGraph,
        holders: HolderFactory,
        selector: FrameSelector,
        skeleton: Skeleton,
        options: LoweringOptions,
        see: See = ignore,
    ) -> None:
        self.graph = graph
        self.holders = holders
        self.selector = selector
        self.skeleton = skeleton
        self.options = options
        self.see = see
        self.weights = plan_weights(graph)
        self._unique: dict[str, list[ValueHolder]] = {}
        self._stream: int | None = None

    @contextmanager
    def on_stream(self, stream_id: int) -> Iterator[None]:
        """Send the next kernels to a stream that is not the one of their operator: a copy for somebody else."""
        before, self._stream = self._stream, stream_id
        try:
            yield
        finally:
            self._stream = before

    @property
    def stream_id(self) -> int:
        """Logic stream of the operator being lowered; 0 for Init and for the skeleton."""
        node = self.holders.compute_node
        if self._stream is not None:
            return self._stream
        if node is None or self.selector.on_init:
            return 0
        return self.stream_of(node)

    def stream_of(self, node: ComputeNode) -> int:
        """Logic stream of an operator, 0 when the session wants a single one."""
        return 0 if self.options.single_stream else node.op.stream_id

    @property
    def stream(self) -> ValueHolder:
        """The stream that kernels of the graph being written are launched on; Init has one only."""
        return self.skeleton.init_streams[0] if self.selector.on_init else self.main_stream

    @property
    def main_stream(self) -> ValueHolder:
        """The stream of the operator being lowered, as Main splits it out."""
        return self.skeleton.main_streams[self.stream_id]

    @property
    def model_desc_on_init(self) -> ValueHolder:
        """The ModelDesc inside Init."""
        return self.selector.holder_on_init(self.skeleton.model_desc)

    def unique(self, key: str, build: Callable[[], Sequence[ValueHolder]]) -> list[ValueHolder]:
        """Give the holders of a key; ``build`` runs on the first ask only (``GetOrCreateUniqueValueHolder``)."""
        if key not in self._unique:
            built = list(build())
            self._unique[key] = built
        return self._unique[key]

    def unique_on_init(self, key: str, build: Callable[[], Sequence[ValueHolder]]) -> list[ValueHolder]:
        """As ``unique``, built inside Init and given as outputs of the Init node."""
        return self.unique(key, lambda: self.selector.on_init_root(build))

    def known(self, key: str) -> list[ValueHolder]:
        """Give the holders of a key, none when nobody asked for it yet."""
        return self._unique.get(key, [])
