"""Init, Main and DeInit, from markers and from graphs."""

from view_story import Story, run_story

from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode
from getrace.events.graphs import GraphSeen
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from views.model.outline import items, outline_of, runs_of

_STAGES = ("Init", "Main", "DeInit")


def _pair(story: Story, *kernels: str, tid: int = 4718) -> None:
    story.say(ModelStart(), tid=tid)
    for kernel in kernels:
        story.say(KernelEnd(), kernel, tid=tid)
    story.say(ModelEnd(), tid=tid)


def test_runs_have_a_stage_a_number_and_an_end() -> None:
    found = [(run.stage, run.number, run.first, run.last, run.ended) for run in runs_of(run_story())]
    assert found == [("Init", 0, 1, 5, True), ("Main", 1, 6, 23, True), ("Main", 2, 24, 42, False)]


def test_threads_have_runs_of_their_own() -> None:
    story = Story()
    story.say(ModelStart(), tid=1)
    _pair(story, "CreateL2Allocators_1", tid=2)
    story.say(KernelEnd(), "CreateL2Allocators_9", tid=1)
    story.say(ModelEnd(), tid=1)
    story.store.poll()
    found = [(run.stage, run.tid, run.first, run.last, run.kernels.tolist()) for run in runs_of(story.store)]
    assert found == [("Init", 1, 0, 5, [4]), ("Init", 2, 1, 3, [2])]


def test_a_row_belongs_to_the_run_around_it() -> None:
    outline = outline_of(run_story())
    stages = [outline.stage_of(row, 4711, 4718) for row in (0, 3, 6, 23, 30, 42)]
    assert stages == ["", "init", "main #1", "main #1", "main #2", "main #2"]
    assert outline.stage_of(3, 4711, 99) == ""


def test_closed_lines_show_runs_and_an_opened_one_its_kernels() -> None:
    store = run_story()
    outline = outline_of(store)
    assert [(item.label, item.note, item.bad) for item in items(outline, store, frozenset())] == [
        ("Init", "2 kernels", False),
        ("Main #1", "10 kernels", False),
        ("Main #2", "no end", True),
    ]
    opened = items(outline, store, frozenset({"run:1"}))
    assert [(item.label, item.row, item.depth) for item in opened[:3]] == [
        ("Init", 1, 0),
        ("CreateL2Allocators_1", 2, 1),
        ("SplitRtStreams_2", 3, 1),
    ]


def test_a_store_without_markers_has_no_outline() -> None:
    story = Story()
    story.line("nothing ran")
    story.store.poll()
    assert runs_of(story.store) == ()


def test_lowered_graphs_are_listed_by_stage() -> None:
    def graph(name: str, *types: str) -> SnapshotGraph:
        return SnapshotGraph(name, tuple(SnapshotNode(i, f"{t}_{i}", t) for i, t in enumerate(types)), ())

    roots = tuple(
        SnapshotNode(i, stage, stage, subgraphs=(stage,)) for i, stage in enumerate(("Init", "Main", "DeInit"))
    )
    graphs = {
        "Root": SnapshotGraph("Root", roots, ()),
        "Init": graph("Init", "Const"),
        "Main": graph("Main", "InferShape", "Launch"),
        "DeInit": graph("DeInit"),
    }
    story = Story()
    story.say(GraphSeen(GraphSnapshot("ExecuteGraphAfterSplit", "Root", graphs)))
    story.store.poll()
    listed = items(outline_of(story.store), story.store, frozenset({"graph:Main"}))
    assert [(item.label, item.note, item.depth) for item in listed] == [
        ("Init graph", "1 nodes", 0),
        ("Main graph", "2 nodes", 0),
        ("InferShape_0", "InferShape", 1),
        ("Launch_1", "Launch", 1),
        ("DeInit graph", "0 nodes", 0),
    ]


def test_a_node_that_owns_graphs_opens_to_them_and_a_node_knows_where_its_kernel_speaks() -> None:
    graphs = {
        "Root": SnapshotGraph(
            "Root", tuple(SnapshotNode(i, stage, stage, subgraphs=(stage,)) for i, stage in enumerate(_STAGES)), ()
        ),
        "Init": SnapshotGraph("Init", (), ()),
        "Main": SnapshotGraph("Main", (SnapshotNode(0, "If_2", "If", subgraphs=("then_3", "gone")),), ()),
        "DeInit": SnapshotGraph("DeInit", (), ()),
        "then_3": SnapshotGraph("then_3", (SnapshotNode(0, "Launch_4", "Launch"),), ()),
    }
    story = Story()
    story.say(GraphSeen(GraphSnapshot("ExecuteGraphAfterSplit", "Root", graphs)))
    _pair(story, "CreateL2Allocators_1")
    _pair(story, "If_2", "Launch_4")
    _pair(story, "If_2", "Launch_4")
    story.store.poll()
    keys = frozenset({"graph:Main", "graph:Main:0", "graph:Main:0:then_3"})
    listed = items(outline_of(story.store), story.store, keys)
    rows = {story.store.kernel(row): row for row in reversed(range(story.store.rows))}
    assert [(item.label, item.note, item.depth, item.row) for item in listed if item.key in keys or item.depth] == [
        ("Main graph", "1 nodes", 0, -1),
        ("If_2", "If", 1, rows["If_2"]),
        ("then_3", "1 nodes", 2, -1),
        ("Launch_4", "Launch", 3, rows["Launch_4"]),
        ("gone", "0 nodes", 2, -1),
    ]
