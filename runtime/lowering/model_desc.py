"""ModelDesc: what a caller may know of a lowered model without looking into its graphs.

It owns the order and the names of the model's inputs and outputs. An executor that derived them from the graph again
would disagree with the description the user was given.

Source: spec/lowering.md 2.7.
"""

from dataclasses import dataclass

from runtime.engines.ge_local.data import INPUT_TYPES
from runtime.graph.compute_graph import ComputeGraph, ComputeNode, TensorDesc
from runtime.lowering.stream_plan import StreamPlan

OUTPUT_NAMES_ATTR = "attr_model_out_nodes_name"
"""Names of the model's outputs, ``node`` or ``node:index``."""

AIPP_DIMS_ATTR = "_dynamic_aipp_input_dims"
"""Dimensions of a picture before AIPP (pre-processing on the device) brings it to the model's shape."""


@dataclass(frozen=True, slots=True)
class ModelIoDesc:
    """One input or output of the model; ``aipp_shape`` is what a picture has before it is prepared, () for others."""

    name: str
    desc: TensorDesc
    aipp_shape: tuple[int, ...] = ()


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
    data = sorted(graph.of_type(INPUT_TYPES), key=_index)
    inputs = tuple(ModelIoDesc(node.name, node.op.outputs[0], _aipp_shape(node)) for node in data)
    descs = enumerate(net_output.op.inputs)
    outputs = [ModelIoDesc(_output_name(net_output, position), desc) for position, desc in descs]
    return ModelDesc(
        graph.name,
        inputs,
        tuple(outputs),
        streams.reusable,
        len(streams.events.infos),
        streams.notifies,
        streams.attached,
    )


def _output_name(net_output: ComputeNode, position: int) -> str:
    """Name an output as the model says, else after who makes it; GE wrote both names on the NetOutput."""
    said = net_output.graph.root.attrs.get(OUTPUT_NAMES_ATTR)
    if isinstance(said, tuple) and position < len(said):
        name = str(said[position])
        return name if ":" in name else f"{name}:{position}"
    source = net_output.inputs[position]
    if source is not None:
        return f"output_{position}_{source[0].name}_{source[1]}"
    names, indices = (net_output.op.attrs.get(name) for name in ("src_name", "src_index"))
    if isinstance(names, tuple) and isinstance(indices, tuple) and position < min(len(names), len(indices)):
        return f"output_{position}_{names[position]!s}_{indices[position]!s}"
    return f"output_{position}"


def _aipp_shape(node: ComputeNode) -> tuple[int, ...]:
    dims = node.op.attrs.get(AIPP_DIMS_ATTR)
    return tuple(dim for dim in dims if isinstance(dim, int)) if isinstance(dims, tuple) else ()


def _index(node: ComputeNode) -> int:
    index = node.op.attrs["index"]
    assert isinstance(index, int)
    return index
