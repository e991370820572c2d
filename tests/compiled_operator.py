"""Models of a single compiled operator, lowered: what tests of the AI Core converters start from."""

from collections.abc import Mapping, Sequence

from one_operator import UNKNOWN

from getrace.dumps.snapshot import AttrValue
from runtime.engines.op_library import OpTraits, builtin_library
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import AI_CORE, GraphBuilder, Output
from runtime.graph.compute_graph import ALL_KERNEL, KERNEL, ComputeGraph, TensorDesc, nd_desc
from runtime.graph.execute_graph import ExecuteGraph
from runtime.lowering.graph_converter import lower

BY_HANDLE, BY_FLAG = (ALL_KERNEL,), (KERNEL,)


def compiled(
    tasks: tuple[str, ...] = BY_HANDLE,
    attrs: Mapping[str, AttrValue] | None = None,
    *,
    inputs: Sequence[Sequence[int]] = (UNKNOWN, UNKNOWN),
    output: TensorDesc | None = None,
    without: Sequence[str] = (),
    model: Mapping[str, AttrValue] | None = None,
    options: LoweringOptions | None = None,
    type_name: str = "Add",
    engine: str = AI_CORE,
) -> ExecuteGraph:
    """Lower an operator named ``op`` with the tasks its compiler left, without some of the usual attributes."""
    graph = model_of_compiled(tasks, attrs, inputs, output, without, type_name, engine)
    graph.attrs.update(model or {})
    return lower(graph, options)


def model_of_compiled(
    tasks: tuple[str, ...],
    attrs: Mapping[str, AttrValue] | None,
    inputs: Sequence[Sequence[int]] = (UNKNOWN, UNKNOWN),
    output: TensorDesc | None = None,
    without: Sequence[str] = (),
    type_name: str = "Add",
    engine: str = AI_CORE,
) -> ComputeGraph:
    """Build the model of one compiled operator; its output is like its first input unless described."""
    builder = GraphBuilder("g")
    fed = [builder.data(f"x{index}", dims) for index, dims in enumerate(inputs)]
    described = [output or nd_desc(inputs[0])]
    node = builder.op(type_name, *fed, name="op", outputs=described, attrs=attrs, engine=engine).node
    node.op.tasks = tasks
    for attribute in without:
        node.op.attrs.pop(attribute, None)
    return builder.output(Output(node)).build()


def registered(*traits: OpTraits) -> LoweringOptions:
    """Give the default options with some more operators in the library."""
    return LoweringOptions(library=builtin_library().extended(traits))
