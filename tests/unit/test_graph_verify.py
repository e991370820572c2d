"""The rules of a legal execute graph: each is broken once, in a graph that keeps all the others."""

from collections.abc import Callable

import pytest

from getrace.errors import ModelError
from runtime.graph.builder import GraphBuilder
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.graph.verify import RULES, require_legal, violations
from runtime.lowering.graph_converter import lower


def lowered() -> ExecuteGraph:
    builder = GraphBuilder("g")
    return lower(builder.output(builder.op("Relu", builder.data("x", (-1,)), name="relu")).build())


def main_node(root: ExecuteGraph, type_name: str) -> FastNode:
    return next(node for node in root.owned_by("Main").nodes if node.type == type_name)


def second_main(root: ExecuteGraph) -> None:
    root.add_subgraph(root.add_node("Main_again", "Main"), ExecuteGraph("Main_again_graph"))


def same_name(root: ExecuteGraph) -> None:
    root.owned_by("Main").add_node("NetOutput", "NoOp")


def edge_with_one_end(root: ExecuteGraph) -> None:
    edge = main_node(root, "AllocMemHbm").in_data[1]
    assert edge is not None
    edge.source.out_data[0] = ()


def unconnected_input(root: ExecuteGraph) -> None:
    edge = main_node(root, "LaunchKernelWithHandle").in_data[2]
    assert edge is not None
    root.owned_by("Main").remove_edge(edge)


def inner_data_of_nothing(root: ExecuteGraph) -> None:
    main_node(root, "InnerData").attrs["index"] = 99


def output_of_nothing(root: ExecuteGraph) -> None:
    root.add_output(root.nodes[0])


def const_data_in_main(root: ExecuteGraph) -> None:
    root.owned_by("Main").add_node("ConstData_0", "ConstData", 0, 1)


def feed_with_a_gap(root: ExecuteGraph) -> None:
    main_node(root, "Data").attrs["index"] = -7


def release_of_nothing(root: ExecuteGraph) -> None:
    main_node(root, "FreeBatchHbm").attrs["ReleaseResourceIndex"] = 3


def cycle(root: ExecuteGraph) -> None:
    launch = main_node(root, "LaunchKernelWithHandle")
    root.owned_by("Main").add_control_edge(launch, main_node(root, "InferShape"))


BROKEN: list[tuple[str, Callable[[ExecuteGraph], None]]] = [
    ("the root has one Init, one DeInit and one Main, each with one graph", second_main),
    ("nodes of one graph have different names", same_name),
    ("both ends of an edge lie in one graph and know it", edge_with_one_end),
    ("every data input is connected", unconnected_input),
    ("an InnerData stands for an input of the node that owns its graph", inner_data_of_nothing),
    ("the owner of a graph has one output per input of its InnerNetOutput", output_of_nothing),
    ("Main graph cannot hold ConstData", const_data_in_main),
    ("feeds are numbered 0, 1, ... and -1, -2, ... without gaps", feed_with_a_gap),
    ("a node that releases a resource reads it", release_of_nothing),
    ("a graph has no cycle", cycle),
]


def test_a_lowered_model_is_legal() -> None:
    assert violations(lowered()) == []


def test_every_rule_is_broken_by_a_test() -> None:
    assert [sentence for sentence, _ in RULES] == [sentence for sentence, _ in BROKEN]


@pytest.mark.parametrize(("sentence", "damage"), BROKEN, ids=[sentence for sentence, _ in BROKEN])
def test_a_broken_rule_is_named(sentence: str, damage: Callable[[ExecuteGraph], None]) -> None:
    root = lowered()
    damage(root)
    assert sentence in [broken.rule for broken in violations(root)]
    with pytest.raises(ModelError, match="the execute graph is not legal"):
        require_legal(root)
