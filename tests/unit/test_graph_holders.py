"""Holders: names, connections across graphs, guarders, and what leaves Init."""

import pytest

from getrace.errors import InternalError
from runtime.graph.compute_graph import ComputeGraph, OpDesc
from runtime.graph.execute_graph import ExecuteGraph, FastNode
from runtime.graph.frame_selector import FrameSelector
from runtime.graph.naming import IdSource
from runtime.graph.value_holder import HolderFactory, ValueHolder
from runtime.values import Placement


class Model:
    """A root with an Init that gives nothing yet and a Main, and a factory that writes to Main."""

    def __init__(self) -> None:
        self.root = ExecuteGraph("ROOT")
        self.holders = HolderFactory(self.root, IdSource())
        self.init = self.holders.void("Init").node
        init_graph = self.holders.subgraph(self.init, "Init")
        with self.holders.frame(init_graph):
            self.exit = self.holders.void("InnerNetOutput").node
        self.deinit = self.holders.subgraph(self.holders.void("DeInit").node, "DeInit")
        self.main_node = self.holders.void("Main").node
        self.main = self.holders.subgraph(self.main_node, "Main")
        self.selector = FrameSelector(self.holders, self.init, self.deinit, self.main)


def types(graph: ExecuteGraph) -> list[str]:
    return [node.type for node in graph.nodes]


def inputs(node: FastNode) -> list[tuple[str, int]]:
    return [(source[0].type, source[1]) for source in node.inputs if source is not None]


def test_a_node_takes_a_number_and_each_of_its_outputs_another() -> None:
    holders = HolderFactory(ExecuteGraph("ROOT"), IdSource(7))
    holders.many("Split", 2)
    holders.void("End")
    holders.single("Next")
    assert [node.name for node in holders.root.nodes] == ["Split_7", "End_10", "Next_12"]


def test_a_node_is_named_after_its_compute_node_and_counts_it_on_first_sight() -> None:
    holders = HolderFactory(ExecuteGraph("ROOT"), IdSource())
    model = ComputeGraph("m")
    add, mul = model.add(OpDesc("add", "Add")), model.add(OpDesc("mul", "Mul"))
    for node in (mul, add, mul):
        with holders.working_on(node):
            holders.single("K")
    assert [node.name for node in holders.root.nodes] == ["K_mul_0", "K_add_2", "K_mul_4"]
    assert [node.attrs["ComputeNodeIndex"] for node in holders.root.nodes] == [0, 1, 0]
    assert holders.root.compute_nodes == [mul, add]


def test_a_value_of_a_graph_above_comes_through_one_inner_data() -> None:
    model = Model()
    value = model.holders.single("Value")
    with model.holders.frame(model.main):
        first, second = model.holders.single("A", value), model.holders.single("B", value)
    assert inputs(model.main_node) == [("Value", 0)]
    assert types(model.main) == ["A", "InnerData", "B"]
    assert inputs(first.node) == inputs(second.node) == [("InnerData", 0)]
    assert model.main.nodes[1].attrs["index"] == 0


def test_each_output_gets_its_own_inner_data_and_each_level_one() -> None:
    model = Model()
    left, right = model.holders.many("Values", 2)
    with model.holders.frame(model.main):
        owner = model.holders.void("If")
        branch = model.holders.subgraph(owner.node, "then_graph")
        with model.holders.frame(branch):
            model.holders.void("Use", right, left)
    assert inputs(model.main_node) == [("Values", 1), ("Values", 0)]
    assert types(model.main) == ["If", "InnerData", "InnerData"]
    assert inputs(owner.node) == [("InnerData", 0), ("InnerData", 0)]
    assert types(branch) == ["Use", "InnerData", "InnerData"]


def test_a_value_of_a_graph_beside_cannot_be_read() -> None:
    model = Model()
    with model.holders.frame(model.main):
        hidden = model.holders.single("Hidden")
    with (
        model.holders.frame(model.init.subgraphs[0]),
        pytest.raises(InternalError, match="it is on no graph above it"),
    ):
        model.holders.single("Use", hidden)


def guarded(model: Model) -> ValueHolder:
    resource = model.holders.single("Alloc")
    model.holders.guarder("Free", resource)
    return resource


def test_later_consumers_of_a_guarded_value_hold_its_guarder_back() -> None:
    model = Model()
    with model.holders.frame(model.main):
        early = model.holders.single("Alloc")
        model.holders.void("Before", early)
        free = model.holders.guarder("Free", early)
        model.holders.void("After", early)
    assert [edge.source.type for edge in free.node.in_control] == ["After"]
    assert free.node.attrs["ReleaseResourceIndex"] == 0
    assert early.node.attrs["GuarderNodeType"] == "Free"


def test_a_consumer_in_a_branch_holds_the_guarder_back_through_the_branchs_owner() -> None:
    model = Model()
    with model.holders.frame(model.main):
        resource = guarded(model)
        owner = model.holders.void("If")
        with model.holders.frame(model.holders.subgraph(owner.node, "then_graph")):
            model.holders.void("Use", resource)
    assert resource.guarder is not None
    assert [edge.source for edge in resource.guarder.node.in_control] == [owner.node]


def test_the_end_of_a_graph_and_appended_inputs_do_not_hold_a_guarder_back() -> None:
    model = Model()
    with model.holders.frame(model.main):
        resource = guarded(model)
        end = model.holders.void("NetOutput", resource)
        model.holders.append_input(end.node, resource)
    assert resource.guarder is not None
    assert not resource.guarder.node.in_control
    assert inputs(end.node) == [("Alloc", 0), ("Alloc", 0)]


def test_an_order_between_a_node_and_itself_is_nothing() -> None:
    model = Model()
    left, right = model.holders.many("Two", 2)
    model.holders.order(left, right)
    assert not left.node.in_control


def test_an_endpoint_leaves_init_once_whoever_asks() -> None:
    model = Model()
    kept: list[ValueHolder] = []

    def build() -> list[ValueHolder]:
        kept.append(model.holders.single("K"))
        kept[0].placement = Placement.HOST
        return kept

    first = model.selector.on_init_root(build)[0]
    second = model.selector.on_init_root(lambda: kept)[0]
    assert (first.node, first.index) == (second.node, second.index) == (model.init, 0)
    assert first.placement is Placement.HOST
    assert model.init.output_count == 1
    assert inputs(model.exit) == [("K", 0)]


def test_what_left_init_is_found_inside_it_again() -> None:
    model = Model()
    outside = model.selector.on_init_root(lambda: model.holders.many("K", 2))[1]
    inside = model.selector.holder_on_init(outside)
    assert (inside.node.type, inside.index) == ("K", 1)


def test_a_kernel_without_outputs_leaves_init_as_an_order() -> None:
    model = Model()
    outside = model.selector.on_init_root(lambda: [model.holders.void("K")])[0]
    assert outside.index == -1
    assert [edge.source.type for edge in model.exit.in_control] == ["K"]
    assert model.init.output_count == 0


def test_main_is_reached_from_inside_a_branch() -> None:
    model = Model()
    with model.holders.frame(model.main):
        owner = model.holders.void("If")
        with model.holders.frame(model.holders.subgraph(owner.node, "then_graph")):
            built = model.selector.on_main_root(lambda: model.holders.single("K"))
    assert built.node.graph is model.main
