"""ModelDesc: what a caller may know of a lowered model without looking into its graphs.

It owns the order and the names of the model's inputs and outputs. An executor that derived them from the graph again
would disagree with the description the user was given.

Source: spec/lowering.md 2.7.
"""

from dataclasses import dataclass

from runtime.graph.compute_graph import ComputeGraph, ComputeNode, TensorDesc
from runtime.lowering.stream_plan import StreamPlan


@dataclass(frozen=True, slots=True)
class ModelIoDesc:
    """One input or output of the model."""

    name: str
    desc: TensorDesc


@dataclass(frozen=True, slots=True)
class ModelDesc:
    """Inputs by Data index, outputs by position, and how many streams, events and notifies a run needs.

    ``file_constant_weight_dir`` is the folder of the weights that are not in the model, "" when there are none.
    """

    name: str
    inputs: tuple[ModelIoDesc, ...]
    outputs: tuple[ModelIoDesc, ...]
    reusable_stream_num: int = 1
    reusable_event_num: int = 0
    reusable_notify_num: int = 0
    attached_stream_num: int = 0
    file_constant_weight_dir: str = ""


def describe_model(graph: ComputeGraph, net_output: ComputeNode, streams: StreamPlan) -> ModelDesc:
    """Describe a model. The data nodes are known to carry contiguous indices."""
    data = sorted(graph.of_type(["Data"]), key=_index)
    inputs = tuple(ModelIoDesc(node.name, node.op.outputs[0]) for node in data)
    outputs = []
    for position, (source, desc) in enumerate(zip(net_output.inputs, net_output.op.inputs, strict=True)):
        assert source is not None
        producer, output = source
        outputs.append(ModelIoDesc(f"output_{position}_{producer.name}_{output}", desc))
    return ModelDesc(
        graph.name,
        inputs,
        tuple(outputs),
        streams.reusable,
        len(streams.events.infos),
        streams.notifies,
        streams.attached,
    )


def _index(node: ComputeNode) -> int:
    index = node.op.attrs["index"]
    assert isinstance(index, int)
    return index
