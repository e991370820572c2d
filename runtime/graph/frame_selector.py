"""FrameSelector: puts kernels on Init or on Main, wherever the converter that asks happens to be.

It owns the two graphs and the way a value leaves Init: one output of the Init node per endpoint, whoever asks first.
If converters exported values themselves, the positions of InnerNetOutput would disagree with those of Init.

Source: spec/lowering.md 1.7.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from getrace.errors import InternalError
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.graph.value_holder import VOID, HolderFactory, ValueHolder

_T = TypeVar("_T")


class FrameSelector:
    """Knows the Init node, its InnerNetOutput, the DeInit and the Main graph of one lowering.

    ``last_nodes`` are the kernels of Main that run after everything else (``OnMainRootLast``).
    """

    def __init__(self, holders: HolderFactory, init: FastNode, deinit: ExecuteGraph, main: ExecuteGraph) -> None:
        self._holders = holders
        self._init = init
        self._deinit = deinit
        self._main = main
        self.last_nodes: list[FastNode] = []
        self._exit = next(node for node in init.subgraphs[0].nodes if node.type == "InnerNetOutput")

    @property
    def on_init(self) -> bool:
        """Whether new kernels go to the Init graph."""
        return self._holders.graph is self._init.subgraphs[0]

    def leaves_init(self, holder: ValueHolder) -> bool:
        """Whether a holder lies on an output of the Init node."""
        return holder.node is self._init

    def on_init_root(self, build: Callable[[], Sequence[ValueHolder]]) -> list[ValueHolder]:
        """Build kernels on Init and export what ``build`` gives; returns holders on outputs of the Init node.

        An endpoint that was exported before keeps its index. A holder without output becomes an order: whatever
        leaves Init waits for it. What releases a holder that leaves is moved to DeInit, so the holders given back are
        free of it.
        """
        with self._holders.frame(self._init.subgraphs[0]):
            built = build()
        return [self._export(holder) for holder in built]

    def on_main_root(self, build: Callable[[], _T]) -> _T:
        """Build kernels on Main itself, so that they do not land in the branch being lowered."""
        with self._holders.frame(self._main, resumed=True):
            return build()

    def on_deinit_root(self, build: Callable[[], _T]) -> _T:
        """Build kernels on DeInit."""
        with self._holders.frame(self._deinit):
            return build()

    def on_main_root_last(self, build: Callable[[], ValueHolder]) -> ValueHolder:
        """Build a kernel on Main that runs when all outputs of the model are there."""
        holder = self.on_main_root(build)
        self.last_nodes.append(holder.node)
        return holder

    def holder_on_init(self, holder: ValueHolder) -> ValueHolder:
        """Find the producer inside Init of a holder on an output of the Init node; others come back as they are.

        A holder without output stands for whatever must run on Init; it comes back as it is. Raises InternalError when
        nothing feeds that output.
        """
        if holder.node is not self._init or holder.index == VOID:
            return holder
        inside = self._holders.hold(*self._fed(holder))
        inside.placement, inside.stream_id = holder.placement, holder.stream_id
        return inside

    def producer_on_init(self, holder: ValueHolder) -> FastNode:
        """Find the kernel inside Init that makes an output of the Init node, to be ordered rather than read.

        Raises InternalError when nothing feeds that output.
        """
        return self._fed(holder)[0]

    def _fed(self, holder: ValueHolder) -> tuple[FastNode, int]:
        fed = self._exit.inputs[holder.index]
        if fed is None:
            raise InternalError(f"nothing feeds output {holder.index} of {self._init.name}")
        return fed

    def _export(self, holder: ValueHolder) -> ValueHolder:
        if holder.node is self._init:
            return holder
        if holder.index == VOID:
            self._exit.graph.add_control_edge(holder.node, self._exit)
            return self._holders.hold(self._init, VOID)
        leaving = holder.node.out_data[holder.index]
        index = next((edge.target_input for edge in leaving if edge.target is self._exit), VOID)
        if index == VOID:
            index = self._holders.append_input(self._exit, holder)
            self._init.graph.add_output(self._init)
        outside = self._holders.hold(self._init, index)
        outside.placement, outside.stream_id = holder.placement, holder.stream_id
        if holder.guarder is not None and holder.guarder.node.graph is self._exit.graph:
            self._move_to_deinit(holder.guarder.node)
            holder.guarder = None
        return outside

    def _move_to_deinit(self, guarder: FastNode) -> None:
        """What Init made lives as long as the model: DeInit releases it, under the name it had on Init."""
        resources = [ValueHolder(*source) for source in guarder.inputs if source is not None]
        guarder.graph.remove_node(guarder)
        moved = self._deinit.add_node(guarder.name, guarder.type, 0, 0)
        moved.attrs.update(guarder.attrs)
        with self._holders.working_on(None):
            for resource in resources:
                self._holders.append_input(moved, self._export(resource))
