"""CopyFlowLaunchFuse: small host inputs travel to the device with the arguments of the launch that reads them.

It owns the fusion of a launch's copies into one ``CopyFlowLaunch``, with the memory and the orders they had. If the
copies kept their own guarders, memory of the fused kernel would never be given back.

Source: spec/lowering.md 7.3, 4.1 (launch inputs), 10.2.
"""

from runtime.graph.execute_graph import ExecuteGraph, FastEdge, FastNode
from runtime.lowering.passes.editor import Editor
from runtime.lowering.passes.kernel_kinds import CORE_LAUNCHES, DEVICE_COPIES

_FREE = "FreeMemory"
_STREAM, _RT_ARG = 0, 9
_COPY_ALLOCATOR, _COPY_SOURCE = 1, slice(2, 6)
"""Inputs of a copy: stream, allocator, then address, size, shape and type of what is copied."""

_FIRST_ADDRESS = {
    "AtomicLaunchKernelWithFlag": 12,
    "AtomicLaunchKernelWithHandle": 13,
    "LaunchKernelWithFlag": 11,
    "LaunchKernelWithHandle": 13,
    "LaunchMixKernelWithFlag": 11,
    "LaunchMixKernelWithHandle": 13,
}


class CopyFlowLaunchFuse:
    """Fuses the copies of each launch, graph by graph."""

    name = "CopyFlowLaunchFuse"
    stage = "AfterCopyFlowLaunch"

    def run(self, editor: Editor) -> None:
        """Fuse wherever a launch reads host memory that only launches read."""
        for graph in editor.root.all_subgraphs:
            copies = {node: _Copy(node) for node in graph.nodes if _flows(node)}
            for copy in copies.values():
                copy.drop_needless_orders(editor)
            for launch in [node for node in graph.nodes if node.type in CORE_LAUNCHES]:
                flowing: dict[_Copy, list[FastEdge]] = {}
                for edge in launch.in_data:
                    if edge is not None and edge.source in copies:
                        flowing.setdefault(copies[edge.source], []).append(edge)
                if flowing:
                    _Fusion(editor, graph, launch, flowing).apply()


def _flows(node: FastNode) -> bool:
    """Whether a node copies host memory that only launches read."""
    if node.type not in DEVICE_COPIES:
        return False
    readers = {target.type for _, target, _ in node.data_successors}
    return bool(readers & CORE_LAUNCHES) and readers <= CORE_LAUNCHES | {_FREE}


class _Copy:
    """A copy to fuse, with what its guarders wait for beside launches, looked up once: launches may be many."""

    def __init__(self, node: FastNode) -> None:
        self.node = node
        self.guarders = [target for _, target, _ in node.data_successors if target.type == _FREE]
        self._before: dict[FastNode, dict[FastNode, None]] = {}
        self._launches: dict[FastNode, set[FastNode]] = {}
        for guarder in self.guarders:
            sources = dict.fromkeys(edge.source for edge in guarder.in_control)
            self._before[guarder] = {source: None for source in sources if source.type not in CORE_LAUNCHES}
            self._launches[guarder] = {source for source in sources if source.type in CORE_LAUNCHES}

    def drop_needless_orders(self, editor: Editor) -> None:
        """A launch that reads a copy waits for it anyway."""
        readers = {target for _, target, _ in self.node.data_successors} if self.node.out_control else set()
        for edge in [edge for edge in self.node.out_control if edge.target in readers]:
            editor.disconnect(edge)

    def waited_for(self, guarder: FastNode, launch: FastNode) -> list[FastNode]:
        """What the part of a guarder waits for that gives back what one launch read."""
        own = [launch] if launch in self._launches[guarder] else []
        return [*self._before[guarder], *own]

    @property
    def is_unread(self) -> bool:
        """Whether nobody but the guarders is left to read the copy."""
        return sum(map(len, self.node.out_data)) == len(self.guarders)


class _Fusion:
    """The fusion of one launch."""

    def __init__(
        self, editor: Editor, graph: ExecuteGraph, launch: FastNode, flowing: dict[_Copy, list[FastEdge]]
    ) -> None:
        self._editor = editor
        self._graph = graph
        self._launch = launch
        self._flowing = flowing
        self._name = f"CopyFlowLaunch_To_{launch.name}"

    def apply(self) -> None:
        """Put one kernel in the place of all copies."""
        flow = self._add_flow()
        for output, (copy, edges) in enumerate(self._flowing.items()):
            for edge in edges:
                self._editor.disconnect(edge)
                self._editor.connect(flow, output, self._launch, edge.target_input)
            self._copy_orders(copy.node, flow)
            self._copy_guarders(copy, flow, output)
            self._editor.replaced(copy.node, 0, flow, output, consumer=self._launch)
            if copy.is_unread:
                for guarder in copy.guarders:
                    self._editor.remove(guarder)
                self._editor.isolate(copy.node)

    def _add_flow(self) -> FastNode:
        first = _FIRST_ADDRESS[self._launch.type]
        places = tuple(tuple(edge.target_input - first for edge in edges) for edges in self._flowing.values())
        flow = self._editor.add(self._graph, self._name, "CopyFlowLaunch", outputs=len(self._flowing))
        flow.attrs.update(_compute_node(self._launch))
        for stem, value in (("Num", len(self._flowing)), ("Index", places)):
            const = self._editor.add(self._graph, f"Const_{self._name}_{stem}", "Const", outputs=1)
            const.attrs.update({"is_string": stem == "Index", "value": value})
            self._editor.connect(const, 0, flow)
        head = next(iter(self._flowing)).node
        feeds = [self._launch.in_data[_RT_ARG], self._launch.in_data[_STREAM], head.in_data[_COPY_ALLOCATOR]]
        for copy in self._flowing:
            feeds += copy.node.in_data[_COPY_SOURCE]
        for edge in filter(None, feeds):
            self._editor.connect(edge.source, edge.source_output, flow)
        self._wait_for_arguments(flow)
        return flow

    def _wait_for_arguments(self, flow: FastNode) -> None:
        """What writes into the same launch arguments runs first."""
        arguments = self._launch.in_data[_RT_ARG]
        if arguments is not None:
            for edge in arguments.source.out_data[arguments.source_output]:
                if edge.target.type == "TilingAppendDfxInfo":
                    self._editor.order(edge.target, flow)

    def _copy_orders(self, copy: FastNode, flow: FastNode) -> None:
        for edge in copy.in_control:
            self._editor.order(edge.source, flow)
        for edge in list(copy.out_control):
            self._editor.order(flow, edge.target)

    def _copy_guarders(self, copy: _Copy, flow: FastNode, output: int) -> None:
        for free in copy.guarders:
            guarder = self._editor.add(self._graph, f"{_FREE}_{self._name}{output}", _FREE)
            guarder.attrs.update({**_compute_node(free), "ReleaseResourceIndex": 0})
            self._editor.connect(flow, output, guarder)
            for before in copy.waited_for(free, self._launch):
                self._editor.order(before, guarder)


def _compute_node(node: FastNode) -> dict[str, object]:
    index = node.attrs.get("ComputeNodeIndex")
    return {} if index is None else {"ComputeNodeIndex": index}
