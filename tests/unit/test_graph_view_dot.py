"""The DOT text of a picture: what is in it, how it is escaped, and that it is the same each time."""

from dataclasses import replace
from pathlib import Path

import graphviz
import pytest
from graph_view_cases import add_snapshot, compute_snapshot, if_snapshot, lone

from getrace.dumps.snapshot import CONTROL, GraphSnapshot, SnapshotEdge, SnapshotGraph, SnapshotNode
from getrace.errors import InputError, UsageError
from views.graph.dot import dot_source
from views.graph.drawing import source_of
from views.graph.labels import dot_text, needed_width, shorten, tooltip, visible
from views.graph.layout import bundled, collapsed, settings_for
from views.graph.stages import scene_of
from views.graph.style import FAMILIES, STROKES, family_of

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize("stage", ["all", "main", "compute"])
def test_the_dot_text_is_the_one_that_was_looked_at(stage: str) -> None:
    text = source_of(bundled(scene_of([compute_snapshot(), add_snapshot()], stage)))
    assert text == (GOLDEN / f"graph_{stage}.dot").read_text(encoding="utf-8")


def test_the_graphs_of_an_if_lie_inside_main_and_take_its_inputs() -> None:
    scene = scene_of([if_snapshot()], "main")
    assert source_of(bundled(scene)) == (GOLDEN / "graph_if.dot").read_text(encoding="utf-8")
    assert [(link.source, link.target, link.tooltip) for link in scene.links if link.kind == "owns"] == [
        ("g0n2", "g1n0", "input 0 of If_choose_12, made by GenIndexForIf_choose_10:0"),
        ("g0n2", "g2n0", "input 1 of If_choose_12, made by InferShape_x_11:0"),
    ]
    assert [area.title for area in scene.areas[0].inner] == [
        "sub graph 0 of If_choose_12: CondGraph_choose_13, 2 nodes",
        "sub graph 1 of If_choose_12: then_graph_choose_20, 3 nodes",
    ]
    assert scene.edges("data", "between") == 6


def test_what_nothing_feeds_stays_below_the_frame_above_where_frames_are_nested() -> None:
    flow, add = if_snapshot(), add_snapshot()
    graphs = {**add.graphs, **{name: graph for name, graph in flow.graphs.items() if name != "ROOT"}}
    text = dot_source(scene_of([GraphSnapshot("x", "ROOT", graphs)], "all"))
    hidden = {line.split(" [")[0].strip() for line in text.splitlines() if "style=invis" in line}
    assert {"g0n2 -> g1n0", "g0n2 -> g1n1"} <= hidden


def test_a_collapsed_if_keeps_its_frames_and_the_arrows_into_them() -> None:
    scene = collapsed(scene_of([if_snapshot()], "main"))
    assert [len(area.items) for area in scene.all_areas()] == [2, 2, 3]
    assert sum(link.count for link in scene.links if link.kind == "owns") == 2


def test_the_same_snapshot_gives_the_same_bytes() -> None:
    assert source_of(scene_of([add_snapshot()], "all")) == source_of(scene_of([add_snapshot()], "all"))


def test_data_and_control_edges_differ_in_line_and_in_arrowhead() -> None:
    text = dot_source(scene_of([add_snapshot()], "main"))
    (control,) = [line for line in text.splitlines() if "before" in line]
    (data,) = [line for line in text.splitlines() if "SplitRtStreams_11:0" in line]
    assert "style=dashed" in control
    assert "arrowhead=empty" in control
    assert "style=solid" in data
    assert "arrowhead=normal" in data


def test_no_two_kinds_look_alike_without_colour() -> None:
    assert len({(stroke.line, stroke.head) for stroke in STROKES.values()}) == len(STROKES)
    assert len({(family.shape, family.style) for family in FAMILIES.values()}) >= len(FAMILIES) - 1


def test_the_legend_names_what_is_drawn_and_nothing_else() -> None:
    text = dot_source(scene_of([add_snapshot()], "main"))
    assert "label=launches" in text
    assert "control: order only" in text
    assert "constants" not in text
    assert "value handed to another graph" not in text


def test_all_draws_three_frames_and_what_init_hands_to_main() -> None:
    text = dot_source(scene_of([add_snapshot()], "all"))
    assert 'label="Init: Init_1, 3 nodes"' in text
    assert 'label="Main: Main_5, 6 nodes"' in text
    assert 'label="DeInit: DeInit_9, 0 nodes"' in text
    assert "output 0, made by CreateL1Allocator_3, is input 0" in text


def test_an_empty_graph_is_an_empty_frame_with_a_label() -> None:
    text = dot_source(scene_of([add_snapshot()], "deinit"))
    assert 'label="DeInit: DeInit_9, 0 nodes"' in text
    assert 'label="no nodes"' in text


def test_nodes_of_one_operator_share_a_frame() -> None:
    scene = scene_of([add_snapshot()], "main")
    assert [item.operator for item in scene.items()] == ["add1", "", "add1", "add1", "add1", ""]
    assert "label=add1" in dot_source(scene)


def test_arrows_between_the_same_nodes_are_one_arrow_that_counts() -> None:
    scene = bundled(scene_of([add_snapshot()], "main"))
    assert [link.count for link in scene.links if link.kind == "data"] == [1, 2, 1]
    assert "label=x2" in dot_source(scene)


def test_collapsing_keeps_every_edge_between_operators() -> None:
    scene = collapsed(scene_of([add_snapshot()], "main"))
    assert [item.lines for item in scene.items()] == [("add1", "4 nodes"), ("SplitRtStreams", "#11"), ("NetOutput",)]
    assert [(link.kind, link.count) for link in scene.links] == [("data", 1), ("control", 1)]


@pytest.mark.parametrize(("readers", "arrows", "told"), [(40, 40, ()), (41, 1, ("feeds 41",))])
def test_what_feeds_a_crowd_of_merged_operators_keeps_one_arrow_and_says_how_many(
    readers: int, arrows: int, told: tuple[str, ...]
) -> None:
    hub = SnapshotNode(0, "SplitRtStreams_1", "SplitRtStreams", 0, 1)
    nodes = tuple(
        SnapshotNode(number, f"InferShape_add{number}_9", "InferShape", 1, 1, {"ComputeNodeIndex": number})
        for number in range(1, readers + 1)
    )
    edges = tuple(SnapshotEdge(0, 0, number, 0) for number in range(1, readers + 1))
    snapshot = GraphSnapshot("x", "g", {"g": SnapshotGraph("g", (hub, *nodes), edges)})
    full = scene_of([snapshot], "compute")
    scene = collapsed(full)
    links = [link for link in scene.links if link.source == next(scene.items()).key]
    assert len(links) == arrows
    assert scene.edges("data") == full.edges("data") == readers
    assert tuple(line for line in next(scene.items()).lines if "feeds" in line) == told


def test_a_sub_graph_is_a_frame_inside_the_frame_of_its_owner() -> None:
    branch = SnapshotGraph("then_4", (SnapshotNode(0, "IdentityAddr_y_7", "IdentityAddr"),), ())
    owner = SnapshotGraph("g", (SnapshotNode(0, "cond", "If", subgraphs=("then_4",)),), ())
    (area,) = scene_of([GraphSnapshot("x", "g", {"g": owner, "then_4": branch})], "compute").areas
    assert area.inner[0].title == "sub graph 0 of cond: then_4, 1 node"


def test_a_graph_that_owns_itself_is_drawn_once() -> None:
    graph = SnapshotGraph("g", (SnapshotNode(0, "loop", "While", subgraphs=("g",)),), ())
    assert len(list(scene_of([GraphSnapshot("x", "g", {"g": graph})], "compute").all_areas())) == 1


def test_a_sub_graph_that_is_not_in_the_dump_is_said_to_be_missing() -> None:
    graph = SnapshotGraph("g", (SnapshotNode(0, "cond", "If", subgraphs=("gone",)),), ())
    (area,) = scene_of([GraphSnapshot("x", "g", {"g": graph})], "compute").areas
    assert area.inner[0].title == "sub graph 0 of cond: gone, not in this dump"


def test_an_edge_to_a_node_that_is_not_there_is_a_damaged_dump() -> None:
    graph = SnapshotGraph("g", (SnapshotNode(0, "a", "Add"),), (SnapshotEdge(0, 0, 7, 0),))
    with pytest.raises(InputError, match="edge 0 -> 7, and 1 nodes"):
        scene_of([GraphSnapshot("x", "g", {"g": graph})], "compute")


def test_a_loose_edge_of_the_root_is_a_damaged_dump_too() -> None:
    whole = add_snapshot()
    root = replace(whole.graphs["ROOT"], edges=(SnapshotEdge(0, 0, 3, 0),))
    with pytest.raises(InputError, match="edge 0 -> 3, and 3 nodes"):
        scene_of([replace(whole, graphs={**whole.graphs, "ROOT": root})], "all")


def test_an_unknown_stage_is_answered_with_the_stages_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        scene_of([add_snapshot()], "tail")
    assert caught.value.hint == "the stages are compute, init, main, deinit, all"


def test_a_stage_that_no_snapshot_holds_is_answered_with_those_they_hold() -> None:
    with pytest.raises(UsageError) as caught:
        scene_of([compute_snapshot()], "main")
    assert caught.value.hint == "it holds compute"


def test_the_last_snapshot_that_has_the_stage_is_drawn() -> None:
    later = replace(add_snapshot(), stage="AfterCEM")
    assert scene_of([add_snapshot(), later, compute_snapshot()], "main").title == "AfterCEM: ROOT, main"


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("plain", "plain"),
        ('say "hi"', 'say "hi"'),
        ("C:\\new", "C:\\\\new"),
        ("end\\", "end\\\\"),
        ("\\N", "\\\\N"),
        ("</text><script>", "</text><script>"),
        ("&lt;", "&amp;lt;"),
        ("two\nlines", "two\N{SYMBOL FOR NEWLINE}lines"),
        ("bell\x07", "bell\\\\x07"),
        ("lone \udce4", "lone \\\\xdce4"),
        ("加法", "加法"),
    ],
)
def test_a_name_is_escaped_for_dot_graphviz_and_xml(name: str, escaped: str) -> None:
    assert dot_text([name]) == escaped


@pytest.mark.parametrize("name", ['a"b', "a\\", '\\"', "<b>x</b>", "node", "a\nb", "&amp;", "\udc80"])
def test_a_hostile_name_stays_one_quoted_label(name: str) -> None:
    text = dot_source(scene_of([lone(name)], "compute"))
    assert graphviz.quoting.quote(dot_text(["Add", name])) in text
    assert "label=<" not in text


def test_a_long_name_is_cut_in_the_node_and_whole_in_the_tooltip() -> None:
    name = "x" * 10_000 + "_17"
    (item,) = scene_of([lone(name)], "compute").items()
    assert item.lines == ("Add", "x" * 31 + "\N{HORIZONTAL ELLIPSIS}" + "x" * 13 + "_17")
    assert item.tooltip.startswith(name + " (Add), 0 in, 0 out")


def test_a_tooltip_lists_the_attributes_in_order_and_bytes_by_their_number() -> None:
    assert tooltip("n", {"b": 2, "a": b"\x01\x00"}) == "n\\na = 2 bytes 01 00\\nb = 2"


def test_a_tooltip_stops_after_twenty_four_attributes() -> None:
    assert tooltip("n", {f"k{number:02}": 0 for number in range(30)}).endswith("\\nand 6 more attributes")


def test_text_that_graphviz_cannot_measure_is_given_a_width() -> None:
    assert needed_width(["add"], 11) is None
    assert needed_width(["加法", "ab"], 9) == 0.55


def test_shortening_keeps_both_ends() -> None:
    assert shorten("abcdefghij", 7) == "abcd\N{HORIZONTAL ELLIPSIS}ij"


def test_a_tab_is_shown_as_a_blank() -> None:
    assert visible("a\tb") == "a b"


@pytest.mark.parametrize(
    ("node_type", "family"),
    [
        ("Const", "constant"),
        ("ConstData", "io"),
        ("InnerData", "handed"),
        ("InnerNetOutput", "io"),
        ("AllocLaunchArg", "memory"),
        ("SelectL2Allocator", "memory"),
        ("FreeBatchHbm", "memory"),
        ("InferShape", "shape"),
        ("CacheableTiling", "shape"),
        ("CopyFlowLaunch", "copy"),
        ("LaunchH2DCopy", "copy"),
        ("LaunchKernelWithHandle", "launch"),
        ("SplitRtStreams", "stream"),
        ("SendEvents", "stream"),
        ("SwitchNotify", "control"),
        ("If", "control"),
        ("FindTilingFunc", "lookup"),
        ("SplitDataTensor", "tensor"),
        ("MatMulV2", "operator"),
    ],
)
def test_a_kernel_type_has_a_family(node_type: str, family: str) -> None:
    assert family_of(node_type) == family


@pytest.mark.parametrize(
    ("nodes", "settings"),
    [
        (1_500, {"splines": "true"}),
        (1_501, {"splines": "line", "nslimit": "0.1", "nslimit1": "0.1", "mclimit": "0.001"}),
        (12_001, {"splines": "line", "nslimit": "0.001", "mclimit": "0.01", "maxiter": "1", "searchsize": "1"}),
    ],
)
def test_the_settings_follow_the_size(nodes: int, settings: dict[str, str]) -> None:
    assert settings_for(nodes) == settings


def test_merged_operators_get_straight_edges_at_any_size() -> None:
    assert [settings_for(nodes, merged=True)["splines"] for nodes in (2, 1_500, 12_000)] == ["line"] * 3
    assert settings_for(12_001, merged=True) == settings_for(12_001)


def test_a_crowd_of_constants_stands_in_columns_of_three() -> None:
    nodes = tuple(SnapshotNode(number, f"Const_{number}", "Const", 0, 1) for number in range(7))
    sink = SnapshotNode(7, "InnerNetOutput_7", "InnerNetOutput", 7)
    edges = tuple(SnapshotEdge(number, 0, 7, number) for number in range(7))
    snapshot = GraphSnapshot("x", "g", {"g": SnapshotGraph("g", (*nodes, sink), edges)})
    text = source_of(scene_of([snapshot], "compute"))
    stacked = [line.strip() for line in text.splitlines() if line.endswith("[style=invis]") and "legend" not in line]
    assert stacked == [
        "g0n0 -> g0n1 [style=invis]",
        "g0n1 -> g0n2 [style=invis]",
        "g0n3 -> g0n4 [style=invis]",
        "g0n4 -> g0n5 [style=invis]",
    ]


def test_a_control_edge_is_told_by_its_index() -> None:
    assert SnapshotEdge(0, CONTROL, 1, CONTROL).is_control
