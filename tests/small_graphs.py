"""Execute graphs of a few nodes for tests of passes, and their text: a line for each node, in the order of the list."""

from collections.abc import Sequence

from runtime.engines.options import LoweringOptions
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.graph.verify import violations
from runtime.lowering.passes.optimizer import Pass, apply_pass

Out = FastNode | tuple[FastNode, int]
DEFAULTS = LoweringOptions()


class SmallGraph:
    """ROOT with empty Init, DeInit and Main graphs; a node given as an input stands for its output 0."""

    def __init__(self) -> None:
        self.root = ExecuteGraph("ROOT")
        nodes = {name: self.root.add_node(name, name) for name in ("Init", "DeInit", "Main")}
        graphs = {name: ExecuteGraph(f"{name}_graph") for name in nodes}
        for name, node in nodes.items():
            self.root.add_subgraph(node, graphs[name])
        self.init, self.deinit, self.main = graphs["Init"], graphs["DeInit"], graphs["Main"]
        self.init_node, self.main_node = nodes["Init"], nodes["Main"]
        self.exit = self.init.add_node("exit", "InnerNetOutput")

    def add(
        self,
        graph: ExecuteGraph,
        name: str,
        type_name: str,
        *inputs: Out,
        outputs: int = 1,
        after: Sequence[FastNode] = (),
        **attrs: object,
    ) -> FastNode:
        """Append a node."""
        node = graph.add_node(name, type_name, len(inputs), outputs)
        for slot, given in enumerate(inputs):
            source, output = given if isinstance(given, tuple) else (given, 0)
            graph.add_edge(source, output, node, slot)
        for before in after:
            graph.add_control_edge(before, node)
        node.attrs.update(attrs)
        return node

    def kernel(
        self, name: str, type_name: str, *inputs: Out, outputs: int = 1, after: Sequence[FastNode] = (), **attrs: object
    ) -> FastNode:
        """Append a node to Main."""
        return self.add(self.main, name, type_name, *inputs, outputs=outputs, after=after, **attrs)

    def free(self, name: str, resource: Out, *after: FastNode, type_name: str = "FreeMemory") -> FastNode:
        """Append a guarder to Main."""
        return self.kernel(name, type_name, resource, outputs=0, after=after, ReleaseResourceIndex=0)

    def from_init(self, name: str, source: Out) -> FastNode:
        """Bring an output of a node of Init to Main."""
        node, output = source if isinstance(source, tuple) else (source, 0)
        leaving = len(self.exit.in_data)
        self.init.add_edge(node, output, self.exit, leaving)
        self.root.add_output(self.init_node)
        self.root.add_edge(self.init_node, leaving, self.main_node, len(self.main_node.in_data))
        return self.inner(self.main, name, len(self.main_node.in_data) - 1)

    def inner(self, graph: ExecuteGraph, name: str, index: int) -> FastNode:
        """Append the InnerData of an input of a graph's owner."""
        graph.inner_data[index] = self.add(graph, name, "InnerData", index=index)
        return graph.inner_data[index]

    def branch(self, owner: FastNode, name: str) -> ExecuteGraph:
        """Hang a graph under a node."""
        graph = ExecuteGraph(name)
        owner.graph.add_subgraph(owner, graph)
        return graph

    def apply(self, each: Pass, turn: int = 1) -> tuple[tuple[str, ...], ...] | None:
        """Run a pass: (added, removed, rewired, moved) or None; the graph must break no more rules than before."""
        before = violations(self.root)
        applied = apply_pass(self.root, each, turn)
        assert violations(self.root) == before
        if applied is None:
            return None
        assert (applied.name, applied.turn) == (each.name, turn)
        return applied.added, applied.removed, applied.rewired, applied.moved


def lines(graph: ExecuteGraph) -> list[str]:
    """A graph as text: ``<name> <type>(<inputs>)[ after <nodes>]``, inputs as ``<node>.<output>``."""
    return [_line(node) for node in graph.nodes]


def _line(node: FastNode) -> str:
    feeds = ", ".join("-" if given is None else f"{given[0].name}.{given[1]}" for given in node.inputs)
    after = " ".join(edge.source.name for edge in node.in_control)
    return f"{node.name} {node.type}({feeds})" + (f" after {after}" if after else "")


def line(node: FastNode) -> str:
    """One node as text."""
    return _line(node)
