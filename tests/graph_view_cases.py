"""Small snapshots written by hand, for the tests of the graph view."""

from getrace.dumps.snapshot import CONTROL, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode


def add_snapshot() -> GraphSnapshot:
    """Give one Add, lowered: an allocator made by Init, two inputs of the launch, one order between kernels."""
    init = SnapshotGraph(
        "Init_1",
        (
            SnapshotNode(0, "Const_2", "Const", 0, 1, {"value": b"\x00", "is_string": False}),
            SnapshotNode(1, "CreateL1Allocator_3", "CreateL1Allocator", 1, 1),
            SnapshotNode(2, "InnerNetOutput_4", "InnerNetOutput", 1),
        ),
        (SnapshotEdge(0, 0, 1, 0), SnapshotEdge(1, 0, 2, 0)),
    )
    main = SnapshotGraph(
        "Main_5",
        (
            SnapshotNode(0, "InnerData_add1_10", "InnerData", 0, 1, {"index": 0}),
            SnapshotNode(1, "SplitRtStreams_11", "SplitRtStreams", 0, 1),
            SnapshotNode(2, "AllocMemHbm_add1_12", "AllocModelOutTensor", 1, 2, {"ComputeNodeIndex": 2}),
            SnapshotNode(3, "LaunchKernelWithHandle_add1_13", "LaunchKernelWithHandle", 3),
            SnapshotNode(4, "FreeMemory_add1_14", "FreeMemory", 0),
            SnapshotNode(5, "NetOutput", "NetOutput"),
        ),
        (
            SnapshotEdge(0, 0, 2, 0),
            SnapshotEdge(2, 0, 3, 0),
            SnapshotEdge(2, 1, 3, 1),
            SnapshotEdge(1, 0, 3, 2),
            SnapshotEdge(3, CONTROL, 5, CONTROL),
        ),
    )
    root = SnapshotGraph(
        "ROOT",
        (
            SnapshotNode(0, "Init_0", "Init", 0, 1, subgraphs=("Init_1",)),
            SnapshotNode(1, "Main_6", "Main", 1, 0, subgraphs=("Main_5",)),
            SnapshotNode(2, "DeInit_8", "DeInit", 0, 0, subgraphs=("DeInit_9",)),
        ),
        (SnapshotEdge(0, 0, 1, 0),),
    )
    graphs = {"ROOT": root, "Init_1": init, "Main_5": main, "DeInit_9": SnapshotGraph("DeInit_9", (), ())}
    return GraphSnapshot("ExecuteGraphAfterSplit", "ROOT", graphs)


def compute_snapshot() -> GraphSnapshot:
    """Give the compute graph of one Add."""
    nodes = (
        SnapshotNode(0, "x1", "Data", 0, 1, {"index": 0}),
        SnapshotNode(1, "x2", "Data", 0, 1, {"index": 1}),
        SnapshotNode(2, "add1", "Add", 2, 1),
        SnapshotNode(3, "NetOutput", "NetOutput", 1),
    )
    edges = (SnapshotEdge(0, 0, 2, 0), SnapshotEdge(1, 0, 2, 1), SnapshotEdge(2, 0, 3, 0))
    return GraphSnapshot("ComputeGraphBeforeLowering", "g1", {"g1": SnapshotGraph("g1", nodes, edges)})


def lone(name: str) -> GraphSnapshot:
    """Give a graph of one Add with this name."""
    return GraphSnapshot("x", "g", {"g": SnapshotGraph("g", (SnapshotNode(0, name, "Add"),), ())})


def if_snapshot() -> GraphSnapshot:
    """Give a Main graph with an If of two inputs: the graph that decides reads the first, a branch reads the second."""
    below = ("CondGraph_choose_13", "then_graph_choose_20")
    nodes = (
        SnapshotNode(0, "GenIndexForIf_choose_10", "GenIndexForIf", 0, 1),
        SnapshotNode(1, "InferShape_x_11", "InferShape", 0, 1),
        SnapshotNode(2, "If_choose_12", "If", 2, 1, {"ComputeNodeIndex": 2}, below),
        SnapshotNode(3, "FreeMemory_choose_30", "FreeMemory", 1),
    )
    edges = (SnapshotEdge(0, 0, 2, 0), SnapshotEdge(1, 0, 2, 1), SnapshotEdge(2, 0, 3, 0))
    decide = SnapshotGraph(
        "CondGraph_choose_13",
        (
            SnapshotNode(0, "InnerData_choose_14", "InnerData", 0, 1, {"index": 0}),
            SnapshotNode(1, "SwitchNotify_choose_15", "SwitchNotify", 1, 3),
        ),
        (SnapshotEdge(0, 0, 1, 0),),
    )
    then = SnapshotGraph(
        "then_graph_choose_20",
        (
            SnapshotNode(0, "InnerData_choose_21", "InnerData", 0, 1, {"index": 1}),
            SnapshotNode(1, "AllocMemHbm_turn_22", "AllocMemHbm", 1, 1),
            SnapshotNode(2, "InnerNetOutput_23", "InnerNetOutput", 1),
        ),
        (SnapshotEdge(0, 0, 1, 0), SnapshotEdge(1, 0, 2, 0)),
    )
    root = SnapshotGraph("ROOT", (SnapshotNode(0, "Main_6", "Main", 0, 0, subgraphs=("Main_5",)),), ())
    graphs = (root, SnapshotGraph("Main_5", nodes, edges), decide, then)
    return GraphSnapshot("ExecuteGraphAfterSplit", "ROOT", {graph.name: graph for graph in graphs})
