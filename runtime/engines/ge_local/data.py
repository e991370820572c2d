"""Data: a model input becomes a feed of Main and the kernel that splits it into shape and address.

All feeds are created when the first one is asked for, in index order: the executor wants contiguous indices whatever
order the nodes of the model are in (spec/lowering.md 4.11).
"""

from getrace.errors import ModelError
from runtime.engines.allocators import l2_allocator_on_init
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.ge_local.place_holder import convert_const_place_holder
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

_HOST_INPUT_ATTR = "_host_tensor_as_model_input"
_FROZEN_ATTR = "frozen_input"

INPUT_TYPES = ("Data", "RefData", "AippData")
"""Types of model inputs: they share one count of indices."""


def convert_data(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower a model input. Raises ModelError when the indices of the model's inputs are not 0..n-1."""
    if node.op.attrs.get(_FROZEN_ATTR):
        return convert_const_place_holder(node, lowered)
    context = lowered.context
    feeds = model_feeds(context)
    feed = feeds[data_index(node)]
    shape, address = context.holders.many("SplitDataTensor", 2, feed, l2_allocator_on_init(context))
    on_host = bool(node.op.attrs.get(_HOST_INPUT_ATTR, False))
    address.placement = Placement.HOST if on_host else context.options.input_placement
    return LowerResult([shape], [address])


def convert_ref_data(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an input that operators write to; wherever it is named in the model, it is one and the same tensor."""
    split: list[ValueHolder] = lowered.context.unique(node.name, lambda: _both(convert_data(node, lowered)))
    return LowerResult(split[:1], split[1:])


def convert_unfed_data(_: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an input that no step feeds: a shape and an address that nobody reads."""
    shape, address = lowered.context.holders.many("UnfedData", 2)
    return LowerResult([shape], [address])


def _both(result: LowerResult) -> list[ValueHolder]:
    return [*result.shapes, *result.addresses]


def data_index(node: ComputeNode) -> int:
    """Position of a model input. Raises ModelError when the node does not say it (GE's words, execution.md 2.1)."""
    index = node.op.attrs.get("index")
    if not isinstance(index, int):
        raise ModelError(f"Failed to get index from data node {node.name}", "set its attribute 'index' to 0, 1, ...")
    return index


def model_feeds(context: LoweringContext) -> list[ValueHolder]:
    """Give the feeds of all inputs of the model, by index."""
    return context.unique(f"{context.graph.name}_input_feed_tensors", lambda: _feed_all(context))


def _feed_all(context: LoweringContext) -> list[ValueHolder]:
    names: dict[int, str] = {}
    for node in context.graph.of_type(INPUT_TYPES):
        index = data_index(node)
        if index in names:
            raise ModelError(
                f"Duplicated Data index found, index {index}, name {node.name}", f"'{names[index]}' has it already"
            )
        names[index] = node.name
    for expected, index in enumerate(sorted(names)):
        if index != expected:
            text = f"Failed to load exe graph, input data index {index}, expect {expected}"
            hint = f"node '{names[index]}' has this index, none has {expected}: number the inputs 0, 1, ..."
            raise ModelError(text, hint)
    return [context.holders.feed(index) for index in range(len(names))]
