"""Small graphs that the tests of dump formats share, and graphs made at random."""

from hypothesis import strategies as st

from getrace.dumps.snapshot import CONTROL, AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode


def execute_graph() -> GraphSnapshot:
    """An execute graph: Main owns one If with a branch; data and control edges; a node with several outputs."""
    root = SnapshotGraph(
        "ROOT",
        (
            SnapshotNode(0, "Init_0", "Init", 0, 1, {}, ("Init_4",), 0),
            SnapshotNode(1, "Main_28", "Main", 1, 0, {}, ("Main_30",), 2),
        ),
        (SnapshotEdge(0, 0, 1, 0),),
    )
    init = SnapshotGraph("Init_4", (SnapshotNode(0, "Const_5", "Const", 0, 1, {"value": b"\x01"}, (), 1),), ())
    main = SnapshotGraph(
        "Main_30",
        (
            SnapshotNode(0, "Data_33", "Data", 0, 1, {"index": -1}, (), 3),
            SnapshotNode(1, "Split_a_35", "Split", 1, 2, {"ComputeNodeIndex": 7, "priority": 4}, (), 4),
            SnapshotNode(2, "If_if_40", "If", 2, 1, {}, ("CondGraph_if_42", "then_graph_if_50"), 5),
            SnapshotNode(3, "Free_a_60", "Free", 1, 0, {}, (), 6),
        ),
        (
            SnapshotEdge(0, 0, 1, 0),
            SnapshotEdge(1, 0, 2, 0),
            SnapshotEdge(1, 1, 2, 1),
            SnapshotEdge(1, 1, 3, 0),
            SnapshotEdge(2, CONTROL, 3, CONTROL),
        ),
    )
    condition = SnapshotGraph(
        "CondGraph_if_42", (SnapshotNode(0, "InnerData_if_44", "InnerData", 0, 1, {}, (), 7),), ()
    )
    branch = SnapshotGraph("then_graph_if_50", (SnapshotNode(0, "InnerData_if_52", "InnerData", 0, 1, {}, (), 8),), ())
    graphs = (root, init, main, condition, branch)
    return GraphSnapshot("AfterCEM", "ROOT", {graph.name: graph for graph in graphs})


def names() -> st.SearchStrategy[str]:
    """Names as operators have them: words, slashes, dots, no white space at the ends."""
    return st.text(st.sampled_from("abzAZ019_/.-"), min_size=1, max_size=8)


def texts() -> st.SearchStrategy[str]:
    """Any text that a file can hold, with quotes, line breaks and characters beyond ASCII."""
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@st.composite
def graphs(draw: st.DrawFn, attrs: st.SearchStrategy[dict[str, AttrValue]]) -> GraphSnapshot:
    """A graph of up to six nodes with data and control edges, without a NetOutput."""
    found = draw(st.lists(names(), min_size=1, max_size=6, unique=True))
    nodes: list[SnapshotNode] = []
    edges: list[SnapshotEdge] = []
    control: list[SnapshotEdge] = []
    for position, name in enumerate(found):
        sources = [(node.id, output) for node in nodes for output in range(node.outputs)]
        inputs = draw(st.lists(st.sampled_from([None, *sources]), max_size=3))
        edges += [SnapshotEdge(*source, position, slot) for slot, source in enumerate(inputs) if source is not None]
        before = draw(st.sets(st.sampled_from(range(position)), max_size=2)) if position else set()
        control += [SnapshotEdge(source, CONTROL, position, CONTROL) for source in sorted(before)]
        outputs = draw(st.sampled_from((0, 1, 2, 21)))
        kind = draw(st.sampled_from(("Data", "Add", "AllocMemHbm")))
        topo_id = draw(st.integers(0, 1 << 40))
        nodes.append(SnapshotNode(position, name, kind, len(inputs), outputs, draw(attrs), (), topo_id))
    return GraphSnapshot("S", "g", {"g": SnapshotGraph("g", tuple(nodes), (*edges, *control))})
