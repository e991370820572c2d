"""Models of a single operator of some engine, lowered: what most tests of converters start from."""

from collections.abc import Mapping, Sequence

from getrace.dumps.snapshot import AttrValue
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GraphBuilder, Output
from runtime.graph.compute_graph import ComputeGraph, TensorDesc, nd_desc
from runtime.graph.execute_graph import ExecuteGraph
from runtime.lowering.graph_converter import lower
from runtime.values import DType

UNKNOWN, KNOWN = (-1,), (2,)


def model_of(
    type_name: str,
    engine: str = "",
    inputs: Sequence[Sequence[int]] = (UNKNOWN, UNKNOWN),
    outputs: Sequence[Sequence[int]] = (UNKNOWN,),
    attrs: Mapping[str, AttrValue] | None = None,
) -> ComputeGraph:
    """Feed one operator, named ``op``, from model inputs ``x0``, ``x1``..; give all its outputs as the model's."""
    builder = GraphBuilder("g")
    fed = [builder.data(f"x{index}", dims) for index, dims in enumerate(inputs)]
    described = [nd_desc(dims) for dims in outputs]
    node = builder.op(type_name, *fed, name="op", outputs=described, attrs=attrs, engine=engine).node
    return builder.output(*(Output(node, index) for index in range(len(described)))).build()


def lowered(
    type_name: str,
    engine: str = "",
    inputs: Sequence[Sequence[int]] = (UNKNOWN, UNKNOWN),
    outputs: Sequence[Sequence[int]] = (UNKNOWN,),
    attrs: Mapping[str, AttrValue] | None = None,
    options: LoweringOptions | None = None,
) -> ExecuteGraph:
    """Lower a model of one operator."""
    return lower(model_of(type_name, engine, inputs, outputs, attrs), options)


def named(dims: Sequence[int], name: str, dtype: DType = DType.FLOAT) -> TensorDesc:
    """Describe a tensor that an operator knows by a name."""
    desc = nd_desc(dims, dtype)
    return TensorDesc(desc.shape, dtype, desc.format, name, shape_range=desc.shape_range)
