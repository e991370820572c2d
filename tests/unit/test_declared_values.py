"""Nodes whose values are facts about shapes must say the size that they make: GE reads as much as the model says."""

import pytest

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.api.support import check_support
from runtime.device.profiles import PROFILES
from runtime.graph.builder import GE_LOCAL, GraphBuilder
from runtime.graph.compute_graph import ComputeGraph, nd_desc
from runtime.ops.builtin import builtin_ops
from runtime.values import DType

AXES: dict[str, dict[str, AttrValue]] = {"GatherShapes": {"axes": ((0, 1), (0, 0))}}


def one_of(kind: str, dims: tuple[int, ...]) -> ComputeGraph:
    """Give a model of one node, whose output has a shape by the model's word."""
    builder = GraphBuilder("g")
    desc = nd_desc(dims, DType.INT32)
    value = builder.op(
        kind, builder.data("x", (2, 3)), name="n", outputs=[desc], engine=GE_LOCAL, attrs=AXES.get(kind, {})
    )
    return builder.output(value).build()


@pytest.mark.parametrize(
    ("kind", "dims", "said"),
    [
        ("Rank", (2, 2), "node n (Rank) makes one element, but the model says its output has the shape [2,2]"),
        ("Size", (0,), "node n (Size) makes one element, but the model says its output has the shape [0]"),
        ("GatherShapes", (3,), "node n (GatherShapes) makes 2 elements, but the model says its output has"),
    ],
)
def test_a_value_of_another_size_than_the_model_says_is_refused(kind: str, dims: tuple[int, ...], said: str) -> None:
    with pytest.raises(ModelError) as caught:
        check_support(one_of(kind, dims), builtin_ops(), PROFILES["ascend910b"])
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("kind", "dims"), [("Rank", ()), ("Rank", (1,)), ("Size", ()), ("Size", (-1,)), ("GatherShapes", (2,))]
)
def test_a_value_of_its_own_size_or_of_one_not_known_is_taken(kind: str, dims: tuple[int, ...]) -> None:
    check_support(one_of(kind, dims), builtin_ops(), PROFILES["ascend910b"])
