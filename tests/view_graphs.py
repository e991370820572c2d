"""Small graphs that fit the story of ``view_story``: what the tests of the Graphs screen look at."""

from collections.abc import Sequence

from view_story import run_story

from getrace.dumps.snapshot import CONTROL, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.store.live import LiveStore

MAIN: tuple[str, ...] = (
    "InferShape_add1_60",
    "Tiling_add1_61",
    "AllocMemHbm_add1_62",
    "LaunchKernelWithHandle_add1_63",
    "SendEvents_add1_64",
    "WaitEvents_relu1_65",
    "AllocMemHbm_relu1_66",
    "LaunchKernelWithHandle_relu1_67",
    "FreeMemory_add1_68",
    "FreeMemory_relu1_69",
)
DATA = ((0, 1), (0, 2), (1, 3), (2, 3), (6, 7), (2, 7), (2, 8), (6, 9))
CONTROLS = ((3, 4), (5, 7), (7, 8), (7, 9))


def graph(
    name: str, names: Sequence[str], data: Sequence[tuple[int, int]], controls: Sequence[tuple[int, int]] = ()
) -> SnapshotGraph:
    """A graph of nodes by name; the type is what stands before the first underline."""
    nodes = tuple(SnapshotNode(at, text, text.split("_")[0]) for at, text in enumerate(names))
    edges = [SnapshotEdge(source, 0, target, 0) for source, target in data]
    edges += [SnapshotEdge(source, CONTROL, target, CONTROL) for source, target in controls]
    return SnapshotGraph(name, nodes, tuple(edges))


def execute(stage: str, main: Sequence[str] = MAIN) -> GraphSnapshot:
    """An execute graph of three stages; ``main`` may lack kernels that a pass has not made yet."""
    kept = [MAIN.index(name) for name in main if name in MAIN]
    place = {old: new for new, old in enumerate(kept)}
    data = [(place[a], place[b]) for a, b in DATA if a in place and b in place]
    controls = [(place[a], place[b]) for a, b in CONTROLS if a in place and b in place]
    graphs = {
        "init": graph("init", ["CreateL2Allocators_1", "SplitRtStreams_2"], [(0, 1)]),
        "main": graph("main", list(main), data, controls),
        "deinit": graph("deinit", [], []),
    }
    owners = [(at, kind) for at, kind in enumerate(("Init", "Main", "DeInit"))]
    root = SnapshotGraph(
        "root", tuple(SnapshotNode(at, kind, kind, subgraphs=(kind.lower(),)) for at, kind in owners), ()
    )
    return GraphSnapshot(stage, "root", {"root": root, **graphs})


def compute() -> GraphSnapshot:
    """The compute graph."""
    return GraphSnapshot(
        "Before", "demo", {"demo": graph("demo", ["x", "add1", "relu1", "out"], [(0, 1), (1, 2), (2, 3)])}
    )


def story_with_graphs() -> LiveStore:
    """The story, with a compute graph and two dumps of the execute graph: the later one has events and frees."""
    store = run_story()
    early = [name for name in MAIN if not name.startswith(("SendEvents", "WaitEvents", "FreeMemory"))]
    store.graphs += [compute(), execute("AfterLowering", [*early, "Const_9"]), execute("AfterPasses")]
    return store
