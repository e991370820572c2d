"""Branches that a converter writes (GE's bg::If): who releases what leaves them, and which value an output is."""

from collections.abc import Callable, Sequence

import pytest
from kernel_lines import home, lines, types

from getrace.errors import ModelError
from runtime.engines.builtin import builtin_converters
from runtime.engines.contract import Converter, LowerInput, LowerResult
from runtime.engines.control_flow.branch import if_else
from runtime.engines.memory import allocate_output, at
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.value_holder import ValueHolder
from runtime.lowering.graph_converter import lower
from runtime.values import Placement

Branch = Callable[[LowerInput], ValueHolder]


def _allocated(lowered: LowerInput) -> ValueHolder:
    context = lowered.context
    return allocate_output(context, context.holders.single("Size"))


def _bare(lowered: LowerInput) -> ValueHolder:
    return at(lowered.context.holders.single("Bare"), Placement.DEVICE_HBM)


def _borrowed(lowered: LowerInput) -> ValueHolder:
    return lowered.addresses[0]


def _other_input(lowered: LowerInput) -> ValueHolder:
    return lowered.addresses[1]


def _with_branches(then: Sequence[Branch], else_: Sequence[Branch]) -> ExecuteGraph:
    """Lower a model of one operator, whose address comes out of two branches; its inputs have guarders outside."""

    def convert(node: ComputeNode, lowered: LowerInput) -> LowerResult:
        context = lowered.context
        condition = context.holders.single("Condition")
        outputs = if_else(context, condition, lambda: [b(lowered) for b in then], lambda: [b(lowered) for b in else_])
        del node
        return LowerResult([lowered.shapes[0]], [outputs[0]], outputs[:1])

    def twice(node: ComputeNode, lowered: LowerInput) -> LowerResult:
        del node
        return LowerResult(lowered.shapes[:1], [_allocated(lowered)])

    g = GraphBuilder("m")
    x, y = g.data("x", (-1,)), g.data("y", (-1,))
    a, b = g.op("Made", x, name="a", engine=GE_LOCAL), g.op("Made", y, name="b", engine=GE_LOCAL)
    op = g.op("Branching", a, b, engine=GE_LOCAL)
    own = [Converter("Branching", None, convert), Converter("Made", None, twice)]
    return lower(g.output(op).build(), converters=builtin_converters().extended(own))


def test_memory_made_in_both_branches_is_freed_outside_and_nowhere_else() -> None:
    root = _with_branches([_allocated], [_allocated])
    for branch in ("then_graph", "else_graph"):
        assert lines(home(root, branch)) == [
            "AllocMemHbm <- InnerData[1], Size",
            "InnerNetOutput <- AllocMemHbm",
            "Size",
        ]
    assert "FreeMemory <- If | EnsureTensorAtOutMemory" in lines(home(root, "Main"), "Branching")


def test_memory_borrowed_in_one_branch_gets_a_reference_there() -> None:
    root = _with_branches([_allocated], [_bare])
    assert "IdentityAddr" not in types(home(root, "then_graph"))
    assert lines(home(root, "else_graph")) == ["Bare", "IdentityAddr <- Bare", "InnerNetOutput <- IdentityAddr"]
    (added,) = [node.name for node in home(root, "else_graph").nodes if node.type == "IdentityAddr"]
    (owner,) = [node.name for node in root.all_nodes() if node.type == "If"]
    assert added == f"{owner}_Subgraph_2_AddResRef_0"
    assert "FreeMemory <- If | EnsureTensorAtOutMemory" in lines(home(root, "Main"), "Branching")


def test_values_that_no_branch_owns_are_not_freed() -> None:
    root = _with_branches([_bare], [_bare])
    assert lines(home(root, "else_graph")) == ["Bare", "InnerNetOutput <- Bare"]
    assert lines(home(root, "Main"), "Branching") == ["Condition", "If <- Condition"]


def test_one_value_that_leaves_twice_is_owned_once() -> None:
    made: list[ValueHolder] = []

    def again(lowered: LowerInput) -> ValueHolder:
        if not made:
            made.append(_allocated(lowered))
        return made[0]

    root = _with_branches([again, again], [_bare, _bare])
    assert lines(home(root, "then_graph")) == [
        "AllocMemHbm <- InnerData[1], Size",
        "IdentityAddr <- AllocMemHbm",
        "InnerNetOutput <- AllocMemHbm, IdentityAddr",
        "Size",
    ]
    assert lines(home(root, "else_graph")) == [
        "Bare",
        "Bare",
        "IdentityAddr <- Bare, Bare",
        "InnerNetOutput <- IdentityAddr.0, IdentityAddr.1",
    ]


def test_memory_that_somebody_outside_frees_gets_a_reference() -> None:
    root = _with_branches([_borrowed], [_borrowed])
    for branch in ("then_graph", "else_graph"):
        assert lines(home(root, branch)) == ["IdentityAddr <- InnerData[1]", "InnerNetOutput <- IdentityAddr"]
    assert "FreeMemory <- If | EnsureTensorAtOutMemory" in lines(home(root, "Main"), "Branching")


def _unowned_inputs(then: Branch, else_: Branch) -> ExecuteGraph:
    """As ``_with_branches``, on inputs that nobody frees."""

    def convert(_: ComputeNode, lowered: LowerInput) -> LowerResult:
        context = lowered.context
        condition = context.holders.single("Condition")
        outputs = if_else(context, condition, lambda: [then(lowered)], lambda: [else_(lowered)])
        return LowerResult([lowered.shapes[0]], outputs, outputs)

    g = GraphBuilder("m")
    x, y = g.data("x", (-1,)), g.data("y", (-1,))
    own = [Converter("Branching", None, convert)]
    return lower(
        g.output(g.op("Branching", x, y, engine=GE_LOCAL)).build(), converters=builtin_converters().extended(own)
    )


@pytest.mark.parametrize(("then", "else_"), [(_borrowed, _other_input), (_borrowed, _bare), (_bare, _borrowed)])
def test_values_of_different_sources_leave_through_a_pointer(then: Branch, else_: Branch) -> None:
    root = _unowned_inputs(then, else_)
    (owner,) = [node for node in root.all_nodes() if node.type == "If"]
    for branch in ("then_graph", "else_graph"):
        names = [node.name for node in home(root, branch).nodes if node.type == "PointFromInputs"]
        assert names == [f"{owner.name}_PointFrom_0"]
        assert "InnerNetOutput <- PointFromInputs" in lines(home(root, branch))
    assert owner.output_refs == {}


def test_an_input_that_leaves_all_branches_is_the_output() -> None:
    root = _unowned_inputs(_borrowed, _borrowed)
    (owner,) = [node for node in root.all_nodes() if node.type == "If"]
    source = owner.inputs[1]
    assert source is not None
    assert owner.output_refs == {0: (source[0].name, source[1])}
    assert types(home(root, "then_graph")) == {"InnerData", "InnerNetOutput"}


def test_branches_with_other_numbers_of_outputs_are_refused_in_ges_words() -> None:
    with pytest.raises(ModelError) as refused:
        _with_branches([_bare], [_bare, _bare])
    assert (
        refused.value.message
        == "Failed to create branch graphs, 1 th(else_graph) outputs num are different with first(then_graph) 2/1"
    )
