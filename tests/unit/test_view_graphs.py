"""The Graphs screen's models: layers, lines in characters, sheets pass by pass, heat, the way from node to node."""

from itertools import pairwise
from random import Random

import pytest
from view_graphs import MAIN, compute, execute, graph, story_with_graphs
from view_story import run_story

from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode
from views.model.draw_graph import graph_lines
from views.model.graph_book import GraphBook, graph_book
from views.model.graph_facts import node_lines, sheet_list
from views.model.graph_picture import Look, picture_of
from views.model.heat import heat_bar, heat_text, heats_of
from views.model.layered import Arc, Layout, lay_out, neighbours, window
from views.model.spans import Span, plain
from views.model.steps import Step


def drawn(layout: Layout, *, ascii_only: bool = False) -> list[str]:
    lines, _ = graph_lines(layout, lambda node: Span(f"[n{node}]"), ascii_only=ascii_only)
    return [plain(line).rstrip() for line in lines]


def laid(*arcs: tuple[int, int] | tuple[int, int, bool], across: int = 40) -> Layout:
    ties = neighbours([Arc(*(*arc, False)[:3]) for arc in arcs])
    nodes = sorted({node for arc in arcs for node in arc[:2]})
    return lay_out(ties, nodes, dict.fromkeys(nodes, 4), across)


def test_a_chain_goes_down() -> None:
    assert drawn(laid((0, 1), (1, 2), across=8)) == [
        "  [n0]",
        "    └┐",
        "     ▼",
        "  [n1]",
        "    └┐",
        "     ▼",
        "  [n2]",
    ]


def test_a_diamond_parts_and_meets() -> None:
    assert drawn(laid((0, 1), (0, 2), (1, 3), (2, 3), across=14)) == [
        "       [n0]",
        "       ┌┴────┐",
        "       ▼     ▼",
        "    [n1]  [n2]",
        "      └──┐  │",
        "         ├──┘",
        "         ▼",
        "      [n3]",
    ]


def test_a_long_edge_passes_the_layer_between() -> None:
    assert drawn(laid((0, 1), (1, 2), (0, 2), across=16)) == [
        "         [n0]",
        "         ┌┴────┐",
        "         ▼     │",
        "       [n1]   ┌┘",
        "        └──┐  │",
        "           ├──┘",
        "           ▼",
        "        [n2]",
    ]


def test_edges_that_carry_order_only_are_broken_lines() -> None:
    both = laid((0, 1, True), (0, 2, True), across=14)
    assert drawn(both)[1:3] == ["       ┌┴┈┈┈┈┐", "       ▽     ▽"]
    assert drawn(both, ascii_only=True)[1:3] == ["       ++....+", "       v     v"]
    assert drawn(laid((0, 1, False), (0, 1, True), across=8))[-2] == "     ▼"


def test_a_circle_is_drawn_without_the_edge_that_closes_it() -> None:
    layout = laid((0, 1), (1, 2), (2, 0), across=20)
    assert [len(layer) for layer in layout.layers] == [1, 1, 1]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("across", [20, 44, 90])
def test_nothing_overlaps_and_nothing_leaves_the_picture(seed: int, across: int) -> None:
    random = Random(seed)
    arcs = [Arc(a, b, random.random() < 0.3) for a in range(40) for b in range(a + 1, 40) if random.random() < 0.06]
    ties = neighbours(arcs)
    chosen = window(ties, 20, 25, 6)
    layout = lay_out(ties, chosen, dict.fromkeys(chosen, 10), across)
    assert 20 in {place.node for place in layout.places}
    for layer in layout.layers:
        ends = [(layout.places[at].left, layout.places[at].left + layout.places[at].width) for at in layer]
        assert ends == sorted(ends)
        assert all(left >= 0 and right <= across for left, right in ends)
        assert all(right < left for (_, right), (left, _) in pairwise(ends))
    assert all(layout.places[w.source].layer + 1 == layout.places[w.target].layer for w in layout.wires)
    assert max(map(len, drawn(layout)), default=0) <= across


def test_a_window_holds_what_is_near_and_no_more() -> None:
    ties = neighbours([Arc(at, at + 1, False) for at in range(100_000)])
    assert sorted(window(ties, 500, 5, 4)) == [498, 499, 500, 501, 502]


def test_of_many_readers_only_some_are_shown_and_the_others_counted() -> None:
    ties = neighbours([Arc(0, at, False) for at in range(1, 1001)])
    chosen = window(ties, 0, 50, 4)
    assert len(chosen) == 5
    assert lay_out(ties, chosen, dict.fromkeys(chosen, 6), 80).hidden == {0: (0, 996)}


def book() -> GraphBook:
    return graph_book(story_with_graphs().graphs)


def test_sheets_are_in_the_order_of_the_dumps() -> None:
    assert [(sheet.stage, sheet.role) for sheet in book().sheets] == [
        ("Before", "compute"),
        ("AfterLowering", "Init"),
        ("AfterLowering", "Main"),
        ("AfterLowering", "DeInit"),
        ("AfterPasses", "Init"),
        ("AfterPasses", "Main"),
        ("AfterPasses", "DeInit"),
    ]
    assert book().first() == 5
    assert GraphBook().first() == -1
    assert graph_book([compute()]).first() == 0


def test_a_pass_is_the_difference_of_two_sheets() -> None:
    change = book().change(5)
    assert change is not None
    assert change.added == (
        "FreeMemory_add1_68",
        "FreeMemory_relu1_69",
        "SendEvents_add1_64",
        "WaitEvents_relu1_65",
    )
    assert change.removed == ("Const_9",)
    assert book().change(2) is None
    assert book().life(5, "SendEvents_add1_64") == ("AfterPasses", "AfterPasses")


@pytest.mark.parametrize(
    ("kernel", "here", "found"),
    [
        ("Tiling_add1_61", 5, (5, 1)),
        ("Tiling_add1_61", 2, (2, 1)),
        ("Tiling_add1_61", 0, (0, 1)),
        ("SplitRtStreams_2", 5, (4, 1)),
        ("Unknown_3", 5, (-1, -1)),
        ("", 5, (-1, -1)),
    ],
)
def test_a_kernel_of_the_log_finds_its_node(kernel: str, here: int, found: tuple[int, int]) -> None:
    assert book().find(kernel, here) == found


def test_a_graph_that_a_node_owns_is_a_sheet() -> None:
    branch = graph("branch", ["Relu_7"], [])
    nodes = (SnapshotNode(0, "If_1", "If", subgraphs=("branch",)),)
    snapshot = GraphSnapshot("S", "root", {"root": SnapshotGraph("root", nodes, ()), "branch": branch})
    made = graph_book([snapshot])
    assert [sheet.role for sheet in made.sheets] == ["compute", "compute: branch"]
    assert made.owned(0, nodes[0]) == 1


def test_heat_is_summed_by_kernel_and_by_operator() -> None:
    heats = heats_of(run_story())
    assert heats.of("count", executes=True)["Tiling_add1_61"] == 2
    assert heats.of("bytes", executes=True)["AllocMemHbm_relu1_66"] == 2 * 128 * 1024
    assert heats.of("count", executes=False)["add1"] == 12
    assert heats.of("bytes", executes=False) == {"add1": 128 * 1024, "relu1": 256 * 1024}
    assert heats.of("time", executes=True)["Tiling_add1_61"] == 40_000
    assert heats.of("none", executes=True) == {}


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("count", 1234, "x1,234"),
        ("time", 40_000, "40 us"),
        ("bytes", 65536, "64 KiB"),
        ("error", 2, "2 err"),
        ("none", 1, ""),
    ],
)
def test_heat_is_spelled(kind: str, value: int, text: str) -> None:
    assert heat_text(kind, value) == text


@pytest.mark.parametrize(
    ("value", "most", "sign"), [(0, 9, " "), (1, 100, "▁"), (50, 100, "▄"), (100, 100, "█"), (1, 1, "█")]
)
def test_heat_has_a_bar(value: int, most: int, sign: str) -> None:
    assert heat_bar(value, most)[0] == sign
    assert heat_bar(value, most, ascii_only=True)[0].isascii()


def test_the_node_in_the_middle_is_marked_by_its_brackets() -> None:
    picture = picture_of(book(), Look(5, MAIN.index("LaunchKernelWithHandle_add1_63")), 100, 30)
    lines, at = picture.lines(3)
    assert ">LaunchKernel…ndle_add1_63<" in plain(lines[at])
    assert sum(">" in plain(line) for line in lines) == 1


@pytest.mark.parametrize(
    ("node", "step", "there"),
    [(0, Step.DOWN, {1, 2}), (3, Step.UP, {1, 2}), (3, Step.DOWN, {4}), (0, Step.UP, {0, 5}), (7, Step.UP, {2, 5, 6})],
)
def test_a_step_goes_along_an_edge(node: int, step: Step, there: set[int]) -> None:
    picture = picture_of(book(), Look(5, node), 120, 60)
    assert picture.step(node, step) in there


def test_a_step_aside_stays_in_the_layer() -> None:
    picture = picture_of(book(), Look(5, 1), 120, 60)
    right = picture.aside(1, 1)
    assert right != 1
    assert picture.aside(right, -1) == 1


def test_the_list_of_dumps_counts_what_passes_did() -> None:
    table = sheet_list(book())
    assert [" ".join(plain(table.line(at, 100)).split()) for at in (0, 2, 5)] == [
        "Before compute 4 3 0",
        "AfterLowering Main 7 6 0",
        "AfterPasses Main 10 8 4 4 1",
    ]


def test_a_node_is_told_in_full() -> None:
    lines = [plain(line) for line in node_lines(book(), 5, 4, heats_of(run_story()), 90)]
    assert lines == [
        "SendEvents_add1_64",
        "type       SendEvents",
        "in the log x2, 40 us (inferred)",
        "needs      LaunchKernelWithHandle_add1_63 (control)",
        "made       between AfterLowering and AfterPasses",
    ]
    assert "No graph was dumped" in plain(node_lines(GraphBook(), -1, -1, heats_of(run_story()), 90)[0])


def test_hostile_names_are_made_visible() -> None:
    evil = graph("main", ["Evil\x1b[2J_\u202e_1", "算子_节点_2"], [(0, 1)])
    snapshot = GraphSnapshot("S\x1b[2J", "main", {"main": evil})
    made = graph_book([snapshot])
    lines, _ = picture_of(made, Look(0, 0), 60, 20).lines(0)
    said = [*map(plain, lines), plain(sheet_list(made).line(0, 80))]
    said += map(plain, node_lines(made, 0, 0, heats_of(run_story()), 60))
    assert all(char.isprintable() for line in said for char in line)


def test_a_dump_without_a_lowered_graph_keeps_its_order() -> None:
    assert [sheet.stage for sheet in graph_book([compute(), execute("A")]).sheets] == ["Before", "A", "A", "A"]
